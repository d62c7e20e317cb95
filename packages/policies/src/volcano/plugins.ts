import { SchedError } from '@sched/core'
import type { PluginSettings, VolcanoSettings } from './options.js'
import type { Plugin, Session } from './plugin.js'
import { capacity } from './plugins/capacity.js'
import { conformance } from './plugins/conformance.js'
import { drf } from './plugins/drf.js'
import { gang } from './plugins/gang.js'
import { overcommit } from './plugins/overcommit.js'
import { priority } from './plugins/priority.js'
import { proportion } from './plugins/proportion.js'
import { sla } from './plugins/sla.js'
import { tdm } from './plugins/tdm.js'
import type { RevocableZones } from './revocable-zones.js'
import { Tiers } from './tiers.js'

/** The functions that each flag switches off if it is false. */
const switches: Readonly<Record<Exclude<keyof PluginSettings, 'name' | 'enableHierarchy' | 'arguments' | 'revocableZones'>, readonly (keyof Plugin)[]>> = {
  enableJobOrder: ['jobKey'],
  enableQueueOrder: ['queueOrder'],
  enableJobEnqueued: ['mayEnqueue'],
  enabledOverused: ['isOverused'],
  enabledAllocatable: ['mayAllocate', 'couldAllocate'],
  enablePreemptable: ['preemptable'],
  enableReclaimable: ['reclaimable'],
  enablePreemptive: ['mayReclaim'],
  enableJobStarving: ['isStarving'],
}

/**
 * The plug-ins of the tiers. Throws `BAD_OPTION` for a plug-in that is named twice, for two that divide the cluster in different ways, and for
 * trees of queues with plug-ins other than `capacity` and `drf`.
 */
export function tiersOf({ tiers }: VolcanoSettings, session: Session): Tiers {
  const names = tiers.flatMap(({ plugins }) => plugins.map(({ name }) => name))
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw new SchedError('BAD_OPTION', `plug-in "${twice}" is there twice.`, { field: 'tiers' }, 'Name each once.')
  if (names.includes('proportion') && names.includes('capacity'))
    throw new SchedError('BAD_OPTION', 'the plug-ins proportion and capacity divide the cluster in different ways.', { field: 'tiers' }, 'Take one of them away.')
  return new Tiers(tiers.map(({ plugins }) => plugins.map((settings) => switched(made(settings, session), settings))))
}

function made(settings: PluginSettings, session: Session): Plugin {
  const isTree = settings.enableHierarchy === true
  if (isTree && settings.name !== 'capacity' && settings.name !== 'drf')
    throw new SchedError('BAD_OPTION', `the plug-in ${settings.name} does not compare queues in a tree.`, { field: 'tiers.enableHierarchy' }, 'Take it away; capacity and drf do.')
  switch (settings.name) {
    case 'priority':
      return priority()
    case 'gang':
      return gang()
    case 'conformance':
      return conformance()
    case 'overcommit':
      return overcommit(settings, session)
    case 'drf':
      return drf(session, isTree)
    case 'proportion':
      return proportion(session)
    case 'capacity':
      return capacity(session, isTree)
    case 'sla':
      return sla(settings)
    case 'tdm':
      return tdm(session.zones as RevocableZones)
  }
}

function switched(plugin: Plugin, settings: PluginSettings): Plugin {
  const off = new Set(Object.entries(switches).flatMap(([flag, parts]) => (settings[flag as keyof typeof switches] === false ? parts : [])))
  return { name: settings.name, ...Object.fromEntries(Object.entries(plugin).filter(([part]) => !off.has(part as keyof Plugin))) }
}

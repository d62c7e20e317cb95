import { SchedError } from '@sched/core'
import { didYouMean, type Verdict } from '../finding.js'
import type { Setting } from '../setting.js'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { ofOneNode } from './one-node.js'
import { hostsOf } from './partition-nodes.js'
import { blocksIn, nodesWithoutSwitch, switchPaths } from './switches.js'
import { timeSlices } from './time-slices.js'
import { deviationsOf, flagsOf } from './topology.js'
import type { NamedTopology } from './topology-yaml.js'

/**
 * The topology of each partition that names another one than the cluster's, as the option `topologies` of `replan`. `present`: names of the cluster's nodes,
 * empty if not known. Throws `BAD_INPUT` with the line for a topology that the topology.yaml does not have.
 */
export function partitionTopologies(conf: SlurmConf, present: readonly string[]): Readonly<Record<string, unknown>> {
  const isAsked = flagsOf(conf).includes('topooptional')
  return Object.fromEntries(conf.partitions.flatMap(({ name, settings }) => {
    const own = ownTopology(settings, conf)
    return own === undefined || own === conf.topologies?.ofOthers || isAbsent(own, conf, present) ? [] : [[name.value, asOption(own, conf, isAsked)]]
  }))
}

function asOption(own: NamedTopology, conf: SlurmConf, isAsked: boolean): unknown {
  if (own.kind === 'flat') return 'flat'
  const placed = inPlace(own, conf)
  return own.kind === 'block' ? blocksIn(placed) : { switches: switchesOf(placed), ...(isAsked && { asked: true }) }
}

/** What becomes of a setting that names the topology of partitions. `partitions`: those for which it holds. */
export function toldOfTopology(setting: Setting, partitions: readonly Declared[], conf: SlurmConf, { nodes, present }: { readonly nodes: number; readonly present: readonly string[] }): readonly [Verdict, string?] {
  const { topologies } = conf
  if (topologies === undefined) return /^default$/i.test(setting.value) ? ['honoured'] : ['ignored', 'no topology.yaml stands beside the file']
  const own = topologies.all.find(({ name }) => name.value === setting.value)
  if (own === undefined || own === topologies.ofOthers || own.kind === 'flat') return ['honoured']
  if (nodes === 1) return ['ignored', ofOneNode(conf)]
  if (timeSlices(conf) !== undefined) return ['ignored', 'jobs that take turns get nodes by the topology of the cluster']
  if (isAbsent(own, conf, present)) return ['ignored', 'the cluster has no node of it']
  const placed = inPlace(own, conf)
  const notes = deviationsOf(placed, [...new Set(partitions.flatMap((partition) => nodesBeside(partition, placed)))])
  return notes.length === 0 ? ['honoured'] : ['approximated', notes.join('; ')]
}

/** The topology that a partition names; undefined if it names none or there is no topology.yaml. Throws `BAD_INPUT` with the line for an unknown name. */
function ownTopology(settings: Declared['settings'], { topologies }: SlurmConf): NamedTopology | undefined {
  const setting = settings.get('topology')
  if (setting === undefined || topologies === undefined) return undefined
  const names = topologies.all.map(({ name }) => name.value)
  const own = topologies.all.find(({ name }) => name.value === setting.value)
  if (own !== undefined) return own
  const { file, line, name, value } = setting
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, which the topology.yaml beside it does not have${didYouMean(value, names)}.`, { file, line, field: name }, `It has ${names.join(', ')}.`)
}

/** Whether the cluster has no node of the topology. */
function isAbsent(own: NamedTopology, conf: SlurmConf, present: readonly string[]): boolean {
  if (own.kind === 'flat' || present.length === 0) return false
  const placed = inPlace(own, conf)
  const named = own.kind === 'block' ? new Set(blocksIn(placed).blocks.flat()) : switchPaths(placed)
  return !present.some((name) => named.has(name))
}

/** The conf with this topology as that of the cluster. */
const inPlace = ({ kind, switches, blockSizes }: NamedTopology, conf: SlurmConf): SlurmConf => ({ ...conf, topology: kind, switches, blockSizes })

/** Groups of nodes below the same switches, with these switches. */
function switchesOf(conf: SlurmConf): { readonly nodes: string[]; readonly racks: readonly string[] }[] {
  const below = new Map<string, { readonly nodes: string[]; readonly racks: readonly string[] }>()
  for (const [host, racks] of switchPaths(conf)) {
    const key = JSON.stringify(racks)
    const known = below.get(key)
    if (known === undefined) below.set(key, { nodes: [host], racks })
    else known.nodes.push(host)
  }
  return [...below.values()]
}

/** The nodes of a partition that the topology does not have. */
function nodesBeside({ settings }: Declared, conf: SlurmConf): readonly string[] {
  const [setting, alone] = [settings.get('nodes'), nodesWithoutSwitch(conf)]
  if (setting === undefined || /^ALL$/i.test(setting.value)) return alone
  const own = hostsOf(setting, conf)
  return alone.filter((host) => own.has(host))
}

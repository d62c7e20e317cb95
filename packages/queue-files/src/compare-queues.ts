import type { FairFile } from './yarn/fair-model.js'
import type { QueueRow, QueueTable } from './queue-rows.js'
import type { QueueFile } from './read-queues.js'
import { volcanoGeneral } from './volcano/volcano-policy.js'
import { yunikornGeneral } from './yunikorn/yunikorn-policy.js'
import type { Given, Setting } from './setting.js'

/** A setting that differs; absent on the side where it is not given. */
export interface Changed {
  /** Queue path, or empty for a setting of all queues. */
  readonly path: string
  /** Its name. */
  readonly setting: string
  /** As the first file has it; absent: not there. */
  readonly before?: string | undefined
  /** As the second file has it; absent: not there. */
  readonly after?: string | undefined
}

/** Queues of one file only, by path, and settings that differ. */
export interface QueueChanges {
  /** Queues of the second file only, by path. */
  readonly added: readonly string[]
  /** Queues of the first file only, by path. */
  readonly removed: readonly string[]
  /** Settings that differ. */
  readonly changed: readonly Changed[]
}

/** What differs between the settings of two queue files, queue by queue; queues of one file only are named and not listed. */
export function compareQueues(a: { file: QueueFile; table: QueueTable }, b: { file: QueueFile; table: QueueTable }): QueueChanges {
  const before = new Map(a.table.rows.map((row) => [row.path, row]))
  const after = new Map(b.table.rows.map((row) => [row.path, row]))
  const changed = a.file.kind === b.file.kind ? differences('', general(a.file), general(b.file)) : []
  for (const [path, row] of before) {
    const other = after.get(path)
    if (other !== undefined && a.file.kind === b.file.kind) changed.push(...differences(path, row.settings, other.settings))
  }
  return { added: [...after.keys()].filter((path) => !before.has(path)), removed: [...before.keys()].filter((path) => !after.has(path)), changed }
}

function differences(path: string, before: QueueRow['settings'], after: QueueRow['settings']): Changed[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => before[name] !== after[name]).map((setting) => ({ path, setting, before: before[setting], after: after[setting] }))
}

/** Settings that are of no single queue, as written. */
function general(file: QueueFile): Record<string, string> {
  if (file.kind === 'kueue' || file.kind === 'kai') return {}
  if (file.kind === 'yunikorn') return yunikornGeneral(file)
  if (file.kind === 'volcano') return volcanoGeneral(file)
  if (file.kind === 'spark') return Object.fromEntries(file.conf.map(({ name, value }) => [name, value]))
  if (file.kind === 'slurm') return generalProperties(new Map([...file.general.values()].flatMap(eachParameter).map((one) => [one.name, one])))
  return file.kind === 'fair' ? generalFair(file) : generalProperties(file.general)
}

/** The list of parameters of Slurm's schedulers is told one by one, as findings are; a flag is `yes`. */
function eachParameter({ name, value }: Pick<Setting, 'name' | 'value'>): Pick<Setting, 'name' | 'value'>[] {
  if (name.toLowerCase() !== 'schedulerparameters') return [{ name, value }]
  return value.split(',').filter((each) => each.trim() !== '').map((each) => {
    const [parameter = '', set = 'yes'] = each.split('=').map((part) => part.trim())
    return { name: `${name} ${parameter}`, value: set }
  })
}

function generalFair(file: FairFile): Record<string, string> {
  const settings: Record<string, string> = {}
  const tell = (name: string, given: Given<unknown> | undefined) => void (given !== undefined && (settings[name] = given.text))
  tell('queueMaxResourcesDefault', file.queueMaxResourcesDefault)
  tell('queueMaxAppsDefault', file.queueMaxAppsDefault)
  tell('userMaxAppsDefault', file.userMaxAppsDefault)
  tell('defaultQueueSchedulingPolicy', file.defaultPolicy)
  for (const [user, given] of file.users) tell(`user ${user} maxRunningApps`, given)
  if (file.rules !== undefined)
    settings['queuePlacementPolicy'] = file.rules.map(({ name, queue, create, nested }) =>
      `${name}${nested === undefined ? '' : `(${nested.name})`}${queue === undefined ? '' : ` ${queue}`}${create ? '' : ' create=false'}`).join(', ')
  return settings
}

const generalProperties = (properties: ReadonlyMap<string, Pick<Setting, 'name' | 'value'>>): Record<string, string> =>
  Object.fromEntries([...properties.values()].map(({ name, value }) => [name, value]))

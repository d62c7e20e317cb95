import type { QueueFile } from './queue-file.js'
import type { QueueRow, QueueTable } from './queue-rows.js'
import { generalSettings } from './queue-systems.js'

/** A setting that differs between two files. */
export interface Changed {
  /** Path of the queue; empty for a setting of no single queue. */
  readonly path: string
  /** Name of the setting. */
  readonly setting: string
  /** The value in the first file; absent: the first file does not give the setting. */
  readonly before?: string | undefined
  /** The value in the second file; absent: the second file does not give the setting. */
  readonly after?: string | undefined
}

/** The differences between two queue files. */
export interface QueueChanges {
  /** Paths of the queues that only the second file has. */
  readonly added: readonly string[]
  /** Paths of the queues that only the first file has. */
  readonly removed: readonly string[]
  /** Settings that differ. */
  readonly changed: readonly Changed[]
}

/**
 * Compares the settings of two queue files, queue by queue. Of a queue that only one file has, only the path is given. Settings of files of different
 * kinds are not compared. Names of settings of Slurm are equal in any case.
 */
export function compareQueues(a: { file: QueueFile; table: QueueTable }, b: { file: QueueFile; table: QueueTable }): QueueChanges {
  const before = new Map(a.table.rows.map((row) => [row.path, row]))
  const after = new Map(b.table.rows.map((row) => [row.path, row]))
  const inAnyCase = a.file.kind === 'slurm'
  const spelled = (settings: QueueRow['settings'], other: QueueRow['settings']) => (inAnyCase ? spelledAs(settings, other) : settings)
  const general = [generalSettings(a.file), generalSettings(b.file)] as const
  const changed = a.file.kind === b.file.kind ? differences('', general[0], spelled(general[1], general[0])) : []
  for (const [path, row] of before) {
    const other = after.get(path)
    if (other !== undefined && a.file.kind === b.file.kind) changed.push(...differences(path, row.settings, spelled(other.settings, row.settings)))
  }
  return { added: [...after.keys()].filter((path) => !before.has(path)), removed: [...before.keys()].filter((path) => !after.has(path)), changed }
}

/** The settings, each under the spelling that `other` has for the same name in any case. */
function spelledAs(settings: QueueRow['settings'], other: QueueRow['settings']): QueueRow['settings'] {
  const names = new Map(Object.keys(other).map((name) => [name.toLowerCase(), name]))
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]))
}

function differences(path: string, before: QueueRow['settings'], after: QueueRow['settings']): Changed[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => before[name] !== after[name]).map((setting) => ({ path, setting, before: before[setting], after: after[setting] }))
}

import type { QueueFile } from './queue-file.js'
import type { QueueRow, QueueTable } from './queue-rows.js'
import { generalSettings } from './queue-systems.js'

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

/** With names as the other has them, which may be written in any case. */
function spelledAs(settings: QueueRow['settings'], other: QueueRow['settings']): QueueRow['settings'] {
  const names = new Map(Object.keys(other).map((name) => [name.toLowerCase(), name]))
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]))
}

function differences(path: string, before: QueueRow['settings'], after: QueueRow['settings']): Changed[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.filter((name) => before[name] !== after[name]).map((setting) => ({ path, setting, before: before[setting], after: after[setting] }))
}

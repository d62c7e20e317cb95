/** A queue as people see it: its settings as written, and what it would get of each resource. */
export interface QueueRow {
  /** Full path of the queue. */
  readonly path: string
  /** 0 for the root, 1 for the queues inside it, ... */
  readonly depth: number
  /** Whether it holds queues and no jobs. */
  readonly isParent: boolean
  /** Settings of the queue itself, as written, by name. */
  readonly settings: Readonly<Record<string, string>>
  /** Instantaneous share by resource: amounts where the cluster is known, otherwise parts of it. */
  readonly shares: Readonly<Record<string, number>>
}

/** The cluster that shares are of: amounts by resource. */
export type Totals = Readonly<Record<string, number>>

/** The queues of a file as rows, parents before their children. */
export interface QueueTable {
  /** Parents before their children. */
  readonly rows: readonly QueueRow[]
  /** Absent: shares are parts of a cluster that is not known, where amounts of the file cannot count. */
  readonly totals: Totals | undefined
  /** Whether the file has amounts that did not count since the cluster is not known. */
  readonly leavesOutAmounts: boolean
}

/** A queue without its shares. */
export type SettingsRow = Omit<QueueRow, 'shares'>

/** Queues whose shares nobody can tell before jobs come. */
export const withoutShares = (rows: readonly SettingsRow[]): QueueTable => ({
  rows: rows.map((row) => ({ ...row, shares: {} })),
  totals: {},
  leavesOutAmounts: false,
})

/** Queues whose paths tell which lie in which. */
export const rowsByPath = <Q extends { readonly path: string; readonly isParent: boolean }>(
  queues: readonly Q[],
  settingsOf: (queue: Q) => Readonly<Record<string, string>>,
): SettingsRow[] =>
  queues.map((queue) => ({ path: queue.path, depth: queue.path.split('.').length - 1, isParent: queue.isParent, settings: settingsOf(queue) }))

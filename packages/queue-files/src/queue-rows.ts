/** A queue as a row of a table: its settings as written, and its share of each resource. */
export interface QueueRow {
  /** Full path of the queue. */
  readonly path: string
  /** Number of queues around it: 0 for a queue at the top. */
  readonly depth: number
  /** Whether it is a parent queue, which holds other queues; it may have none yet. */
  readonly isParent: boolean
  /** The queue's own settings, by name, as written. */
  readonly settings: Readonly<Record<string, string>>
  /** Instantaneous share by resource: amounts if the capacity of the cluster is known, otherwise fractions of it under the name `cluster`. */
  readonly shares: Readonly<Record<string, number>>
  /** Instantaneous share of the nodes of each label of which the file gives capacities, as a fraction of these nodes. */
  readonly labelShares?: Readonly<Record<string, number>>
}

/** Capacity of the cluster that is shared, by resource. */
export type Totals = Readonly<Record<string, number>>

/** The queues of a file as rows of a table. */
export interface QueueTable {
  /** One row for each queue, parents before their children. */
  readonly rows: readonly QueueRow[]
  /** Capacity of the cluster; undefined: not known, so that shares are fractions and amounts of the file do not count. */
  readonly totals: Totals | undefined
  /** Whether the file has amounts that do not count because the capacity of the cluster is not known. */
  readonly leavesOutAmounts: boolean
}

/** A queue without its shares. */
export type SettingsRow = Omit<QueueRow, 'shares' | 'labelShares'>

/** The table of queues whose shares depend on the jobs that come: it has no shares. */
export const withoutShares = (rows: readonly SettingsRow[]): QueueTable => ({
  rows: rows.map((row) => ({ ...row, shares: {} })),
  totals: {},
  leavesOutAmounts: false,
})

/** Rows of queues whose depth is the number of periods in their paths. */
export const rowsByPath = <Q extends { readonly path: string; readonly isParent: boolean }>(
  queues: readonly Q[],
  settingsOf: (queue: Q) => Readonly<Record<string, string>>,
): SettingsRow[] =>
  queues.map((queue) => ({ path: queue.path, depth: queue.path.split('.').length - 1, isParent: queue.isParent, settings: settingsOf(queue) }))

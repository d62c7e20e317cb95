import { table, type Column } from '@sched/report'
import type { QueueChanges, QueueRow, QueueTable } from '@sched/queue-files'
import { shareText } from './queue-tree.js'

/** A queue's share of a resource, or of the nodes with a label, before and after; absent where there is no such queue. */
export interface ShareChange {
  readonly path: string
  readonly resource: string
  readonly before?: number | undefined
  readonly after?: number | undefined
}

const labelled = (label: string) => `label ${label}`

/** Shares by resource, and by label. */
const allShares = ({ shares, labelShares = {} }: QueueRow): Readonly<Record<string, number>> => ({
  ...shares,
  ...Object.fromEntries(Object.entries(labelShares).map(([label, share]) => [labelled(label), share])),
})

/** Shares that differ, but for rounding. */
export function shareChanges(before: QueueTable, after: QueueTable): ShareChange[] {
  const sides = [before, after].map(({ rows }) => new Map(rows.map((row) => [row.path, allShares(row)])))
  const labels = [before, after].flatMap(({ rows }) => rows.flatMap(({ labelShares = {} }) => Object.keys(labelShares).map(labelled)))
  const paths = [...new Set([...before.rows, ...after.rows].map(({ path }) => path))]
  const changes: ShareChange[] = []
  for (const path of paths)
    for (const resource of new Set([...Object.keys(before.totals ?? { cluster: 1 }), ...labels])) {
      const [a, b] = sides.map((side) => side.get(path)?.[resource])
      const isSame = a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(a, b)) // shares are computed anew: last digits may differ
      if (!isSame) changes.push({ path, resource, before: a, after: b })
    }
  return changes
}

const columns = (...titles: string[]): Column[] => titles.map((title) => ({ title, align: 'left' }))

export function queueChangesText({ added, removed, changed }: QueueChanges, shares: readonly ShareChange[], { totals }: QueueTable, isOneKind: boolean): string {
  const parts = [
    isOneKind ? '' : 'The files are of different schedulers: their settings are not compared.\n',
    added.length === 0 ? '' : `Added: ${added.join(', ')}\n`,
    removed.length === 0 ? '' : `Removed: ${removed.join(', ')}\n`,
    changed.length === 0 ? '' : table(
      columns('queue', 'setting', 'before', 'after'),
      changed.map(({ path, setting, before, after }) => [path === '' ? '(all)' : path, setting, before ?? '-', after ?? '-']),
    ),
    shares.length === 0
      ? ''
      : table(
        columns('queue', 'share of', 'before', 'after'),
        shares.map(({ path, resource, before, after }) => [path, resource, text(before, totals?.[resource]), text(after, totals?.[resource])]),
      ),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'No difference.\n' : parts.join('\n')
}

const text = (share: number | undefined, total: number | undefined): string => (share === undefined ? '-' : shareText(share, total))

import type { Row } from '../figures/figures.js'
import { interval } from './number.js'
import { policyTable } from './policy-table.js'
import { moreQueues, MOST_QUEUES } from './run-text.js'

/**
 * What each queue held of each resource under each policy, in percent of the cluster; those that held most of any resource under any policy first.
 * Policies that put jobs in queues of other names, as one with mappings and one without do, have tables of their own: a row would otherwise be of other
 * jobs in each column.
 */
export function queueUseText(rows: readonly Row[], width?: number): string {
  const ofQueues = rows.filter(({ key }) => key.endsWith('-by-queue'))
  return groupsOf(ofQueues)
    .map((policies) => groupText(ofQueues.map((row) => ({ ...row, cells: row.cells.filter(({ policy }) => policies.includes(policy)) })), width))
    .filter((text) => text !== '')
    .join('\n')
}

/** The policies under which the same queues held something. */
function groupsOf(rows: readonly Row[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const [at, { policy }] of (rows[0]?.cells ?? []).entries()) {
    const queues = [...new Set(rows.filter(({ cells }) => (cells[at]?.mean.mean ?? 0) > 0).map(({ label = '' }) => label))]
    const key = JSON.stringify(queues.sort())
    groups.set(key, [...(groups.get(key) ?? []), policy])
  }
  return [...groups.values()]
}

/** A table of each resource, of policies with the same queues. */
function groupText(rows: readonly Row[], width: number | undefined): string {
  const ofQueues = rows.map((row) => ({ ...row, most: Math.max(...row.cells.map(({ mean }) => mean.mean)) })).filter(({ most }) => most > 0)
  const labels = [...new Set(ofQueues.toSorted((a, b) => b.most - a.most).map(({ label = '' }) => label))]
  return [...new Set(ofQueues.map(({ title }) => title))]
    .map((title) => {
      const own = new Map(ofQueues.filter((row) => row.title === title).map((row) => [row.label, row]))
      const shown = labels.slice(0, MOST_QUEUES).flatMap((label) => own.get(label) ?? [])
      const lines = shown.map(({ label = '', unit, cells }) => [label.replace(/^queue /, ''), ...cells.map(({ mean }) => interval(mean, unit))])
      return `U${title.slice(1)} in %, by queue\n${policyTable([''], (shown[0]?.cells ?? []).map(({ policy }) => policy), lines, width)}${moreQueues(labels.length - shown.length)}`
    })
    .join('\n')
}

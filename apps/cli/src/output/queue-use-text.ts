import type { Row } from '../figures/figures.js'
import { interval } from './number.js'
import { policyTable } from './policy-table.js'
import { moreQueues, MOST_QUEUES } from './run-text.js'

/**
 * What each queue held of each resource under each policy, in percent of the cluster; those that held most of any resource under any policy first.
 * Nothing where policies put jobs in queues of different names, as one with mappings and one without do: a row would then be of other jobs in each column.
 */
export function queueUseText(rows: readonly Row[], width?: number): string {
  const ofQueues = rows.filter(({ key }) => key.endsWith('-by-queue')).map((row) => ({ ...row, most: Math.max(...row.cells.map(({ mean }) => mean.mean)) }))
  if (ofQueues.some(({ cells, most }) => most > 0 && cells.some(({ mean }) => mean.mean === 0))) return ''
  const labels = [...new Set(ofQueues.toSorted((a, b) => b.most - a.most).map(({ label = '' }) => label))]
  return [...new Set(ofQueues.filter(({ most }) => most > 0).map(({ title }) => title))]
    .map((title) => {
      const own = new Map(ofQueues.filter((row) => row.title === title).map((row) => [row.label, row]))
      const shown = labels.slice(0, MOST_QUEUES).flatMap((label) => own.get(label) ?? [])
      const lines = shown.map(({ label = '', unit, cells }) => [label.replace(/^queue /, ''), ...cells.map(({ mean }) => interval(mean, unit))])
      return `U${title.slice(1)} in %, by queue\n${policyTable([''], (shown[0]?.cells ?? []).map(({ policy }) => policy), lines, width)}${moreQueues(labels.length - shown.length)}`
    })
    .join('\n')
}

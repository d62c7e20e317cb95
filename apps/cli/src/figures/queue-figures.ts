import { naturalOrder, type Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** More queues than this are users rather than queues; they are in the runs of the JSON, and what their jobs held is in the files of jobs. */
const MOST_QUEUES = 100

/** What each queue held of each resource, of runs with several queues; a queue without jobs in one of them held nothing there. */
export function queueFigures(summaries: readonly Summary[]): (Figure<Summary> & { readonly label: string })[] {
  const queues = [...new Set(summaries.flatMap(({ utilisation: { queues = [] } }) => queues.map(({ queue }) => queue)))].sort(naturalOrder)
  if (queues.length > MOST_QUEUES) return []
  return queues.flatMap((queue) => (summaries[0]?.utilisation.resources ?? []).map(({ resource }, r) => ({
    key: `use-${resource}-by-queue`,
    title: `use of ${resource}`,
    unit: '%',
    label: `queue ${queue}`,
    of: ({ utilisation: { queues: own } }) => (own === undefined ? NaN : (own.find((each) => each.queue === queue)?.utilisation[r] ?? 0)),
  })))
}

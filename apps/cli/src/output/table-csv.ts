import type { Interval } from '@sched/metrics'
import { csv } from '@sched/report'
import type { Row } from '../figures/figures.js'

const titles = ['class', 'figure', 'unit', 'policy', 'seeds', 'mean', 'low', 'high', 'difference', 'difference_low', 'difference_high']

/** Mean and bounds as cells, empty without an interval. */
export const boundsOf = (interval: Interval | undefined): (number | undefined)[] => [interval?.mean, interval?.low, interval?.high]

/** One line per figure, class of jobs and policy: mean and bounds, difference from the first policy and bounds. Fractions, not percent. */
export function tableCsv(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ label = 'all', key, unit, cells }) =>
    cells.map(({ policy, mean, difference }) => [label, key, unit === '%' ? 'fraction' : unit, policy, mean.n, ...boundsOf(mean), ...boundsOf(difference)]),
  )
  return csv(titles, lines)
}

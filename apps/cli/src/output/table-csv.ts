import type { Interval } from '@sched/metrics'
import { csv } from '@sched/report'
import type { Row } from '../figures/figures.js'

const titles = ['class', 'figure', 'unit', 'policy', 'seeds', 'mean', 'low', 'high', 'difference', 'difference_low', 'difference_high']

/** One line per figure, class of jobs and policy: mean and bounds, difference from the first policy and bounds. Fractions, not percent. */
export function tableCsv(rows: readonly Row[]): string {
  const bounds = (interval: Interval | undefined) => [interval?.mean, interval?.low, interval?.high]
  const lines = rows.flatMap(({ label = 'all', key, unit, cells }) =>
    cells.map(({ policy, mean, difference }) => [label, key, unit === '%' ? 'fraction' : unit, policy, mean.n, ...bounds(mean), ...bounds(difference)]),
  )
  return csv(titles, lines)
}

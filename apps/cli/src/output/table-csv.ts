import type { Interval } from '@sched/metrics'
import type { Row } from '../figures.js'
import { csvLine } from './csv.js'

/** One line per figure, class of jobs and policy: mean and bounds, difference from the first policy and bounds. Fractions, not percent. */
export function tableCsv(rows: readonly Row[]): string {
  const heading = ['class', 'figure', 'unit', 'policy', 'seeds', 'mean', 'low', 'high', 'difference', 'difference_low', 'difference_high']
  const bounds = (interval: Interval | undefined) => [interval?.mean, interval?.low, interval?.high]
  const lines = rows.flatMap(({ label, key, unit, cells }) =>
    cells.map(({ policy, mean, difference }) => csvLine([label ?? 'all', key, unit === '%' ? 'fraction' : unit, policy, mean.n, ...bounds(mean), ...bounds(difference)])),
  )
  return csvLine(heading) + lines.join('')
}

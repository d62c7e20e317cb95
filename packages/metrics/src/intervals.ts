import { studentt } from '@sched/bundled/jstat'
import { SchedError } from '@sched/core'

/** A mean with its confidence interval, in the unit of the values. */
export interface Interval {
  /** Number of values, for example one per seed. */
  readonly n: number
  /** Mean of the values; NaN without any. */
  readonly mean: number
  /** Lower end of the interval. */
  readonly low: number
  /** Upper end of the interval. */
  readonly high: number
  /** The interval is `mean` ± `halfWidth`; NaN for fewer than two values. */
  readonly halfWidth: number
  /** Probability that such an interval contains the true mean of independent, normally distributed values. */
  readonly level: number
}

/** Student's t interval of a mean: m ± t(n - 1, (1 + level) / 2) x s / sqrt(n). Equal values have themselves as mean, and no width, exactly. Throws `BAD_OPTION` for a level outside (0, 1). */
export function meanInterval(values: readonly number[], level = 0.95): Interval {
  if (!(level > 0 && level < 1))
    throw new SchedError('BAD_OPTION', `the confidence level is ${level}.`, { field: 'level' }, 'Use a number between 0 and 1, such as 0.95.')
  const n = values.length
  const isConstant = n > 0 && values.every((value) => value === values[0])
  const mean = isConstant ? (values[0] as number) : values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0)
  const halfWidth = n < 2 ? NaN : studentt.inv((1 + level) / 2, n - 1) * Math.sqrt(squares / (n - 1) / n)
  return { n, mean, low: mean - halfWidth, high: mean + halfWidth, halfWidth, level }
}

/**
 * Interval of the mean of a[i] - b[i], where both were measured on the same seed i: common random numbers cancel what the two have in common. Throws
 * `BAD_INPUT` for lists of different length.
 */
export function pairedDifference(a: readonly number[], b: readonly number[], level = 0.95): Interval {
  if (a.length !== b.length)
    throw new SchedError('BAD_INPUT', `${a.length} values are paired with ${b.length}.`, {}, 'Measure both on the same seeds, in the same order.')
  return meanInterval(
    a.map((value, i) => value - (b[i] as number)),
    level,
  )
}

import { meanInterval } from '@sched/metrics'
import type { Estimate, Trial } from './claim.js'

/** Mean over the seeds with its 95% interval (Student's t). */
function estimate(values: readonly number[]): Estimate {
  const { mean, low, high } = meanInterval(values)
  return { mean, low, high }
}

/** NaN of no values. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The standard deviation of all there are, not of a sample. */
export function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}

/** A figure that no chance is involved in. */
export const exactly = (value: number): Estimate => ({ mean: value, low: value, high: value })

/** One figure of every run, as an estimate. */
export const overRuns = <Run>(runs: readonly Run[], figure: (run: Run) => number): Estimate => estimate(runs.map(figure))

/** The first trials, for remarks beside the rows. */
export const few = (trials: readonly Trial[]): readonly Trial[] => trials.slice(0, 2)

/** `seeds 1 to 3`. */
export const seedsOf = (trials: readonly Trial[]): string => `seeds ${trials[0]?.seed ?? 0} to ${trials.at(-1)?.seed ?? 0}`

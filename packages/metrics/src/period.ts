import type { Seconds } from '@sched/core'

/**
 * The part of a run that counts, without warm-up and cool-down: jobs submitted in [from, to), and what the machine does between the two. Seconds of
 * simulated time.
 */
export interface Period {
  /** First second that counts. */
  readonly from: Seconds
  /** First second that no longer counts; `Infinity`: everything after `from` counts. */
  readonly to: Seconds
}

export const wholeRun: Period = { from: -Infinity, to: Infinity }

/** Whether a job submitted now counts. */
export const counts = (period: Period, now: Seconds): boolean => period === wholeRun || (now >= period.from && now < period.to)

/** The seconds of [start, end) that lie in the period. */
export const secondsIn = (period: Period, start: Seconds, end: Seconds): Seconds =>
  period === wholeRun ? Math.max(0, end - start) : Math.max(0, Math.min(end, period.to) - Math.max(start, period.from))

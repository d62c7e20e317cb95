import type { Env, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'

const DAY = 86_400
const WEEK = 7 * DAY
/** Weeks begin on Sundays; 1970 began on a Thursday. */
const SINCE_SUNDAY = 4 * DAY
/** Clocks of logs that say less, 1980, count from something else than 1970. */
const EARLIEST = 315_532_800
/** Midnight of 1 January 1978, a Sunday, at which periods of all lengths begin. */
const UNKNOWN = 252_460_800
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 }

const periods = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const
/** What PriorityUsageResetPeriod may be; with the first two usage is never forgotten, since nothing was used before the run. */
export const usageResetPeriods = ['NONE', 'NOW', 'DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'] as const

/** The option of a PriorityUsageResetPeriod, in letters of any case; `undefined`: never. */
export const usageResetOf = (period = ''): (typeof periods)[number] | undefined => periods.find((each) => each === period.toLowerCase())

/** When usage is forgotten, as an option of orders and limits. */
export const usageResetOption = z
  .union([z.number().min(1), z.enum(periods)])
  .optional()
  .describe('when usage is forgotten (PriorityUsageResetPeriod): seconds, at multiples of them, or daily, weekly (Sundays), ..., yearly at midnight of UTC by the clock of the workload; default never')
type UsageReset = z.output<typeof usageResetOption>

/** Times of a run at which usage is forgotten. */
export interface Resets {
  /** The first one after a time; `Infinity` without one. */
  after(time: Seconds): Seconds
  /** The last one up to a time; `-Infinity` without one. */
  last(time: Seconds): Seconds
}

/** Usage is never forgotten. */
export const NO_RESETS: Resets = { after: () => Infinity, last: () => -Infinity }

/**
 * The times of an option; calendar times are those of UTC. Of a workload that does not say when it began it is taken to have begun
 * at midnight of 1 January, a Sunday, which is told.
 *
 * Source: Slurm, `_next_reset` of priority/multifactor, which takes the time of its place.
 */
export function resetsOf(reset: UsageReset, { start = 0, warn }: Pick<Env, 'start' | 'warn'>): Resets {
  if (reset === undefined) return NO_RESETS
  if (typeof reset === 'number') return new EqualPeriods(reset, 0)
  if (start < EARLIEST)
    warn(`usageReset is ${reset}, and the workload does not say when it began (UnixStartTime of a SWF log): usage is forgotten as if that had been at midnight of 1 January, a Sunday`)
  const began = start < EARLIEST ? UNKNOWN : start
  if (reset === 'daily') return new EqualPeriods(DAY, began)
  return reset === 'weekly' ? new EqualPeriods(WEEK, began + SINCE_SUNDAY) : new Months(MONTHS[reset], began)
}

class EqualPeriods implements Resets {
  /** `before`: seconds from the beginning of one of them to time 0. */
  constructor(private readonly length: Seconds, private readonly before: Seconds) {}

  after(time: Seconds): Seconds {
    return (Math.floor((time + this.before) / this.length) + 1) * this.length - this.before
  }

  last(time: Seconds): Seconds {
    return Math.floor((time + this.before) / this.length) * this.length - this.before
  }
}

class Months implements Resets {
  /** `began`: what time 0 is, seconds since 1970. */
  constructor(private readonly months: number, private readonly began: Seconds) {}

  after(time: Seconds): Seconds {
    return this.#begin(this.#periodOf(time) + 1)
  }

  last(time: Seconds): Seconds {
    return this.#begin(this.#periodOf(time))
  }

  /** Of the periods since 1970, from 0 on. */
  #periodOf(time: Seconds): number {
    const date = new Date((this.began + time) * 1000)
    return Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / this.months)
  }

  #begin(period: number): Seconds {
    return Date.UTC(1970, period * this.months) / 1000 - this.began
  }
}

import type { Env, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { NEW_YEARS_SUNDAY, RunClock } from '../run-clock.js'

const DAY = 86_400
const WEEK = 7 * DAY
/** Seconds from the beginning of the week to that of 1970, a Thursday; weeks begin on Sundays. */
const SINCE_SUNDAY = 4 * DAY
const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 }

const periods = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const
/** The values of PriorityUsageResetPeriod; with the first two usage is never forgotten, since nothing was used before the run. */
export const usageResetPeriods = ['NONE', 'NOW', 'DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'] as const

/** The option for a PriorityUsageResetPeriod, regardless of case; `undefined`: never. */
export const usageResetOf = (period = ''): (typeof periods)[number] | undefined => periods.find((each) => each === period.toLowerCase())

/** Schema of the option that says when usage is forgotten, for orders and limits. */
export const usageResetOption = z
  .union([z.number().min(1), z.enum(periods)])
  .optional()
  .describe('when usage is forgotten (PriorityUsageResetPeriod): seconds, at multiples of them, or daily, weekly (Sundays), ..., yearly at midnight of the time zone of the workload, of UTC where none is known; default never')
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
 * The times at which usage is forgotten by an option. Calendar times are those of the workload's time zone, or of UTC without one. A workload that does not
 * say when it began is taken to have begun at midnight of 1 January, a Sunday, with a warning.
 *
 * Source: Slurm, `_next_reset` of priority/multifactor, which takes local time. Deviation: days and weeks begin at midnight even after clocks
 * have been changed, where Slurm goes on 24 hours, or 7 times 24 hours, after the last reset.
 */
export function resetsOf(reset: UsageReset, { start, timeZone, warn }: Pick<Env, 'start' | 'timeZone' | 'warn'>): Resets {
  if (reset === undefined) return NO_RESETS
  if (typeof reset === 'number') return new PeriodResets(equal(reset, 0), new RunClock({}, 0))
  const clock = new RunClock({ start, timeZone }, NEW_YEARS_SUNDAY)
  if (!clock.isDated)
    warn(`usageReset is ${reset}, and the workload does not say when it began (UnixStartTime of a SWF log): usage is forgotten as if that had been at midnight of 1 January, a Sunday`)
  const periods = reset === 'daily' ? equal(DAY, 0) : reset === 'weekly' ? equal(WEEK, SINCE_SUNDAY) : months(MONTHS[reset])
  return new PeriodResets(periods, clock)
}

/** Periods of a calendar by number; times are seconds as clocks show them. */
interface Periods {
  of(shown: Seconds): number
  begin(period: number): Seconds
}

/** Periods of equal length; `before`: seconds from the beginning of a period to that of 1970. */
const equal = (length: Seconds, before: Seconds): Periods => ({
  of: (shown) => Math.floor((shown + before) / length), begin: (period) => period * length - before,
})

const months = (length: number): Periods => ({
  of(shown) {
    const date = new Date(shown * 1000)
    return Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / length)
  },
  begin: (period) => Date.UTC(1970, period * length) / 1000,
})

class PeriodResets implements Resets {
  /** Beginning and end of the period that was looked for last. */
  #begin: Seconds = NaN
  #end: Seconds = NaN

  constructor(private readonly periods: Periods, private readonly clock: RunClock) {}

  after(time: Seconds): Seconds {
    this.#find(time)
    return this.#end
  }

  last(time: Seconds): Seconds {
    this.#find(time)
    return this.#begin
  }

  #find(time: Seconds): void {
    if (time >= this.#begin && time < this.#end) return
    let period = this.periods.of(this.clock.shown(time))
    while (this.#beginOf(period) > time) period--
    while (this.#beginOf(period + 1) <= time) period++ // needed where clocks go back over midnight
    this.#begin = this.#beginOf(period)
    this.#end = this.#beginOf(period + 1)
  }

  #beginOf(period: number): Seconds {
    return this.clock.timeOf(this.periods.begin(period))
  }
}

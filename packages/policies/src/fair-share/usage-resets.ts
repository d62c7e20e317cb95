import { LocalClock, type Env, type Seconds } from '@sched/core'
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
 * The times of an option; calendar times are those of the workload's time zone, of UTC without one. Of a workload that does not say when it began it is
 * taken to have begun at midnight of 1 January, a Sunday, which is told.
 *
 * Source: Slurm, `_next_reset` of priority/multifactor, which takes the time of its place. Deviation: days and weeks begin at midnight also after
 * clocks have been changed, where Slurm goes on 24 hours and 7 times 24 hours after the last one.
 */
export function resetsOf(reset: UsageReset, { start = 0, timeZone, warn }: Pick<Env, 'start' | 'timeZone' | 'warn'>): Resets {
  if (reset === undefined) return NO_RESETS
  if (typeof reset === 'number') return new PeriodResets(equal(reset, 0), 0)
  if (start < EARLIEST)
    warn(`usageReset is ${reset}, and the workload does not say when it began (UnixStartTime of a SWF log): usage is forgotten as if that had been at midnight of 1 January, a Sunday`)
  const isKnown = start >= EARLIEST
  const periods = reset === 'daily' ? equal(DAY, 0) : reset === 'weekly' ? equal(WEEK, SINCE_SUNDAY) : months(MONTHS[reset])
  return new PeriodResets(periods, isKnown ? start : UNKNOWN, isKnown && timeZone !== undefined ? new LocalClock(timeZone) : undefined)
}

/** Periods of a calendar by number, in seconds that clocks show. */
interface Periods {
  of(shown: Seconds): number
  begin(period: number): Seconds
}

/** `before`: seconds from the beginning of one of them to 1970. */
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
  /** Of the period that was looked for last. */
  #begin: Seconds = NaN
  #end: Seconds = NaN

  /** `began`: what time 0 is, seconds since 1970. Without a clock that of UTC. */
  constructor(private readonly periods: Periods, private readonly began: Seconds, private readonly clock?: LocalClock) {}

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
    const at = this.began + time
    let period = this.periods.of(this.clock?.shown(at) ?? at)
    while (this.#beginOf(period) > time) period--
    while (this.#beginOf(period + 1) <= time) period++ // where clocks go back over midnight
    this.#begin = this.#beginOf(period)
    this.#end = this.#beginOf(period + 1)
  }

  #beginOf(period: number): Seconds {
    const shown = this.periods.begin(period)
    return (this.clock?.first(shown) ?? shown) - this.began
  }
}

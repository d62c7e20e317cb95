import type { Seconds } from '@sched/core'
import { median } from './quantile.js'

/** Seconds of a day, the unit in which the Omega authors report. */
export const DAY: Seconds = 86_400

/** A figure with a value for each day. */
export interface Daily {
  /** Value over the whole run. */
  readonly overall: number
  /** Median of the daily values; NaN if there are none. */
  readonly median: number
  /** Median of the absolute deviations of the daily values from their median; NaN if there are none. */
  readonly mad: number
  /**
   * Number of days: the whole days of the run, or 1 for a run shorter than a day. For a run longer than a million days it is 0, and there are no
   * medians.
   */
  readonly days: number
}

/** Summarises daily values; days without a value (NaN) are left out. */
export function daily(overall: number, values: readonly number[]): Daily {
  const known = values.filter((value) => !Number.isNaN(value))
  const middle = median(known)
  return { overall, median: middle, mad: median(known.map((value) => (value === middle ? 0 : Math.abs(value - middle)))), days: values.length }
}

/** Most days that get a value of their own: longer times are in another unit by mistake, microseconds for example, and would fill the memory. */
const MOST_DAYS = 1_000_000
/** Number of the day, from 0, at most `MOST_DAYS`. */
export const dayOf = (time: Seconds, day: Seconds): number => Math.min(Math.floor(time / day), MOST_DAYS)

/**
 * Length of each day that counts: the whole days of the run, without the rest after them. A run shorter than a day counts as one day; a run with too
 * many days has none.
 */
export function daysOf(end: Seconds, day: Seconds): Seconds[] {
  const whole = Math.floor(end / day)
  if (whole > MOST_DAYS) return []
  return whole === 0 ? [end] : Array.from({ length: whole }, () => day)
}

/** Time spent, by day: a span that crosses midnight is divided. */
export class BusyTime {
  total: Seconds = 0
  readonly #day: Seconds
  readonly #byDay: number[] = []

  constructor(day: Seconds) {
    this.#day = day
  }

  add(from: Seconds, to: Seconds): void {
    this.total += to - from
    let day = dayOf(from, this.#day)
    for (let start = from; start < to; day++) {
      const end = day < MOST_DAYS ? Math.min(to, (day + 1) * this.#day) : to
      while (this.#byDay.length <= day) this.#byDay.push(0)
      this.#byDay[day] = (this.#byDay[day] as number) + (end - start)
      start = end
    }
  }

  /** Time spent as a fraction of the time of `schedulers` schedulers, in [0, 1]. */
  fraction(end: Seconds, schedulers = 1): Daily {
    const values = daysOf(end, this.#day).map((length, day) => (this.#byDay[day] ?? 0) / length / schedulers)
    return daily(end > 0 ? this.total / end / schedulers : NaN, values)
  }
}

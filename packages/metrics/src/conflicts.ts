import type { Seconds } from '@sched/core'
import { daily, dayOf, daysOf, type Daily } from './busyness.js'

/**
 * Number of transactions with a conflict per transaction without one: 3 means four attempts per job on average. Daily values go by the day of the
 * commit; a day without transactions has no value. Where every transaction conflicted the figure is NaN.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 4.
 */
export class ConflictFraction {
  conflicted = 0
  successful = 0
  readonly #day: Seconds
  readonly #byDay: { conflicted: number; successful: number }[] = []

  constructor(day: Seconds) {
    this.#day = day
  }

  add(isConflicted: boolean, now: Seconds): void {
    const day = dayOf(now, this.#day)
    while (this.#byDay.length <= day) this.#byDay.push({ conflicted: 0, successful: 0 })
    const counts = this.#byDay[day] as { conflicted: number; successful: number }
    if (isConflicted) {
      counts.conflicted++
      this.conflicted++
    } else {
      counts.successful++
      this.successful++
    }
  }

  result(end: Seconds): Daily {
    const values = daysOf(end, this.#day).map((_, day) => {
      const { conflicted, successful } = this.#byDay[day] ?? { conflicted: 0, successful: 0 }
      return conflicted / successful
    })
    const { overall, median, mad, days } = daily(this.conflicted / this.successful, values)
    return { overall: finite(overall), median: finite(median), mad: Number.isFinite(median) ? finite(mad) : NaN, days }
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : NaN)

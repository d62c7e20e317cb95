import type { Seconds } from '@sched/core'
import { daily, dayOf, daysOf, type Daily } from './busyness.js'

/**
 * Transactions with a conflict for each one without: 3 means four attempts per job on average. By the day on which they
 * were committed; a day without any transaction has no value. Infinitely many, where none was without, are no figure (NaN).
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

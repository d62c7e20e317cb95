import { partitionPoint, type Seconds } from '@sched/core'

/** Times of which each comes once. */
interface Span {
  readonly from: Seconds
  readonly to: Seconds
}

/** Spans by their beginnings, so that those of a time are found without a look at all that are over or far ahead. */
export class ByBeginning<T extends Span> {
  readonly #all: readonly T[]
  /** By span: the latest end of it and those before it. */
  readonly #lastEnd: Float64Array

  constructor(all: readonly T[]) {
    this.#all = [...all].sort((a, b) => a.from - b.from)
    let last = -Infinity
    this.#lastEnd = Float64Array.from(this.#all, ({ to }) => (last = Math.max(last, to)))
  }

  /** Visits those that begin before `to` and end after `from`. */
  eachIn(from: Seconds, to: Seconds, visit: (one: T) => void): void {
    for (let i = this.#firstAfter(from); i < this.#all.length; i++) {
      const one = this.#all[i] as T
      if (one.from >= to) return
      if (one.to > from) visit(one)
    }
  }

  /** When the next one begins or ends; `Infinity` if none does. */
  nextChange(now: Seconds): Seconds {
    let next = Infinity
    for (let i = this.#firstAfter(now); i < this.#all.length; i++) {
      const { from, to } = this.#all[i] as T
      if (from > now) return Math.min(next, from)
      if (to > now) next = Math.min(next, to)
    }
    return next
  }

  /** The first one that ends after `now`, if any does; else their number. */
  #firstAfter(now: Seconds): number {
    return partitionPoint(0, this.#all.length, (i) => (this.#lastEnd[i] as number) <= now)
  }
}

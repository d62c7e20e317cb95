import { partitionPoint, type Seconds } from '@sched/core'
import { refuseAmounts, type Window } from './windows.js'

/**
 * Windows of everything for a plan that names nodes. They are apart from what it reserves, since a job may end in the second in which a window begins,
 * and since they are no multiples of `bf_resolution`: both as of Slurm's reservations.
 */
export class WholeWindows {
  /** In order, those that overlap as one: none overlaps another. */
  readonly #from: number[] = []
  readonly #to: number[] = []

  /** Throws `BAD_OPTION` for a window of amounts. */
  constructor(windows: readonly Window[]) {
    refuseAmounts(windows)
    for (const { from, to } of [...windows].sort((a, b) => a.from - b.from)) {
      const last = this.#to.length - 1
      if (last >= 0 && from < (this.#to[last] as number)) this.#to[last] = Math.max(this.#to[last] as number, to)
      else {
        this.#from.push(from)
        this.#to.push(to)
      }
    }
  }

  /** The earliest time from `from` on at which a run of `length` seconds meets no window. */
  clear(from: Seconds, length: Seconds): Seconds {
    let start = from
    for (let i = this.#firstAfter(from); i < this.#to.length && (this.#from[i] as number) < start + length; i++) start = this.#to[i] as number
    return start
  }

  /** When the next window begins after a time; `Infinity` if there is none. */
  next(time: Seconds): Seconds {
    return this.#from.find((from) => from > time) ?? Infinity
  }

  /** The first window that ends after a time; their number if there is none. */
  #firstAfter(time: Seconds): number {
    return partitionPoint(0, this.#to.length, (i) => (this.#to[i] as number) <= time)
  }
}

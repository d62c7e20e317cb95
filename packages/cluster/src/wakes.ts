import { partitionPoint, type Seconds } from '@sched/core'

/** Times at which a policy wants a round. All times that have passed are kept as one until a round answers it. */
export class Wakes {
  /** Distinct times, latest first. */
  readonly #times: Seconds[] = []

  /** The earliest time, which may have passed; `Infinity`: none. */
  get next(): Seconds {
    return this.#times.at(-1) ?? Infinity
  }

  /** All times, of which the earliest may have passed. */
  get all(): readonly Seconds[] {
    return [...this.#times]
  }

  add(time: Seconds): void {
    const times = this.#times
    const at = partitionPoint(0, times.length, (i) => (times[i] as Seconds) > time)
    if (times[at] !== time) times.splice(at, 0, time)
  }

  /** Keeps only the earliest of the times that have come, so that a caller who never asks keeps one. */
  come(now: Seconds): void {
    const times = this.#times
    const { next } = this
    if (next > now) return
    this.asked(now)
    times.push(next)
  }

  /** A round answers all times up to `now`. */
  asked(now: Seconds): void {
    while (this.next <= now) this.#times.pop()
  }
}

import type { Seconds } from '@sched/core'

/** Times at which a policy wants to be asked. Those that have come count as one until somebody has asked it. */
export class Wakes {
  /** Latest first, each once. */
  readonly #times: Seconds[] = []

  /** The earliest, which may have passed; `Infinity`: none. */
  get next(): Seconds {
    return this.#times.at(-1) ?? Infinity
  }

  /** All of them, which may have passed. */
  get all(): readonly Seconds[] {
    return [...this.#times]
  }

  add(time: Seconds): void {
    const times = this.#times
    let low = 0
    let high = times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((times[middle] as Seconds) > time) low = middle + 1
      else high = middle
    }
    if (times[low] !== time) times.splice(low, 0, time)
  }

  /** Of several that have come by now keeps the earliest, so that a caller who never asks keeps one. */
  come(now: Seconds): void {
    const times = this.#times
    const { next } = this
    if (next > now) return
    this.asked(now)
    times.push(next)
  }

  /** The policy is asked now. */
  asked(now: Seconds): void {
    while (this.next <= now) this.#times.pop()
  }
}

import type { Seconds } from '@sched/core'

/**
 * Sampling times at a fixed step, without knowing the length of the run in advance: when `limit` samples have been taken, the step doubles and every
 * other sample kept so far is dropped (see `advance`). So at most `limit` samples are kept, and the number taken grows with the logarithm of the
 * run's length.
 */
export class SampleClock {
  step: Seconds
  /** Time of the next sample. The state that holds until the first event after `next` is the state at `next`. */
  next = Infinity
  readonly #limit: number
  #start = NaN
  #taken = 0

  constructor(step: Seconds, limit: number) {
    this.step = step
    this.#limit = limit
  }

  begin(now: Seconds): void {
    this.#start = now
    this.next = now
  }

  /** Advances to the next sample. True if every other sample kept so far must be dropped: the second, the fourth, ... */
  advance(): boolean {
    this.#taken++
    const isFull = this.#taken === this.#limit
    if (isFull) {
      this.step *= 2
      this.#taken = Math.ceil(this.#taken / 2)
    }
    this.next = this.#start + this.#taken * this.step
    return isFull
  }
}

import type { Env, Seconds } from '@sched/core'

/**
 * Multiples of a length on the clock of the workload, which are times of the run: on a clock that says 08:00:20 at time 0 the first full minute is at 40 s. Of a
 * workload that does not say when it began they are multiples of the length in the time of the run. Fractions of a second of its beginning do not count.
 */
export class ClockMultiples {
  readonly #length: Seconds
  /** How long ago the last multiple was at time 0. */
  readonly #phase: Seconds

  /** `length`: seconds, above 0. */
  constructor(length: Seconds, { start = 0 }: Pick<Env, 'start'>) {
    this.#length = length
    this.#phase = ((Math.floor(start) % length) + length) % length
  }

  /** The last multiple up to a time. */
  down(time: Seconds): Seconds {
    return Math.floor((time + this.#phase) / this.#length) * this.#length - this.#phase
  }

  /** The first multiple from a time on. */
  up(time: Seconds): Seconds {
    return Math.ceil((time + this.#phase) / this.#length) * this.#length - this.#phase
  }
}

import type { Seconds } from '@sched/core'

/** Seconds without a running task or a start after which pending work counts as forgotten by the policy, unless something is expected. */
const STALL = 7 * 86_400

/** The same where it is known that others keep all from it: all that runs waits for what waits, or the architecture never lets it start. A node reports once a day at least. */
const BLOCKED = 86_400

/** What is expected may be a maintenance window, a decision or the set-up of nodes: at most so far away, and not so often in vain. */
const LONGEST = 366 * 86_400
const IN_VAIN = 100

/** Tells waiting for something from being forgotten. */
export class Stall {
  readonly #isBlocked: () => boolean
  #progress: Seconds = -1
  #patience: Seconds = NaN
  #inVain = 0

  /** `isBlocked` is asked once for each progress. */
  constructor(isBlocked: () => boolean) {
    this.#isBlocked = isBlocked
  }

  /** Whether it may be that nothing will come of it: `isAt` knows. */
  isNear(time: Seconds, progress: Seconds): boolean {
    const waited = time - progress
    return waited > BLOCKED && (progress !== this.#progress || waited > this.#patience)
  }

  /** Whether nothing will come of it at `time`, with the next event given. */
  isAt(time: Seconds, progress: Seconds, event: Seconds): boolean {
    if (progress !== this.#progress) {
      this.#inVain = 0
      this.#patience = this.#isBlocked() ? BLOCKED : STALL
    }
    this.#progress = progress
    const waited = time - progress
    if (waited <= this.#patience) return false
    return event === Infinity || waited > LONGEST || (time === event && ++this.#inVain > IN_VAIN)
  }
}

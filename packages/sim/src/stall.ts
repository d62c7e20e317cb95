import type { Seconds } from '@sched/core'

/** Seconds without a running task or a start after which pending jobs count as forgotten by the policy, unless something is expected. */
const STALL = 7 * 86_400

/**
 * The same if it is known that the jobs are blocked: all running tasks wait for them, or the architecture never lets them start. A node reports at
 * least once a day.
 */
const BLOCKED = 86_400

/**
 * An expected event may be a maintenance window, a decision or the set-up of nodes. It may be at most so far away, and may be in vain at most so
 * often.
 */
const LONGEST = 366 * 86_400
const IN_VAIN = 100

/** Distinguishes jobs that wait for something from forgotten ones. */
export class Stall {
  readonly #isBlocked: () => boolean
  #progress: Seconds = -1
  #patience: Seconds = NaN
  #inVain = 0

  /** `isBlocked` is called once for each progress time. */
  constructor(isBlocked: () => boolean) {
    this.#isBlocked = isBlocked
  }

  /** Whether nothing may come of the waiting jobs; if so, ask `isAt`. */
  isNear(time: Seconds, progress: Seconds): boolean {
    const waited = time - progress
    return waited > BLOCKED && (progress !== this.#progress || waited > this.#patience)
  }

  /** Whether nothing will come of the waiting jobs at `time`; `event`: the time of the next event. */
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

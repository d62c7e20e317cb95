import type { Seconds } from '@sched/core'

/** Seconds without a running task or a start after which pending work counts as forgotten by the policy, unless something is expected. */
export const STALL = 7 * 86_400

/** What is expected may be a maintenance window, a decision or the set-up of nodes: at most so far away, and not so often in vain. */
const LONGEST = 366 * 86_400
const IN_VAIN = 100

/** Tells waiting for something from being forgotten. */
export class Stall {
  #progress: Seconds = -1
  #inVain = 0

  /** Whether nothing will come of it at `time`, more than STALL after the latest progress, with the next event given. */
  isAt(time: Seconds, progress: Seconds, event: Seconds): boolean {
    if (event === Infinity || time - progress > LONGEST) return true
    if (progress !== this.#progress) this.#inVain = 0
    this.#progress = progress
    return time === event && ++this.#inVain > IN_VAIN
  }
}

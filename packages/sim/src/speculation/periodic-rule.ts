import type { Seconds } from '@sched/core'

/**
 * What rules have in common by which nodes with room get copies, as in Hadoop 0.20: in place of single nodes that ask, there is a look every few seconds,
 * and where the scheduler gives the room to others, the copies are taken back.
 */
export class PeriodicRule {
  readonly barsNodes = true
  readonly isForNow = true
  readonly isPrompt = false
  readonly #interval: Seconds

  /** `interval`: seconds between two looks at the tasks of a job. */
  constructor(interval: Seconds) {
    this.#interval = interval
  }

  leastDone(): number {
    return 0
  }

  afterLook(now: Seconds): Seconds {
    return now + this.#interval
  }

  afterNews(now: Seconds): Seconds {
    return now + this.#interval
  }
}

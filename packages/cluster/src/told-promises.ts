import type { JobId, LaneId, Policy, Seconds } from '@sched/core'
import type { Work } from './work.js'

interface Parts {
  readonly promised: ((job: string, start: Seconds) => void) | undefined
  readonly work: Work
  readonly policy: Pick<Policy, 'promisedStart'>
  /** The promise no longer holds, and no other has been made. */
  withdrawn(job: string): void
}

/** The jobs of which the caller of a dispatcher has been told a promised start that has not come yet: tells it of promises that no longer hold. */
export class ToldPromises {
  readonly #it: Parts
  readonly #told = new Set<JobId>()
  /** Jobs whose promise was withdrawn; a policy may go by it again without saying so anew. */
  readonly #withdrawn = new Set<JobId>()

  constructor(parts: Parts) {
    this.#it = parts
  }

  made(job: JobId): void {
    this.#withdrawn.delete(job)
    this.#told.add(job)
  }

  /** A task of the job starts, which is what was promised, or the job leaves. */
  over(job: JobId): void {
    this.#withdrawn.delete(job)
    this.#told.delete(job)
  }

  /** After a round: compares with what the policy goes by now. A start that has passed is none. */
  compare(now: Seconds): void {
    const { promised, work } = this.#it
    for (const job of this.#withdrawn) {
      const start = this.#startOf(job, now)
      if (start === undefined) continue
      this.made(job)
      promised?.(work.name(job), start)
    }
    for (const job of this.#told) {
      if (this.#startOf(job, now) !== undefined) continue
      this.over(job)
      if (!this.#waits(job)) continue
      this.#withdrawn.add(job)
      this.#it.withdrawn(work.name(job))
    }
  }

  /** The policy goes on from the memory of another dispatcher, which has told its caller. */
  recall(now: Seconds): void {
    for (const job of this.#it.work.jobs()) if (this.#startOf(job, now) !== undefined) this.made(job)
  }

  #startOf(job: JobId, now: Seconds): Seconds | undefined {
    const start = this.#waits(job) ? this.#it.policy.promisedStart?.(job) : undefined
    return start !== undefined && start >= now ? start : undefined
  }

  #waits(job: JobId): boolean {
    const { work } = this.#it
    for (let lane = 0; lane < work.lanes; lane++) if (work.unplaced(job, lane as LaneId) > 0) return true
    return false
  }
}

import { jobsByName, type JobId, type LaneId, type Policy, type Seconds } from '@sched/core'
import type { Work } from './work.js'

interface Parts {
  readonly promised: ((job: string, start: Seconds) => void) | undefined
  readonly work: Work
  readonly policy: Pick<Policy, 'promisedStart'>
  /** The promise no longer holds, and no other has been made. */
  withdrawn(job: string): void
}

/** Names of waiting jobs of which the caller was told a start last, and of those of which it was told that none holds. */
export interface PromisesMemory {
  readonly told: readonly string[]
  readonly withdrawn: readonly string[]
}

/** Absent for a policy that does not say which promises it goes by: those that it has made may still hold. */
export const toldPromises = (parts: Parts): ToldPromises | undefined => (parts.policy.promisedStart === undefined ? undefined : new ToldPromises(parts))

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

  memory(): PromisesMemory {
    const names = (jobs: ReadonlySet<JobId>) => Array.from(jobs, (job) => this.#it.work.name(job))
    return { told: names(this.#told), withdrawn: names(this.#withdrawn) }
  }

  /** Goes on from what another dispatcher has told its caller, also of promises that the policy makes anew in its next round, or not. */
  recall({ told, withdrawn }: PromisesMemory): void {
    const jobs = jobsByName(this.#it.work)
    const known = (names: readonly string[]) => names.flatMap((name) => jobs.get(name) ?? [])
    for (const job of known(told)) this.#told.add(job)
    for (const job of known(withdrawn)) this.#withdrawn.add(job)
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

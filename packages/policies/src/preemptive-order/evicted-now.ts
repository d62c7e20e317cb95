import { jobsByName, type JobId, type Seconds, type WorkView } from '@sched/core'

/** For the one that takes a scheduler's place. */
interface EvictedMemory {
  /** null: nobody has been evicted. */
  readonly at: Seconds | null
  readonly jobs: readonly string[]
}

/** Jobs that were evicted at this instant, and do not come back at it: two that take from each other would go on for ever. */
export class EvictedNow {
  readonly #work: WorkView
  readonly #jobs = new Set<JobId>()
  #at = NaN

  constructor(work: WorkView) {
    this.#work = work
  }

  /** Whether there are any. */
  get areAny(): boolean {
    return this.#jobs.size > 0
  }

  /** To be called at every look. */
  begin(now: Seconds): void {
    if (now !== this.#at && this.#jobs.size > 0) this.#jobs.clear()
    this.#at = now
  }

  add(job: JobId): void {
    this.#jobs.add(job)
  }

  has(job: JobId): boolean {
    return this.#jobs.size > 0 && this.#jobs.has(job) // as a rule there are none
  }

  onFinish(job: JobId): void {
    if (!this.#work.comesAgain(job)) this.#jobs.delete(job)
  }

  memory(): EvictedMemory {
    return { at: Number.isNaN(this.#at) ? null : this.#at, jobs: Array.from(this.#jobs, (job) => this.#work.name(job)) }
  }

  recall(memory: unknown): void {
    const { at, jobs } = memory as EvictedMemory
    const named = jobsByName(this.#work)
    this.#at = at ?? NaN
    for (const name of jobs) if (named.has(name)) this.#jobs.add(named.get(name) as JobId)
  }
}

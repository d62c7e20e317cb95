import { jobsByName, rememberedJobs, type JobId, type Seconds, type WorkView } from '@sched/core'

/** State of `TakenJobs`, for a scheduler that takes the place of another. */
export interface TakenMemory {
  /** The last look; null: there was none. */
  readonly now: Seconds | null
  readonly at: readonly (readonly [job: string, at: Seconds])[]
  readonly again: readonly string[]
  readonly expected: readonly Seconds[]
}

/**
 * Jobs that have lost tasks to preemption since the last event, where looks that the policy has asked for itself are no events. Such a job takes
 * nothing from others at that instant. Once it has lost tasks at two instants, it takes nothing at later looks, either: two jobs that take
 * from each other in turn would go on for ever.
 */
export class TakenJobs {
  /** When each job last lost a task. */
  readonly #at = new Map<JobId, Seconds>()
  /** Jobs that have lost tasks at more than one instant. */
  readonly #again = new Set<JobId>()
  /** Times of looks that the policy has asked for and that are still to come; there may be several, a moment apart. */
  readonly #expected = new Set<Seconds>()
  #now = NaN

  memory(work: WorkView): TakenMemory {
    const name = (job: JobId) => work.name(job)
    return { now: Number.isNaN(this.#now) ? null : this.#now, at: Array.from(this.#at, ([job, at]) => [name(job), at] as const), again: Array.from(this.#again, name), expected: [...this.#expected] }
  }

  recall({ now, at, again, expected }: TakenMemory, work: WorkView): void {
    const jobs = jobsByName(work)
    this.#now = now ?? NaN
    for (const [job, time] of rememberedJobs(at, work)) this.#at.set(job, time)
    for (const name of again) if (jobs.has(name)) this.#again.add(jobs.get(name) as JobId)
    for (const time of expected) this.#expected.add(time)
  }

  /** To be called at every look; forgets all jobs when the policy has not asked for this one. */
  begin(now: Seconds): void {
    if (now !== this.#now && !this.#expected.has(now)) {
      this.#at.clear()
      this.#again.clear()
    }
    for (const each of this.#expected) if (each <= now) this.#expected.delete(each)
    this.#now = now
  }

  /** Notes that the policy asks for a look at that time, and returns it. */
  expect(next: Seconds): Seconds {
    this.#expected.add(next)
    return next
  }

  add(job: JobId): void {
    const before = this.#at.get(job)
    if (before !== undefined && before !== this.#now) this.#again.add(job)
    this.#at.set(job, this.#now)
  }

  /** To be called when a job leaves: its id may be another's then. */
  forget(job: JobId, work: WorkView): void {
    if (work.comesAgain(job)) return
    this.#at.delete(job)
    this.#again.delete(job)
  }

  /** Whether the job takes nothing at this look. */
  isBarred(job: JobId): boolean {
    return this.#at.get(job) === this.#now || this.#again.has(job)
  }

  /** Whether a job that is barred now may take again at a later look. */
  mayLater(job: JobId): boolean {
    return !this.#again.has(job)
  }
}

import { jobsByName, type JobId, type Seconds, type WorkView } from '@sched/core'

/** Who was taken, for one that takes a scheduler's place. */
export interface TakenMemory {
  /** The last look; null: there was none. */
  readonly now: Seconds | null
  readonly at: readonly (readonly [job: string, at: Seconds])[]
  readonly again: readonly string[]
  readonly expected: readonly Seconds[]
}

/**
 * Jobs of which tasks were taken since something last happened, looks that a policy has asked for itself left out. Who was taken takes
 * nothing at that instant, and nothing at later looks once it was taken at two of them: two that do so to each other in turn would go on for ever.
 */
export class TakenJobs {
  /** When each was taken last. */
  readonly #at = new Map<JobId, Seconds>()
  /** Those that were taken at more than one instant. */
  readonly #again = new Set<JobId>()
  /** Looks that were asked for and have not come: there may be several, a moment apart. */
  readonly #expected = new Set<Seconds>()
  #now = NaN

  memory(work: WorkView): TakenMemory {
    const name = (job: JobId) => work.name(job)
    return { now: Number.isNaN(this.#now) ? null : this.#now, at: Array.from(this.#at, ([job, at]) => [name(job), at] as const), again: Array.from(this.#again, name), expected: [...this.#expected] }
  }

  recall({ now, at, again, expected }: TakenMemory, work: WorkView): void {
    const jobs = jobsByName(work)
    this.#now = now ?? NaN
    for (const [name, time] of at) if (jobs.has(name)) this.#at.set(jobs.get(name) as JobId, time)
    for (const name of again) if (jobs.has(name)) this.#again.add(jobs.get(name) as JobId)
    for (const time of expected) this.#expected.add(time)
  }

  /** To be called at every look. */
  begin(now: Seconds): void {
    if (now !== this.#now && !this.#expected.has(now)) {
      this.#at.clear()
      this.#again.clear()
    }
    for (const each of this.#expected) if (each <= now) this.#expected.delete(each)
    this.#now = now
  }

  /** The policy looks again at that time, whatever happens. */
  expect(next: Seconds): Seconds {
    this.#expected.add(next)
    return next
  }

  add(job: JobId): void {
    const before = this.#at.get(job)
    if (before !== undefined && before !== this.#now) this.#again.add(job)
    this.#at.set(job, this.#now)
  }

  /** Whether the job takes nothing at this look. */
  isBarred(job: JobId): boolean {
    return this.#at.get(job) === this.#now || this.#again.has(job)
  }

  /** Whether a job that is barred is so at this look only. */
  mayLater(job: JobId): boolean {
    return !this.#again.has(job)
  }
}

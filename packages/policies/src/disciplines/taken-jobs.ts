import type { JobId, Seconds } from '@sched/core'

/**
 * Jobs of which tasks were taken since something last happened, looks that a policy has asked for itself left out. Who was taken takes
 * nothing at that instant, and nothing at later looks once it was taken at two of them: two that do so to each other in turn would go on for ever.
 */
export class TakenJobs {
  /** When each was taken last. */
  readonly #at = new Map<JobId, Seconds>()
  /** Those that were taken at more than one instant. */
  readonly #again = new Set<JobId>()
  #now = NaN
  #next = NaN

  /** To be called at every look. */
  begin(now: Seconds): void {
    if (now !== this.#now && now !== this.#next) {
      this.#at.clear()
      this.#again.clear()
    }
    this.#now = now
  }

  /** The policy looks again at that time, whatever happens. */
  expect(next: Seconds): Seconds {
    return (this.#next = next)
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

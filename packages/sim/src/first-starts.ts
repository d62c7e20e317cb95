import type { JobId, Observer, StartRow } from '@sched/core'

/** Tells of the first task of each job that starts: only where jobs follow others is it listened to. */
export class FirstStarts implements Observer {
  readonly #waiting = new Set<JobId>()

  constructor(private readonly tell: (job: JobId) => void) {}

  onSubmit(job: JobId): void {
    this.#waiting.add(job)
  }

  onTasksStart({ job }: StartRow): void {
    if (this.#waiting.delete(job)) this.tell(job)
  }

  onJobEnd(job: JobId): void {
    this.#waiting.delete(job)
  }
}

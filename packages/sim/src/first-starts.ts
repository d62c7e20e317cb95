import type { JobId, Observer, StartRow } from '@sched/core'

/** Reports the first task start of each job. Used only if jobs may follow others. */
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

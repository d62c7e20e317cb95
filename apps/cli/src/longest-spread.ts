import type { JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskId } from '@sched/core'

/** Finds the job whose last task starts latest after its first, repeated and copied tasks too; of equals the one that was first to have such a spread. */
export class LongestSpread implements Observer {
  /** Its id; undefined where no job has a task that starts later than its first. */
  job: string | undefined
  #spread: Seconds = 0
  /** Jobs in the system; the first start is NaN before it. */
  readonly #jobs = new Map<JobId, { readonly id: string; first: Seconds }>()

  onSubmit(job: JobId, { id }: JobSpec): void {
    this.#jobs.set(job, { id, first: NaN })
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    const started = this.#jobs.get(job)
    if (started === undefined) return // it ran when the run began
    if (Number.isNaN(started.first)) started.first = now
    if (now - started.first <= this.#spread) return
    this.#spread = now - started.first
    this.job = started.id
  }

  onJobEnd(job: JobId): void {
    this.#jobs.delete(job)
  }
}

import type { JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskId } from '@sched/core'

/** Finds the job that waits longest for its first task, also one that never gets it; of equals the one that was first to have waited. */
export class LongestWait implements Observer {
  /** Its id; undefined where no job was submitted. */
  job: string | undefined
  #wait: Seconds = -1
  readonly #waiting = new Map<JobId, { readonly id: string; readonly since: Seconds }>()

  onSubmit(job: JobId, { id }: JobSpec, now: Seconds): void {
    this.#waiting.set(job, { id, since: now })
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    this.#over(job, now)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#over(job, now) // given up without a start
  }

  onRunEnd(now: Seconds): void {
    for (const job of this.#waiting.keys()) this.#over(job, now)
  }

  #over(job: JobId, now: Seconds): void {
    const waiting = this.#waiting.get(job)
    if (waiting === undefined) return
    this.#waiting.delete(job)
    if (now - waiting.since <= this.#wait) return
    this.#wait = now - waiting.since
    this.job = waiting.id
  }
}

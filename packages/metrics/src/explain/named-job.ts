import type { JobId, WorkView } from '@sched/core'

/** What a job is called. */
export interface NamedJob {
  /** Its id in the workload. */
  readonly id: string
  /** Its user; empty when the workload gives none. */
  readonly user: string
  /** The queue that it was submitted to. */
  readonly queue: string
}

/** The names of a job that is in the system. */
export const namesOf = (work: WorkView, job: JobId): NamedJob => ({ id: work.name(job), user: work.userName(work.user(job)), queue: work.queueName(work.queue(job)) })

import type { JobId, Seconds, TaskId, WorkView } from '@sched/core'

/**
 * What is taken as one: the tasks of a job that run together or not at all (a gang, or the first task of any other job), or one task that the job
 * can do without, or several of these that run together.
 */
export interface Victim {
  readonly job: JobId
  readonly tasks: readonly TaskId[]
  /** Whether its job would not run without it. */
  readonly isCore: boolean
  /** Whether it is a group of tasks that run together and that its job can do without. */
  readonly isGroup?: boolean
  /** Since when its job runs. */
  readonly since: Seconds
}

/**
 * Order of serving in a queue; below 0: a before b. By priority, then tasks that their job does not run without (KAI's plug-in `elastic`), then by
 * submission.
 */
export const compareServed = (a: Pick<Victim, 'job' | 'isCore'>, b: Pick<Victim, 'job' | 'isCore'>, work: WorkView): number =>
  work.priority(b.job) - work.priority(a.job) || Number(b.isCore) - Number(a.isCore) || work.rank(a.job) - work.rank(b.job)

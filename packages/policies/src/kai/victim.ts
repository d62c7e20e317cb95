import type { JobId, Seconds, TaskId, WorkView } from '@sched/core'

/** What is taken as one: what of a job runs together or not at all (a gang, or the first task of another job), or one task that it can do without. */
export interface Victim {
  readonly job: JobId
  readonly tasks: readonly TaskId[]
  /** Whether its job would not run without. */
  readonly isCore: boolean
  /** Since when its job runs. */
  readonly since: Seconds
}

/** Below 0: in a queue the first is served before the second: by priority, what its job does not run without before the rest (KAI's plug-in `elastic`), then by submission. */
export const compareServed = (a: Pick<Victim, 'job' | 'isCore'>, b: Pick<Victim, 'job' | 'isCore'>, work: WorkView): number =>
  work.priority(b.job) - work.priority(a.job) || Number(b.isCore) - Number(a.isCore) || work.rank(a.job) - work.rank(b.job)

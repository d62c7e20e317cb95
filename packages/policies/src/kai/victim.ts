import type { JobId, Seconds, TaskId } from '@sched/core'

/** What is taken as one: what of a job runs together or not at all (a gang, or the first task of another job), or one task that it can do without. */
export interface Victim {
  readonly job: JobId
  readonly tasks: readonly TaskId[]
  /** Whether its job would not run without. */
  readonly isCore: boolean
  /** Since when its job runs. */
  readonly since: Seconds
}

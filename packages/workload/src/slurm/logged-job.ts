import type { Seconds } from '@sched/core'

/** A job of the log that others may wait for. Times are in seconds since 1970, `Infinity` if unknown. */
export interface LoggedJob {
  readonly id: string
  /** When the workload submits it. */
  readonly submit: Seconds
  readonly start: Seconds
  readonly end: Seconds
}

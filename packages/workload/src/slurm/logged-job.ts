import type { Seconds } from '@sched/core'

/** A job of the log that others may wait for; times in seconds since 1970, `Infinity` where one is not known. */
export interface LoggedJob {
  readonly id: string
  /** When it is submitted. */
  readonly submit: Seconds
  readonly start: Seconds
  readonly end: Seconds
}

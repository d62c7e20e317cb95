import type { JobId, LaneId, Reason, Seconds, TaskId } from '@sched/core'

/** The engine's side of a round: carries out what a draft decides. */
export interface DraftSink {
  /** Accepted claims, from index `from` on: the tasks start now, each on the node of its run. */
  start(tasks: readonly TaskId[], from: number): void
  /** An accepted eviction: its resources are free already; the task is to be killed, or suspended if `isSuspended`. */
  kill(task: TaskId, isSuspended: boolean): void
  /** A job is given up; its running tasks have been killed. */
  abandon(job: JobId): void
  /** Whether anybody listens to `defer`. */
  readonly explained: boolean
  /** A promise that the job starts no later than `start`. */
  reserve(job: JobId, start: Seconds): void
  /** A job was passed over. */
  defer(job: JobId, lane: LaneId, reason: Reason, limit?: string, isPart?: boolean): void
  /** The policy wants another round at `time`. */
  wakeAt(time: Seconds): void
}

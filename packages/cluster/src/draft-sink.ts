import type { JobId, LaneId, Reason, Seconds, TaskId } from '@sched/core'

/** What happens to a draft outside the draft: the engine's side of a round. */
export interface DraftSink {
  /** Accepted claims, from an index on: the tasks start now, each on the node of its run. */
  start(tasks: readonly TaskId[], from: number): void
  /** An accepted eviction: its resources are free already; the task is to be killed, or suspended. */
  kill(task: TaskId, isSuspended: boolean): void
  /** A job is given up of which everything was killed. */
  abandon(job: JobId): void
  /** Whether anybody listens to `defer`. */
  readonly explained: boolean
  /** A promise that the job starts no later than `start`. */
  reserve(job: JobId, start: Seconds): void
  /** A job was passed over. */
  defer(job: JobId, lane: LaneId, reason: Reason, limit?: string): void
  /** The policy wants another round at a time. */
  wakeAt(time: Seconds): void
}

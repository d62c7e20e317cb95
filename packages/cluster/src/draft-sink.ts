import type { JobId, LaneId, NodeId, Reason, Seconds, TaskId } from '@sched/core'

/** What happens to a draft outside the draft: the engine's side of a round. */
export interface DraftSink {
  /** An accepted claim: the task starts now. */
  start(task: TaskId, node: NodeId): void
  /** An accepted eviction: its resources are free already; the task is to be killed. */
  kill(task: TaskId): void
  /** Whether anybody listens to `defer`. */
  readonly explained: boolean
  reserve(job: JobId, start: Seconds): void
  defer(job: JobId, lane: LaneId, reason: Reason): void
  wakeAt(time: Seconds): void
}

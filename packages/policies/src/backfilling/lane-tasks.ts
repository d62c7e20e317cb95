import type { ClusterView, JobId, LaneId, NodeId, Release, TaskId, WorkListener } from '@sched/core'

/** The tasks that run in each lane. */
export class LaneTasks implements WorkListener {
  readonly of: readonly Set<TaskId>[]

  constructor({ lanes }: ClusterView) {
    this.of = lanes.map(() => new Set<TaskId>())
  }

  onClaim(_job: JobId, lane: LaneId, task: TaskId, _node: NodeId): void {
    this.of[lane]?.add(task)
  }

  onRelease(_job: JobId, lane: LaneId, task: TaskId, _node: NodeId, _why: Release): void {
    this.of[lane]?.delete(task)
  }
}

import type { ClusterView, JobId, LaneId, NodeId, TaskId, WorkListener } from '@sched/core'

/** The claimed and running tasks on each node, by lane, in the order of their claims. */
export class TasksByNode implements WorkListener {
  readonly #lanes: readonly (readonly TaskId[][])[]

  constructor({ lanes, nodes }: ClusterView) {
    this.#lanes = lanes.map(() => Array.from({ length: nodes }, () => []))
  }

  on(node: NodeId, lane: LaneId): readonly TaskId[] {
    return this.#of(node, lane)
  }

  onClaim(_: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#of(node, lane).push(task)
  }

  onRelease(_: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    const tasks = this.#of(node, lane)
    tasks.splice(tasks.indexOf(task), 1)
  }

  #of(node: NodeId, lane: LaneId): TaskId[] {
    return this.#lanes[lane]?.[node] as TaskId[]
  }
}

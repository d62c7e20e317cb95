import type { EndRow, JobId, LaneId, NodeId, Seconds, StartRow, TaskEnd, TaskId, TaskRow } from '@sched/core'

/** What the tasks of a row have in common. `stage` is -1 before the first row. */
class Row implements TaskRow {
  stage = -1
  job = 0 as JobId
  lane = 0 as LaneId
  count = 0
  readonly tasks: TaskId[] = []
  readonly nodes: NodeId[] = []

  add(task: TaskId, node: NodeId): void {
    this.tasks[this.count] = task
    this.nodes[this.count++] = node
  }
}

/** Tasks that start in a row at one instant. */
export class Starting extends Row implements StartRow {
  level = -1
}

/** Tasks that end in a row at one instant. */
export class Ending extends Row implements EndRow {
  how: TaskEnd = 'done'
  started: Seconds = NaN
  stopped: Seconds = NaN
  saved: Seconds = NaN
}

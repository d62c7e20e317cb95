import type { Work } from '@sched/cluster'
import type { EndRow, JobId, LaneId, NodeId, Seconds, StartRow, TaskEnd, TaskId, TaskRow } from '@sched/core'
import type { Observers } from './observers.js'

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

/** Tasks that end in a row at one instant. One object for all rows, each of which observers are told of before the next begins. */
export class Ending extends Row implements EndRow {
  how: TaskEnd = 'done'
  started: Seconds = NaN
  stopped: Seconds = NaN
  saved: Seconds = NaN
  readonly #work: Work
  readonly #observers: Observers

  constructor(work: Work, observers: Observers) {
    super()
    this.#work = work
    this.#observers = observers
  }

  /** The row that an end belongs to, new if the present one does not match. */
  rowOf(stage: number, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds): this {
    if (this.stage === stage && this.started === started && this.stopped === stopped && this.count > 0) return this
    this.tell(now)
    const work = this.#work
    this.stage = stage
    this.job = work.stageJob[stage] as JobId
    this.lane = work.stageLane[stage] as LaneId
    this.how = how
    this.started = started
    this.stopped = stopped
    this.saved = 0
    return this
  }

  /** Tells observers of the row, unless it is empty, and empties it. */
  tell(now: Seconds): void {
    if (this.count === 0) return
    this.#observers.onTasksEnd(this, now)
    this.count = 0
  }
}

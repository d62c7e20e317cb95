import type { Env, JobId, LaneId, ShapeId, TaskId, WorkListener } from '@sched/core'

/** Resources that the tasks of one scheduler hold, drafted ones included. */
export class Usage implements WorkListener {
  readonly held: Float64Array
  tasks = 0
  readonly #env: Env
  /** By shape: what a task asks for. */
  readonly #amounts: Float64Array[] = []

  constructor(env: Env) {
    this.#env = env
    this.held = new Float64Array(env.cluster.resources.length)
  }

  onClaim(_job: JobId, lane: LaneId, task: TaskId): void {
    this.#count(lane, task, 1)
  }

  onRelease(_job: JobId, lane: LaneId, task: TaskId): void {
    this.#count(lane, task, -1)
  }

  #count(lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { held } = this
    const shape = this.#env.work.shapeOf(task)
    const amounts = this.#amounts[shape] ?? this.#add(shape, lane)
    this.tasks += sign
    for (let r = 0; r < amounts.length; r++) held[r] = (held[r] as number) + sign * (amounts[r] as number)
  }

  #add(shape: ShapeId, lane: LaneId): Float64Array {
    const { work, cluster } = this.#env
    const amounts = new Float64Array(cluster.resources.length)
    for (const r of cluster.lanes[lane]?.resources ?? []) amounts[r] = work.demand(shape, r)
    this.#amounts[shape] = amounts
    return amounts
  }
}

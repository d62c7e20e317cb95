import type { Env, JobId, LaneId, ResourceId, TaskId, WorkListener } from '@sched/core'

/** What the tasks of one scheduler hold of every resource, those it has drafted included. */
export class Usage implements WorkListener {
  readonly held: Float64Array
  tasks = 0
  readonly #env: Env

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
    const { work, cluster } = this.#env
    const { held } = this
    this.tasks += sign
    const shape = work.shapeOf(task)
    const resources = cluster.lanes[lane]?.resources ?? []
    for (let i = 0; i < resources.length; i++) {
      const r = resources[i] as ResourceId
      held[r] = (held[r] as number) + sign * work.demand(shape, r)
    }
  }
}

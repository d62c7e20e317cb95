import { leastTasks, ownValue, type Env, type JobId, type LaneId, type ResourceId, type ShapeId, type StageSpec } from '@sched/core'
import { addTo } from '../shares/vectors.js'
import type { ClusterQueue, Queues } from './queues.js'

/** What jobs ask of quotas, by resource: that of nodes after transformations, and tasks where a queue counts them. */
export class QuotaDemand {
  readonly #env: Env
  readonly #queues: Queues

  constructor(env: Env, queues: Queues) {
    this.#env = env
    this.#queues = queues
  }

  /** Names of the resources. */
  get resources(): readonly string[] {
    return this.#queues.resources
  }

  /** What so many tasks of a shape ask for. */
  tasks(shape: ShapeId, queue: ClusterQueue, tasks = 1): Float64Array {
    const { work, cluster } = this.#env
    return this.#counted((r) => work.demand(shape, r as ResourceId), cluster.resources.length, queue, tasks)
  }

  /** What the tasks of a job ask for that must start together; each counts the demand of its own stage. */
  together(job: JobId, lane: LaneId, queue: ClusterQueue): Float64Array {
    const all = new Float64Array(this.#queues.resources.length)
    for (const { shape, tasks } of this.#env.work.parts(job, lane)) addTo(all, this.tasks(shape, queue, tasks), 1)
    return all
  }

  /** What a group of stages asks for to start at once. */
  stages(stages: readonly StageSpec[], queue: ClusterQueue): Float64Array {
    const { resources } = this.#env.cluster
    const all = new Float64Array(this.#queues.resources.length)
    for (const stage of stages) addTo(all, this.#counted((r) => ownValue(stage.demand, resources[r] as string) ?? 0, resources.length, queue, leastTasks(stage)), 1)
    return all
  }

  #counted(demandOf: (r: number) => number, ofNodes: number, queue: ClusterQueue, tasks: number): Float64Array {
    const asked = new Float64Array(this.#queues.resources.length)
    for (let r = 0; r < ofNodes; r++) asked[r] = demandOf(r)
    const counted = this.#queues.transformations.of(asked)
    for (const r of queue.uncounted) counted[r] = 0
    if (queue.pods >= 0) counted[queue.pods] = 1
    for (let r = 0; r < counted.length; r++) counted[r] = (counted[r] as number) * tasks
    return counted
  }
}

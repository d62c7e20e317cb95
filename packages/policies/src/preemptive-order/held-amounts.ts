import type { ClusterView, Env, JobId, LaneId, NodeId, ResourceId, Round, TaskId, WorkListener, WorkView } from '@sched/core'
import { TasksByJob } from '../disciplines/tasks-by-job.js'

/** What each job holds in a lane, claimed and running, by resource of the lane; and which may be evicted. */
export class HeldAmounts implements WorkListener {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #tasks: TasksByJob
  readonly #lanes: readonly Map<JobId, Float64Array>[]

  constructor(env: Env) {
    this.#cluster = env.cluster
    this.#work = env.work
    this.#tasks = new TasksByJob(env)
    this.#lanes = env.cluster.lanes.map(() => new Map())
  }

  /** Of a job that has claimed or running tasks in the lane. */
  of(job: JobId, lane: LaneId): Float64Array {
    return this.#lanes[lane]?.get(job) as Float64Array
  }

  /** Its claimed and running tasks in the lane. */
  tasksOf(job: JobId, lane: LaneId): readonly TaskId[] {
    return this.#tasks.in(lane).get(job) ?? []
  }

  /** Whether all that runs of it may go: none has just been claimed, or is on a node that is drained or out of sight. */
  mayGo(job: JobId, { nodes, lane }: Round): boolean {
    const tasks = this.#tasks.in(lane).get(job)
    if (tasks === undefined || this.#work.preemptible(job) === false) return false
    const seesAll = nodes.length === this.#cluster.nodes
    for (const task of tasks) {
      const node = this.#work.nodeOf(task) as NodeId
      if (Number.isNaN(this.#work.started(task)) || !this.#cluster.up(node) || !(seesAll || nodes.includes(node))) return false
    }
    return true
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#tasks.onClaim(job, lane, task)
    const held = this.#lanes[lane] as Map<JobId, Float64Array>
    if (!held.has(job)) held.set(job, new Float64Array(this.#cluster.lanes[lane]?.resources.length ?? 0))
    this.#add(job, lane, task, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#tasks.onRelease(job, lane, task)
    if (this.#tasks.in(lane).has(job)) this.#add(job, lane, task, -1)
    else this.#lanes[lane]?.delete(job)
  }

  #add(job: JobId, lane: LaneId, task: TaskId, sign: number): void {
    const held = this.of(job, lane)
    const shape = this.#work.shapeOf(task)
    const resources = this.#cluster.lanes[lane]?.resources ?? []
    for (let i = 0; i < resources.length; i++) held[i] = (held[i] as number) + sign * this.#work.demand(shape, resources[i] as ResourceId)
  }
}

/** What is free on the nodes in sight that are up, by resource of the lane. */
export function freeInSight({ cluster, lane, nodes }: Round): Float64Array {
  const free = new Float64Array(cluster.lanes[lane]?.resources.length ?? 0)
  const resources = cluster.lanes[lane]?.resources ?? []
  for (let i = 0; i < resources.length; i++)
    for (const node of nodes) if (cluster.up(node)) free[i] = (free[i] as number) + cluster.free(node, resources[i] as ResourceId)
  return free
}

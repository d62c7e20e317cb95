import { grown, type Env, type JobId, type LaneId, type ResourceId, type ShapeId, type TaskId } from '@sched/core'
import type { Queue, QueueTree } from './queue-tree.js'

/**
 * What jobs and queues use and want, by resource: `[job * resources + resource]`, and the same by queue, where parents include all
 * queues inside them. A queue wants no more than its maximum; a parent wants the sum of what the queues inside it want, within its own maximum.
 */
export class Usage {
  jobs = new Float64Array(64)
  queues = new Float64Array(64)
  #jobDemand = new Float64Array(64)
  #queueDemand = new Float64Array(64)
  #maxima = new Float64Array(64)
  /** The smallest amount per task that ever waited in a queue, as a bound for quick tests. */
  #least = new Float64Array(64).fill(Infinity)
  /** `[job * lanes + lane]`: the shape of the job's next task as last noted. */
  readonly #shape: (ShapeId | undefined)[] = []
  readonly #env: Env
  readonly #tree: readonly Queue[]
  readonly #parents: readonly number[]
  readonly #queueOf: (job: JobId) => number
  readonly #n: number

  constructor(env: Env, tree: QueueTree, queueOf: (job: JobId) => number) {
    this.#env = env
    this.#tree = tree.queues
    this.#parents = tree.parents
    this.#queueOf = queueOf
    this.#n = env.cluster.resources.length
  }

  rowOfJob = (job: JobId): number => job * this.#n
  rowOfQueue = (queue: number): number => queue * this.#n
  ofJob = (job: JobId, r: ResourceId): number => this.jobs[job * this.#n + r] as number
  ofQueue = (queue: number, r: ResourceId): number => this.queues[queue * this.#n + r] as number
  demandOfJob = (job: JobId, r: ResourceId): number => this.#jobDemand[job * this.#n + r] as number
  demandOfQueue = (queue: number, r: ResourceId): number => Math.min(this.#queueDemand[queue * this.#n + r] as number, this.#maxima[queue * this.#n + r] as number)
  leastWanted = (queue: number, r: ResourceId): number => this.#least[queue * this.#n + r] as number

  addQueue(id: number): void {
    const size = this.#tree.length * this.#n
    if (size > this.queues.length) {
      this.queues = grown(this.queues, size)
      this.#queueDemand = grown(this.#queueDemand, size)
      this.#least = grown(this.#least, size, Infinity)
      this.#maxima = grown(this.#maxima, size)
    }
    this.#maxima.set((this.#tree[id] as Queue).maxResources, id * this.#n)
  }

  addJob(job: JobId): void {
    const end = (job + 1) * this.#n
    if (end > this.jobs.length) {
      this.jobs = grown(this.jobs, end)
      this.#jobDemand = grown(this.#jobDemand, end)
    }
    this.jobs.fill(0, job * this.#n, end)
    this.#jobDemand.fill(0, job * this.#n, end)
    for (let lane = 0; lane < this.#env.cluster.lanes.length; lane++) this.#shape[job * this.#env.cluster.lanes.length + lane] = undefined
  }

  /** A job has ended: it uses and wants nothing. Returns whether it has wanted something until now, as one does that is cancelled. */
  removeJob(job: JobId): boolean {
    let isNew = false
    for (let r = 0; r < this.#n; r++) {
      const left = this.#jobDemand[job * this.#n + r] as number
      if (left === 0) continue
      isNew = true
      this.#changeDemand(this.#queueOf(job), r, -left)
      this.#jobDemand[job * this.#n + r] = 0
    }
    return isNew
  }

  change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { work, cluster } = this.#env
    const shape = work.shapeOf(task)
    const resources = cluster.lanes[lane]?.resources ?? []
    const leaf = this.#queueOf(job)
    for (const r of resources) {
      const amount = sign * work.demand(shape, r)
      if (amount === 0) continue
      add(this.jobs, job * this.#n + r, amount)
      for (let queue = leaf; queue >= 0; queue = this.#above(queue)) add(this.queues, queue * this.#n + r, amount)
    }
  }

  /** Counts what the job uses and could use now; returns whether that changed. */
  countDemand(job: JobId, lane: LaneId): boolean {
    const { work, cluster } = this.#env
    const unplaced = work.unplaced(job, lane)
    const shape = unplaced > 0 ? work.shape(job, lane) : undefined
    if (shape !== undefined) this.#want(job, lane, shape)
    let isNew = false
    for (const r of cluster.lanes[lane]?.resources ?? []) {
      const at = job * this.#n + r
      const change = (this.jobs[at] as number) + (shape === undefined ? 0 : unplaced * work.demand(shape, r)) - (this.#jobDemand[at] as number)
      if (change === 0) continue
      isNew = true
      add(this.#jobDemand, at, change)
      this.#changeDemand(this.#queueOf(job), r, change)
    }
    return isNew
  }

  /** Changes what a leaf wants, and what the queues around it want, each within its maximum. */
  #changeDemand(leaf: number, r: number, by: number): void {
    let change = by
    for (let queue = leaf; queue >= 0 && change !== 0; queue = this.#above(queue)) {
      const at = queue * this.#n + r
      const most = this.#maxima[at] as number
      const before = this.#queueDemand[at] as number
      const after = before + change
      this.#queueDemand[at] = after
      if (most < Infinity) change = Math.min(after, most) - Math.min(before, most)
    }
  }

  /** Reads the maxima anew and counts with them what parents want. */
  recount(): void {
    for (const { id, maxResources } of this.#tree) this.#maxima.set(maxResources, id * this.#n)
    for (let queue = this.#tree.length - 1; queue >= 0; queue--) {
      const { isParent, children } = this.#tree[queue] as Queue
      if (isParent) for (let r = 0; r < this.#n; r++) this.#queueDemand[queue * this.#n + r] = children.reduce((sum, child) => sum + this.demandOfQueue(child, r as ResourceId), 0)
    }
  }

  /** Notes the shape of the job's next task if it has changed. */
  #want(job: JobId, lane: LaneId, shape: ShapeId): void {
    const at = job * this.#env.cluster.lanes.length + lane
    if (this.#shape[at] === shape) return
    this.#shape[at] = shape
    for (const r of this.#env.cluster.lanes[lane]?.resources ?? []) {
      const asked = this.#env.work.demand(shape, r)
      for (let queue = this.#queueOf(job); queue >= 0; queue = this.#above(queue))
        if (asked < (this.#least[queue * this.#n + r] as number)) this.#least[queue * this.#n + r] = asked
    }
  }

  #above(queue: number): number {
    return this.#parents[queue] as number
  }
}

const add = (column: Float64Array, at: number, amount: number): void => {
  column[at] = (column[at] as number) + amount
}

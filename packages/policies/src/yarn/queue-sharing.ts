import type { Env, JobId, LaneId, ResourceId, Seconds, Sharing } from '@sched/core'
import { WaterFill } from '../shares/water-fill.js'
import { divideAmongQueues, queueShares, type ShareEntry } from './queue-shares.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { Usage } from './usage.js'

/**
 * Shares of a queue tree. The scalar view, for wrappers that know only one amount, is of the resource that `fair` compares
 * (slots, on a lane of slots) and has no timeouts; the rest is by resource.
 */
export class QueueSharing implements Sharing {
  readonly #env: Env
  readonly #tree: QueueTree
  readonly #usage: Usage
  readonly #jobs: readonly number[]
  readonly #weight: (job: JobId, lane: LaneId) => number
  readonly #memory: readonly ResourceId[]
  readonly #jobsOf: Set<JobId>[] = []
  readonly #level = new WaterFill()
  readonly #mayRun: (job: JobId) => boolean
  readonly poolOf: (job: JobId) => number

  /** `jobs` are the admitted jobs by queue, `weight` that of a job among its neighbours. */
  constructor(env: Env, tree: QueueTree, usage: Usage, jobs: readonly number[], poolOf: (job: JobId) => number, weight: (job: JobId, lane: LaneId) => number, memory: readonly ResourceId[], mayRun: (job: JobId) => boolean) {
    this.#env = env
    this.#tree = tree
    this.#usage = usage
    this.#jobs = jobs
    this.#weight = weight
    this.#memory = memory
    this.poolOf = poolOf
    this.#mayRun = mayRun
  }

  addJob(job: JobId, queue: number): void {
    ;(this.#jobsOf[queue] ??= new Set()).add(job)
  }

  removeJob(job: JobId, queue: number): void {
    this.#jobsOf[queue]?.delete(job)
  }

  // ---- by resource ----

  get queues(): readonly Queue[] {
    return this.#tree.queues
  }

  usage = (queue: number, r: ResourceId): number => this.#usage.ofQueue(queue, r)
  demandOf = (queue: number, r: ResourceId): number => Math.min(this.#usage.demandOfQueue(queue, r), (this.#tree.queues[queue] as Queue).maxResources[r] as number)
  usageOfJob = (job: JobId, r: ResourceId): number => this.#usage.ofJob(job, r)
  demandOfJob = (job: JobId, r: ResourceId): number => this.#usage.demandOfJob(job, r)
  /** The resource that `fair` compares in a lane. */
  memory = (lane: LaneId): ResourceId => this.#memory[lane] as ResourceId

  /** Instantaneous fair share of every queue of one resource: only queues with jobs that may run take part. */
  sharesOf(r: ResourceId): Float64Array {
    const { queues } = this.#tree
    const entries = queues.map(({ id, weight, minResources, maxResources }): ShareEntry => ({
      weight, min: minResources[r] as number, max: maxResources[r] as number, active: (this.#jobs[id] as number) > 0,
    }))
    return queueShares({ parents: queues.map(({ parent }) => parent), entries }, this.#env.cluster.capacity(r))
  }

  /** Fair share of every given job of a leaf of one resource out of the leaf's own; under fifo all goes to the first. */
  jobShares(leaf: number, jobs: readonly JobId[], r: ResourceId, lane: LaneId, share: number): Float64Array {
    const shares = new Float64Array(jobs.length)
    const { policy } = this.#tree.queues[leaf] as Queue
    if (policy === 'fifo') {
      if (jobs.length > 0) shares[0] = share
    } else divideAmongQueues(jobs.map((job) => ({ weight: this.#weight(job, lane), min: 0, max: Infinity, active: true })), share, shares, this.#level)
    return shares
  }

  /** Jobs of a leaf that may run, by priority and submission; appended to `out`. */
  admitted(leaf: number, out: JobId[]): void {
    const { work } = this.#env
    for (const job of this.#jobsOf[leaf] ?? []) if (this.#mayRun(job)) out.push(job)
    out.sort((a, b) => work.priority(b) - work.priority(a) || work.rank(a) - work.rank(b))
  }

  // ---- as one amount ----

  get pools(): number {
    return this.#tree.queues.length
  }

  name = (queue: number): string => (this.#tree.queues[queue] as Queue).path
  parent = (queue: number): number => (this.#tree.queues[queue] as Queue).parent
  isLeaf = (queue: number): boolean => !(this.#tree.queues[queue] as Queue).isParent
  running = (queue: number, lane: LaneId): number => this.#usage.ofQueue(queue, this.memory(lane))
  demand = (queue: number, lane: LaneId): number => this.demandOf(queue, this.memory(lane))
  minShare = (queue: number, lane: LaneId): number => (this.#tree.queues[queue] as Queue).minResources[this.memory(lane)] as number
  fairShares = (lane: LaneId): Float64Array => this.sharesOf(this.memory(lane))
  minTimeout = (): Seconds => Infinity

  jobs(queue: number, out: JobId[]): void {
    for (const job of this.#jobsOf[queue] ?? []) out.push(job)
  }

  markStarved(): void {
    // YARN delays jobs of starved queues like all others
  }

  starved = (): boolean => false
}

import type { Env, JobId, LaneId, ResourceId, Round, Seconds, Sharing } from '@sched/core'
import { WaterFill } from '../shares/water-fill.js'
import { raiseTogether, sharesDown, type ShareEntry } from './queue-shares.js'
import { MasterShares } from './master-shares.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { Usage } from './usage.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** What the order tells about queues and jobs. */
interface QueueFacts {
  /** By queue: the number of jobs that may run in it and in the queues inside it. */
  readonly jobs: readonly number[]
  readonly poolOf: (job: JobId) => number
  /** The weight of a job among the jobs of its leaf. */
  readonly weightOf: (job: JobId, lane: LaneId) => number
  /** Per lane: the resource that `fair` compares. */
  readonly memory: readonly ResourceId[]
  readonly mayRun: (job: JobId) => boolean
}

/**
 * Shares of a queue tree. The `Sharing` interface, for wrappers that know only one amount, is about the resource that `fair` compares
 * (slots, on a lane of slots) and has no timeouts; all else is by resource.
 */
export class QueueSharing implements Sharing {
  readonly #env: Env
  readonly #tree: QueueTree
  readonly #usage: Usage
  readonly #jobs: readonly number[]
  readonly #weightOf: (job: JobId, lane: LaneId) => number
  readonly #memory: readonly ResourceId[]
  readonly #jobsOf: Set<JobId>[] = []
  readonly #level = new WaterFill()
  readonly #weights: number[] = []
  readonly #mayRun: (job: JobId) => boolean
  /** By resource: what queues bring to the division, and their shares. */
  readonly #entries: Mutable<ShareEntry>[][] = []
  readonly #shares: Float64Array[] = []
  /** By resource: the capacity of which the shares are; empty if other queues have jobs by now, so that shares are out of date. */
  readonly #divided: number[] = []
  #children: (readonly number[])[] = []
  readonly #priority: number[] = []
  #hasPriorities = false
  readonly poolOf: (job: JobId) => number
  readonly masters: MasterShares

  constructor(env: Env, tree: QueueTree, usage: Usage, { jobs, poolOf, weightOf, memory, mayRun }: QueueFacts) {
    this.#env = env
    this.#tree = tree
    this.#usage = usage
    this.#jobs = jobs
    this.#weightOf = weightOf
    this.#memory = memory
    this.poolOf = poolOf
    this.#mayRun = mayRun
    this.masters = new MasterShares(env, tree, this)
  }

  /** Adds a job to its leaf; to be called in order of submission. */
  addJob(job: JobId, queue: number): void {
    const priority = this.#env.work.priority(job)
    this.#priority[job] = priority
    if (priority !== 0) this.#hasPriorities = true
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
  demandOf = (queue: number, r: ResourceId): number => this.#usage.demandOfQueue(queue, r)
  usageOfJob = (job: JobId, r: ResourceId): number => this.#usage.ofJob(job, r)
  demandOfJob = (job: JobId, r: ResourceId): number => this.#usage.demandOfJob(job, r)
  /** The resource that `fair` compares in a lane. */
  memory = (lane: LaneId): ResourceId => this.#memory[lane] as ResourceId

  /** Whether with the job's next task its queue and those around it stay within their maxima, and masters within their part. */
  hasRoomFor(job: JobId, { lane, cluster }: Round): boolean {
    const { work } = this.#env
    if (!this.masters.allow(job, lane, cluster)) return false
    const shape = work.shape(job, lane)
    for (let id = this.poolOf(job); id >= 0; id = (this.#tree.queues[id] as Queue).parent) {
      const { maxResources } = this.#tree.queues[id] as Queue
      for (const r of cluster.lanes[lane]?.resources ?? []) if (this.#usage.ofQueue(id, r) + work.demand(shape, r) > (maxResources[r] as number)) return false
    }
    return true
  }

  /**
   * The instantaneous fair share of every queue of one resource; only queues with jobs that may run take part. Valid until the next call for that
   * resource.
   */
  sharesOf(r: ResourceId): Float64Array {
    const capacity = this.#env.cluster.capacity(r)
    const known = this.#shares[r]
    const isOpen = known !== undefined && known.length === this.#tree.queues.length
    if (isOpen && this.#divided[r] === capacity) return known
    if (!isOpen) this.#open(r)
    const entries = this.#entries[r] as Mutable<ShareEntry>[]
    for (let id = 0; id < entries.length; id++) (entries[id] as Mutable<ShareEntry>).active = (this.#jobs[id] as number) > 0
    const shares = this.#shares[r] as Float64Array
    sharesDown(this.#children, entries, capacity, shares, this.#level)
    this.#divided[r] = capacity
    return shares
  }

  /** To be called when other queues than before have jobs that may run. */
  changed(): void {
    this.#divided.length = 0
  }

  /** Forgets the columns, after minima and maxima have changed. */
  resize(): void {
    this.#shares.length = 0
  }

  /** Makes the columns of a resource anew, with the queues that were added. */
  #open(r: ResourceId): void {
    const { queues } = this.#tree
    this.#children = queues.map(({ children }) => children)
    this.#entries[r] = queues.map(({ weight, minResources, maxResources }) => ({ weight, min: minResources[r] as number, max: maxResources[r] as number, active: false }))
    this.#shares[r] = new Float64Array(queues.length)
  }

  /**
   * Divides the fair share of a leaf, `shares[r][leaf]` by resource, among the given jobs, in whole amounts; a leaf made since has none yet. Writes `out[i *
   * resources + r]` for job i. Under fifo the first job gets everything.
   */
  jobShares(leaf: number, jobs: readonly JobId[], lane: LaneId, shares: readonly Float64Array[], out: Float64Array): void {
    const step = shares.length
    if ((this.#tree.queues[leaf] as Queue).policy === 'fifo') {
      for (let r = 0; r < step; r++) for (let i = 0; i < jobs.length; i++) out[i * step + r] = i === 0 ? (shares[r]?.[leaf] ?? 0) : 0
      return
    }
    const weights = this.#weights
    let sum = 0
    let isEven = true
    for (let i = 0; i < jobs.length; i++) {
      const weight = this.#weightOf(jobs[i] as JobId, lane)
      weights[i] = weight
      sum += weight
      isEven &&= weight === weights[0]
    }
    for (let r = 0; r < step; r++) {
      const share = shares[r]?.[leaf] ?? 0
      if (isEven) {
        const each = sum === 0 ? 0 : Math.ceil(share / jobs.length)
        for (let i = 0, at = r; i < jobs.length; i++, at += step) out[at] = each
      } else this.#uneven(weights.slice(0, jobs.length), sum, share, out, r, step)
    }
  }

  #uneven(weights: readonly number[], sum: number, share: number, out: Float64Array, from: number, step: number): void {
    const entries = weights.map((weight) => ({ weight, min: 0, max: Infinity, active: true }))
    const whole = Float64Array.from(weights, (weight) => Math.floor((weight * share) / sum))
    raiseTogether([...entries.keys()], entries, share, whole)
    for (const [i, each] of whole.entries()) out[from + i * step] = each
  }

  /** Writes the jobs of a leaf that may run, by priority and submission, to `out`, which must be empty. */
  admitted(leaf: number, out: JobId[]): void {
    const jobs = this.#jobsOf[leaf]
    if (jobs === undefined) return
    for (const job of jobs) if (this.#mayRun(job)) out.push(job)
    if (jobs.size > 1 && this.#hasPriorities) out.sort((a, b) => (this.#priority[b] as number) - (this.#priority[a] as number) || this.#env.work.rank(a) - this.#env.work.rank(b))
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

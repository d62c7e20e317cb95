import type { ClusterView, Env, JobId, LaneId, ResourceId, Seconds, TaskId, WorkView } from '@sched/core'
import type { PoolLists } from '../orders/pool-lists.js'
import { fairShares, type Claimant } from './fair-shares.js'
import type { Claims } from './options.js'
import type { Meter, PastUsage } from './past-usage.js'
import type { Standing } from './queue-order.js'

/** A queue in one lane. */
export interface Queue extends Standing {
  readonly allocated: Float64Array
  /** The part of that which belongs to jobs that are never preempted. */
  readonly fixed: Float64Array
  readonly fairShare: Float64Array
  /** Its steady fair share, where others reclaim by that (`SteadyShares`). */
  readonly steadyShare: Float64Array
  readonly asked: Float64Array
  /** What its jobs wait for. */
  readonly pending: Float64Array
  /** By resource: the meter of what it has had; present where past usage counts. */
  readonly had: readonly Meter[] | undefined
  /** Whether it has a limit on any resource. */
  readonly isLimited: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The pools inside a pool among which a division divides, in the order of their ties, and by resource what they claim. */
interface Claiming {
  readonly pools: readonly number[]
  readonly claimants: readonly (readonly Mutable<Claimant>[])[]
}

/**
 * What every queue has and waits for, kept current task by task, and its fair share, divided anew when that has changed. Queues are the pools of a tree; 0 is the
 * root, which is none. Every division costs a pass over the queues with any jobs.
 */
export class Queues {
  /** By resource: what there was at the last division. */
  readonly capacity: Float64Array
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #now: () => Seconds
  readonly #lists: PoolLists
  readonly #past: PastUsage | undefined
  /** `[lane][pool]`. */
  readonly #queues: readonly Queue[][]
  readonly #leafOf: number[] = []
  /** `[lane][job * resources + resource]`: the job's part of `pending`. */
  readonly #waits: readonly number[][]
  /** `[lane][pool]`: the pools inside it that have anything or wait for it, and some that no longer do. */
  readonly #active: readonly Set<number>[][]
  /** `[lane][pool]`: those that may no longer do, and these pools as of the last division. */
  readonly #maybeIdle: readonly Set<number>[][]
  readonly #claiming: readonly Claiming[][]
  /**
   * `[lane][pool * resources + resource]`: the claim in a division; the fair share that it gave; and, while the queue has and waits for more than that, within
   * its limit, no fair share depends on how much it is. Columns beside the queues, since a division passes over thousands.
   */
  readonly #claimants: readonly Mutable<Claimant>[][]
  readonly #shares: readonly number[][]
  readonly #bounds: readonly number[][]
  /** By lane: whether fair shares are to be computed anew; and whether something has changed that does not make them so by itself, but counts once they are. */
  readonly #isStale: boolean[]
  readonly #isBehind: boolean[]
  /** By lane: queues that may have come to another place among their siblings since these were last sorted. */
  readonly #touched: readonly Set<number>[]
  readonly #before: Float64Array

  constructor(env: Env, lists: PoolLists, past: PastUsage | undefined) {
    const { cluster, work } = env
    this.#cluster = cluster
    this.#work = work
    this.#now = () => env.now()
    this.#lists = lists
    this.#past = past
    this.#queues = cluster.lanes.map(() => [])
    this.#active = cluster.lanes.map(() => [])
    this.#maybeIdle = cluster.lanes.map(() => [])
    this.#claiming = cluster.lanes.map(() => [])
    this.#claimants = cluster.lanes.map(() => [])
    this.#shares = cluster.lanes.map(() => [])
    this.#bounds = cluster.lanes.map(() => [])
    this.#waits = cluster.lanes.map(() => [])
    this.#isStale = cluster.lanes.map(() => true)
    this.#isBehind = cluster.lanes.map(() => false)
    this.#touched = cluster.lanes.map(() => new Set())
    this.capacity = new Float64Array(cluster.resources.length)
    this.#before = new Float64Array(cluster.resources.length)
  }

  /** Adds the next pool, with what it claims; it must be in the lists already. */
  add(path: string, claims: Claims): void {
    const { priority, quota, limit, weight } = claims
    const width = this.#cluster.resources.length
    const column = (): Float64Array => new Float64Array(width)
    for (const [lane, queues] of this.#queues.entries()) {
      queues.push({ ...claims, isLimited: isLimited(claims), had: this.#past?.meters(`${lane} ${path}`), allocated: column(), fixed: column(), pending: column(), fairShare: column(), steadyShare: column(), asked: column() })
      for (const pools of [this.#active, this.#maybeIdle]) pools[lane]?.push(new Set())
      for (let r = 0; r < width; r++) {
        this.#claimants[lane]?.push({ priority, quota: quota[r] as number, limit: limit[r] as number, weight: weight[r] as number, request: 0 })
        this.#shares[lane]?.push(0)
        this.#bounds[lane]?.push(Infinity)
      }
    }
  }

  of(pool: number, lane: LaneId): Queue {
    return this.#queues[lane]?.[pool] as Queue
  }

  /** The pool of a job's queue. */
  leaf(job: JobId): number {
    return this.#leafOf[job] as number
  }

  /** The pools inside a pool that have anything or wait for it, and some that no longer do. */
  inside(pool: number, lane: LaneId): Set<number> {
    return this.#active[lane]?.[pool] as Set<number>
  }

  /** Queues that may have come to another place among their siblings; who has sorted them clears the set. */
  touched(lane: LaneId): Set<number> {
    return this.#touched[lane] as Set<number>
  }

  /** What a queue has, is due or asks for next has changed, so that it may have come to another place, and those around it. */
  touch(queue: number, lane: LaneId): void {
    for (let pool = queue; pool > 0; pool = this.#lists.parent(pool)) this.touched(lane).add(pool)
  }

  resources(lane: LaneId): readonly ResourceId[] {
    return this.#cluster.lanes[lane]?.resources ?? []
  }

  // ---- fair shares ----

  /** Divides what there is anew in all lanes at the next reading of each. */
  outdate(): void {
    this.#isStale.fill(true)
  }

  /** Divides what there is among the queues of a lane, if that or what they ask for has changed. */
  divide(lane: LaneId): void {
    if (!this.#hasChanged(lane)) return
    this.#divide(0, lane, this.capacity)
    this.#isBehind[lane] = false
  }

  #hasChanged(lane: LaneId): boolean {
    let hasOther = false
    for (const r of this.resources(lane)) {
      hasOther ||= this.capacity[r] !== this.#cluster.capacity(r)
      this.capacity[r] = this.#cluster.capacity(r)
    }
    if (hasOther) for (let pool = 1; pool < (this.#queues[lane] as Queue[]).length; pool++) this.touched(lane).add(pool)
    const hasChanged = hasOther || this.#isStale[lane] === true
    this.#isStale[lane] = false
    return hasChanged
  }

  /** Divides what a pool is due among the pools inside it, and so on down. */
  #divide(pool: number, lane: LaneId, total: ArrayLike<number>): void {
    const { pools, claimants } = this.#claimingIn(pool, lane)
    const bounds: number[] = []
    for (const r of this.resources(lane)) {
      const claims = claimants[r] as readonly Mutable<Claimant>[]
      if (this.#past !== undefined) for (const [i, child] of pools.entries()) (claims[i] as Mutable<Claimant>).usage = this.#usageOf(child, lane, r)
      const shares = fairShares(total[r] as number, claims, this.#cluster.deviceSize(r) || 1, this.#past?.kValue, bounds)
      this.#give(pools, lane, r, shares, bounds)
    }
    for (const child of pools) if (!this.#lists.isLeaf(child)) this.#divide(child, lane, this.of(child, lane).fairShare)
  }

  #usageOf(pool: number, lane: LaneId, r: ResourceId): number {
    const { had } = this.of(pool, lane)
    return had === undefined ? 0 : (this.#past?.part(had, r) ?? 0)
  }

  /** Notes fair shares, and touches the queues that have another one than before. */
  #give(pools: readonly number[], lane: LaneId, r: ResourceId, shares: readonly number[], bounds: readonly number[]): void {
    const width = this.#cluster.resources.length
    const [sharesNow, boundsNow] = [this.#shares[lane] as number[], this.#bounds[lane] as number[]]
    for (let i = 0; i < pools.length; i++) {
      const pool = pools[i] as number
      const at = pool * width + r
      if (this.#past === undefined) boundsNow[at] = bounds[i] as number
      if (sharesNow[at] === shares[i]) continue
      sharesNow[at] = this.of(pool, lane).fairShare[r] = shares[i] as number
      this.touch(pool, lane)
    }
  }

  /** The pools inside a pool that have anything or wait for it; all others are due nothing. */
  #claimingIn(pool: number, lane: LaneId): Claiming {
    const active = this.inside(pool, lane)
    const hasLess = this.#dropIdle(pool, lane)
    const claiming = this.#claiming[lane] as Claiming[]
    const known = claiming[pool]
    if (known !== undefined && !hasLess && known.pools.length === active.size) return known
    const kept = known?.pools.filter((child) => active.has(child)) ?? []
    const come = [...active].slice(kept.length) // they stand last in the set
    const pools = [...kept, ...come].sort((a, b) => this.#lists.tie(a) - this.#lists.tie(b))
    const { length } = this.#cluster.resources
    const claimants = this.#claimants[lane] as Mutable<Claimant>[]
    return (claiming[pool] = { pools, claimants: Array.from({ length }, (_, r) => pools.map((child) => claimants[child * length + r] as Mutable<Claimant>)) })
  }

  /** Leaves out the pools inside a pool that neither have anything nor wait for it any more; returns whether there are any. */
  #dropIdle(pool: number, lane: LaneId): boolean {
    const maybeIdle = this.#maybeIdle[lane]?.[pool] as Set<number>
    const active = this.inside(pool, lane)
    const resources = this.resources(lane)
    const width = this.#cluster.resources.length
    let hasLess = false
    for (const child of maybeIdle) {
      const { allocated, pending, fairShare } = this.of(child, lane)
      if (resources.some((r) => allocated[r] !== 0 || pending[r] !== 0) || !active.delete(child)) continue
      hasLess = true
      fairShare.fill(0)
      this.#shares[lane]?.fill(0, child * width, (child + 1) * width)
      this.#bounds[lane]?.fill(Infinity, child * width, (child + 1) * width)
      this.touch(child, lane)
    }
    maybeIdle.clear()
    return hasLess
  }

  // ---- keeping current ----

  submit(job: JobId, leaf: number): void {
    this.#leafOf[job] = leaf
    const width = this.#cluster.resources.length
    for (const waits of this.#waits) for (let at = job * width; at < (job + 1) * width; at++) waits[at] = 0
  }

  /** What a job waits for has changed by itself, and fair shares may have with it. */
  askAnew(job: JobId, lane: LaneId): void {
    this.#noteBefore(job, lane)
    this.#recount(job, lane)
    this.#isStale[lane] ||= this.#isBehind[lane] === true || this.#past !== undefined || this.#mayShift(job, lane)
  }

  /** Counts anew what a job waits for; fair shares stay as they are until something else changes. */
  recount(job: JobId, lane: LaneId): void {
    this.#noteBefore(job, lane)
    this.#recount(job, lane)
    this.#isBehind[lane] ||= this.#hasOther(job, lane)
  }

  #recount(job: JobId, lane: LaneId): void {
    const waits = this.#waits[lane] as number[]
    for (const r of this.resources(lane)) {
      const at = job * this.#cluster.resources.length + r
      const now = this.#work.waiting(job, lane, r)
      this.change(job, lane, 'pending', r, now - (waits[at] as number))
      waits[at] = now
    }
  }

  /** Notes the sum of what the job's queue has and waits for, of each resource. */
  #noteBefore(job: JobId, lane: LaneId): void {
    const { allocated, pending } = this.of(this.leaf(job), lane)
    for (const r of this.resources(lane)) this.#before[r] = (allocated[r] as number) + (pending[r] as number)
  }

  /** Whether that sum is another now. */
  #hasOther(job: JobId, lane: LaneId): boolean {
    const { allocated, pending } = this.of(this.leaf(job), lane)
    return this.resources(lane).some((r) => this.#before[r] !== (allocated[r] as number) + (pending[r] as number))
  }

  /** Whether fair shares depend on how that sum has changed, which is as much in the queues around. */
  #mayShift(job: JobId, lane: LaneId): boolean {
    const leaf = this.of(this.leaf(job), lane)
    for (const r of this.resources(lane)) {
      const more = (leaf.allocated[r] as number) + (leaf.pending[r] as number) - (this.#before[r] as number)
      if (more === 0) continue
      for (let pool = this.leaf(job); pool > 0; pool = this.#lists.parent(pool)) {
        const { allocated, pending, limit } = this.of(pool, lane)
        const most = limit[r] as number
        const sum = (allocated[r] as number) + (pending[r] as number)
        const asks = Math.min(most, sum)
        const asked = Math.min(most, sum - more)
        if (asks !== asked && Math.min(asks, asked) <= (this.#bounds[lane]?.[pool * this.#cluster.resources.length + r] as number)) return true
      }
    }
    return false
  }

  /** Takes what a job that leaves still waits for, since it was cancelled, out of the sums. */
  finish(job: JobId): void {
    for (const [lane, waits] of this.#waits.entries()) {
      const isWaiting = this.resources(lane as LaneId).some((r) => waits[job * this.#cluster.resources.length + r] !== 0)
      if (isWaiting) this.askAnew(job, lane as LaneId)
    }
  }

  /**
   * Counts a task that starts (1) or leaves (-1). `isFixed`: its job is never preempted. Fair shares do not change while the sum of what the queue has and
   * waits for stays the same, or enough.
   */
  move(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1, isFixed: boolean): void {
    this.#noteBefore(job, lane)
    const shape = this.#work.shapeOf(task)
    for (const r of this.resources(lane)) {
      const amount = sign * this.#work.demand(shape, r)
      this.change(job, lane, 'allocated', r, amount)
      if (isFixed) this.change(job, lane, 'fixed', r, amount)
    }
    this.#recount(job, lane)
    this.#isStale[lane] ||= this.#isBehind[lane] === true ? this.#hasOther(job, lane) : this.#mayShift(job, lane)
  }

  /** Adds to a column of the job's queue and of those around it. */
  change(job: JobId, lane: LaneId, column: 'allocated' | 'fixed' | 'pending', r: ResourceId, amount: number): void {
    if (amount === 0) return
    const queues = this.#queues[lane] as Queue[]
    for (let pool = this.leaf(job); pool > 0; pool = this.#lists.parent(pool)) {
      const queue = queues[pool] as Queue
      const amounts = queue[column]
      amounts[r] = (amounts[r] as number) + amount
      const request = (queue.allocated[r] as number) + (queue.pending[r] as number)
      ;(this.#claimants[lane]?.[pool * this.#cluster.resources.length + r] as Mutable<Claimant>).request = request
      if (queue.had !== undefined && column === 'allocated') queue.had[r]?.set(amounts[r], this.#now())
      const around = this.#lists.parent(pool)
      if (amount > 0) this.inside(around, lane).add(pool)
      if (request === 0) this.#maybeIdle[lane]?.[around]?.add(pool)
    }
  }
}

/** Whether there is a limit on any resource. */
export const isLimited = ({ limit }: Claims): boolean => limit.some((most) => most < Infinity)

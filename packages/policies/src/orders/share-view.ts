import type { Env, JobId, LaneId, Sharing } from '@sched/core'
import { FairShareSolver } from '../shares/fair-shares.js'
import type { Pool, PoolTree } from './pools.js'
import { treeShares } from './tree-shares.js'

/** What a pool may ask of a lane, in slots. */
export interface PoolClaim {
  readonly weight: number
  readonly min: number
  /** `Infinity`: no limit. */
  readonly max: number
}

/**
 * The shares of an order that divides slots, for policies that preempt: max-min fair shares, bounded by what each pool can use. It
 * takes each task as one slot and counts tasks when it is asked, by a pass over the jobs of a pool.
 */
export class ShareView implements Sharing {
  readonly #env: Env
  readonly #tree: PoolTree
  readonly #jobsOf: readonly (ReadonlySet<JobId> | undefined)[]
  readonly #claimOf: (pool: number, lane: LaneId) => PoolClaim
  readonly #starved = new Set<number>()
  readonly #solver = new FairShareSolver()
  readonly poolOf: (job: JobId) => number

  constructor(env: Env, tree: PoolTree, jobsOf: readonly (ReadonlySet<JobId> | undefined)[], poolOf: (job: JobId) => number, claimOf: (pool: number, lane: LaneId) => PoolClaim) {
    this.#env = env
    this.#tree = tree
    this.#jobsOf = jobsOf
    this.#claimOf = claimOf
    this.poolOf = poolOf
  }

  get pools(): number {
    return this.#tree.pools.length
  }

  name = (pool: number): string => this.#pool(pool).path
  parent = (pool: number): number => this.#pool(pool).parent
  isLeaf = (pool: number): boolean => pool > 0 && this.#pool(pool).children.length === 0
  running = (pool: number, lane: LaneId): number => this.#sum(pool, (job) => this.#env.work.running(job, lane))
  demand = (pool: number, lane: LaneId): number => this.#sum(pool, (job) => this.#env.work.running(job, lane) + this.#env.work.unplaced(job, lane))
  minShare = (pool: number, lane: LaneId): number => (pool === 0 ? 0 : this.#claimOf(pool, lane).min)
  minTimeout = (): number => Infinity

  jobs(pool: number, out: JobId[]): void {
    for (const job of this.#jobsOf[pool] ?? []) out.push(job)
  }

  fairShares(lane: LaneId): Float64Array {
    const claim = (of: keyof PoolClaim) => (pool: number) => this.#claimOf(pool, lane)[of]
    const [slots] = this.#env.cluster.lanes[lane]?.resources ?? []
    const capacity = slots === undefined ? 0 : this.#env.cluster.capacity(slots)
    return treeShares(this.#tree.pools, { weight: claim('weight'), min: claim('min'), max: claim('max'), demand: (pool) => this.demand(pool, lane) }, capacity, this.#solver)
  }

  markStarved(pool: number, lane: LaneId, isStarved: boolean): void {
    const at = pool * this.#env.cluster.lanes.length + lane
    if (isStarved) this.#starved.add(at)
    else this.#starved.delete(at)
  }

  starved = (job: JobId, lane: LaneId): boolean => {
    if (this.#starved.size === 0) return false
    for (let pool = this.poolOf(job); pool > 0; pool = this.parent(pool)) if (this.#starved.has(pool * this.#env.cluster.lanes.length + lane)) return true
    return false
  }

  #pool(pool: number): Pool {
    return this.#tree.pools[pool] as Pool
  }

  #sum(pool: number, of: (job: JobId) => number): number {
    let sum = 0
    for (const job of this.#jobsOf[pool] ?? []) sum += of(job)
    for (const child of this.#pool(pool).children) sum += this.#sum(child, of)
    return sum
  }
}

import { listOf, type Env, type JobId, type LaneId, type Seconds, type Sharing } from '@sched/core'
import { FairShareSolver } from '../shares/fair-shares.js'
import { overcommitted, scaleMinShares } from '../shares/min-shares.js'
import type { Pool, PoolTree } from './pools.js'
import { treeShares } from './tree-shares.js'

interface PoolColumns {
  /** The pool of a job. */
  readonly poolOf: readonly number[]
  /** Columns of the order, `[pool * lanes + lane]`. */
  readonly running: readonly number[]
  readonly demand: readonly number[]
  /** Whether minimum shares are scaled down where together they exceed the cluster. */
  readonly isScaled: boolean
}

/**
 * Minimum and fair shares of a pool tree. Minimum shares of siblings that together exceed the cluster are scaled down; if that is so when
 * a pool is made, there is a warning. Shares are in units of the lane's resource. A lane of several resources has no capacity in tasks,
 * so the fair shares there are the demands and no pool is starved.
 */
export class PoolShares implements Sharing {
  readonly #env: Env
  readonly #tree: PoolTree
  readonly #lanes: number
  readonly #poolOf: readonly number[]
  readonly #running: readonly number[]
  readonly #demand: readonly number[]
  readonly #isScaled: boolean
  /** `[pool * lanes + lane]`, scaled. */
  #minShares: number[] = []
  readonly #jobs = listOf<Set<JobId>>()
  readonly #starved = listOf<boolean>()
  readonly #solver = new FairShareSolver()
  #anyMinimum = false
  #anyStarved = false

  constructor(env: Env, tree: PoolTree, { poolOf, running, demand, isScaled }: PoolColumns) {
    this.#env = env
    this.#tree = tree
    this.#lanes = env.cluster.lanes.length
    this.#poolOf = poolOf
    this.#running = running
    this.#demand = demand
    this.#isScaled = isScaled
  }

  minShare(pool: number, lane: number): number {
    return this.#anyMinimum ? (this.#minShares[pool * this.#lanes + lane] as number) : 0
  }

  /** Takes in a new pool; returns whether that may have changed the minimum shares of other pools. */
  addPool(pool: number): boolean {
    this.#jobs[pool] = new Set()
    if (this.#pool(pool).minShare.some((share) => share > 0)) this.#anyMinimum = true
    if (this.#anyMinimum) this.#scale(true)
    return this.#anyMinimum
  }

  /** Scales minimum shares anew, after nodes have come or gone. Returns whether any pool has a minimum share. */
  rescale(): boolean {
    if (this.#anyMinimum) this.#scale(false)
    return this.#anyMinimum
  }

  addJob(job: JobId, pool: number): void {
    this.#jobs[pool]?.add(job)
  }

  removeJob(job: JobId, pool: number): void {
    this.#jobs[pool]?.delete(job)
  }

  get pools(): number {
    return this.#tree.pools.length
  }
  name(pool: number): string {
    return this.#pool(pool).path
  }
  parent(pool: number): number {
    return this.#pool(pool).parent
  }
  isLeaf(pool: number): boolean {
    return pool > 0 && this.#pool(pool).children.length === 0
  }
  poolOf(job: JobId): number {
    return this.#poolOf[job] as number
  }
  running(pool: number, lane: LaneId): number {
    return this.#running[pool * this.#lanes + lane] as number
  }
  demand(pool: number, lane: LaneId): number {
    return this.#demand[pool * this.#lanes + lane] as number
  }
  minTimeout(pool: number): Seconds {
    return this.#pool(pool).minTimeout
  }
  jobs(pool: number, out: JobId[]): void {
    for (const job of this.#jobs[pool] ?? []) out.push(job)
  }
  markStarved(pool: number, lane: LaneId, starved: boolean): void {
    this.#starved[pool * this.#lanes + lane] = starved
    this.#anyStarved = this.#anyStarved || starved
  }
  starved(job: JobId, lane: LaneId): boolean {
    return this.#anyStarved && this.#isStarved(this.poolOf(job), lane)
  }

  #isStarved(leaf: number, lane: LaneId): boolean {
    for (let pool = leaf; pool > 0; pool = this.#pool(pool).parent) if (this.#starved[pool * this.#lanes + lane] === true) return true
    return false
  }

  #pool(pool: number): Pool {
    return this.#tree.pools[pool] as Pool
  }

  /** Units of a lane: its slots, or unlimited where it has several resources. */
  #capacity(lane: LaneId): number {
    const resources = this.#env.cluster.lanes[lane]?.resources ?? []
    return resources.length === 1 ? this.#env.cluster.capacity(resources[0] as (typeof resources)[number]) : Infinity
  }

  #scale(warns: boolean): void {
    const { pools } = this.#tree
    this.#minShares = pools.flatMap((pool) => pool.minShare)
    if (!this.#isScaled) return
    for (let lane = 0; lane < this.#lanes; lane++) for (const parent of pools) this.#scaleSiblings(parent, lane as LaneId, warns)
  }

  #scaleSiblings(parent: Pool, lane: LaneId, warns: boolean): void {
    const wanted = parent.children.map((child) => this.#pool(child).minShare[lane] as number)
    const capacity = this.#capacity(lane)
    if (capacity === Infinity || !overcommitted(wanted, capacity)) return
    const scaled = scaleMinShares(wanted, capacity)
    for (const [i, child] of parent.children.entries()) this.#minShares[child * this.#lanes + lane] = scaled[i] as number
    if (!warns) return
    const where = parent.id === 0 ? 'the pools' : `the pools of "${parent.path}"`
    const total = wanted.reduce((sum, share) => sum + share, 0)
    this.#env.warn(`minimum shares of ${where} add up to ${total} ${this.#env.cluster.lanes[lane]?.name ?? ''} slots of ${capacity}; each is scaled by ${capacity}/${total}`)
  }

  fairShares(lane: LaneId): Float64Array {
    const needs = { weight: (pool: number) => this.#pool(pool).weight, min: (pool: number) => this.minShare(pool, lane), demand: (pool: number) => this.demand(pool, lane) }
    return treeShares(this.#tree.pools, needs, this.#capacity(lane), this.#solver)
  }
}

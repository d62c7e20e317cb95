import { defineOrder, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round, type Sharing } from '@sched/core'
import { z } from 'zod'
import { JobLimits } from './job-limits.js'
import { PoolShares } from './pool-shares.js'
import { poolDefaults, poolOptions, PoolTree, type Pool, type PoolOptions } from './pools.js'
import { Keys, SortedIds } from './sorted-ids.js'

const fairOptions = z.strictObject({
  pools: z
    .union([z.literal(false), z.record(z.string(), poolOptions)])
    .default({})
    .describe('the pool tree by name; pools not named are made at first use; false: all jobs in one pool, ordered by running tasks'),
  defaults: poolDefaults.default({}).describe('settings of pools that are not declared'),
  users: z.record(z.string(), z.strictObject({ maxRunningJobs: z.number().int().nonnegative() })).default({}).describe('limits of single users'),
  userMaxRunningJobs: z.number().int().nonnegative().optional().describe('jobs of any one user that may run at once; default unlimited'),
})
/** Options of `fair`; all may be left out. */
export interface FairOptions {
  readonly pools?: false | Readonly<Record<string, PoolOptions>>
  readonly defaults?: Omit<PoolOptions, 'pools'>
  readonly users?: Readonly<Record<string, { readonly maxRunningJobs: number }>>
  readonly userMaxRunningJobs?: number
}

/**
 * Hierarchical fair sharing: pools below their minimum share first, by running / minimum; then the others by running /
 * weight; ties by name. Inside a pool the same rule over its jobs (minimum 0, ties by submission), or FIFO. Applied at
 * every level of a pool tree of any depth, once per lane. Without pools it is the job order of Algorithm 1.
 *
 * Source: Zaharia et al., EuroSys 2010, section 3 and Algorithm 1; comparator as in Hadoop's fair scheduler.
 */
export const fairOrder = defineOrder({
  name: 'fair',
  summary: 'pools by minimum share, then by running tasks over weight; fair or FIFO inside',
  source: 'Zaharia et al., EuroSys 2010, section 3 (HFS) and Algorithm 1',
  options: fairOptions,
  create: (options, env) => new FairOrder(options, env),
})

/** Hierarchical fair sharing over pools, or over jobs with `pools: false`. */
export const fair = (options: FairOptions = {}): Plug<'order'> => fairOrder.plug({}, options)

/** A needy pool's key: below that of every pool that is not needy. */
const NEEDY = -2

class FairOrder implements Order {
  readonly sharing: Sharing
  readonly #env: Env
  readonly #lanes: number
  readonly #tree: PoolTree
  readonly #single: Pool | undefined
  readonly #shares: PoolShares
  readonly #limits: JobLimits
  readonly #poolOf: number[] = []
  /** Per lane: keys of jobs and of pools. */
  readonly #jobKeys: readonly Keys[]
  readonly #poolKeys: readonly Keys[]
  /** `[pool * lanes + lane]`: jobs of a leaf, children of an inner pool, with unplaced tasks; tasks running and wanted. */
  readonly #members: SortedIds[] = []
  readonly #running: number[] = []
  readonly #demand: number[] = []
  /** `[job * lanes + lane]`: demand of the job as last counted; 1 while it is in its pool's list. */
  readonly #counted: number[] = []
  readonly #listed: number[] = []
  readonly #admitted: JobId[] = []
  /** Children of each pool by name. */
  readonly #byName: number[][] = []
  /** The reading: pools entered, and the position in each. */
  readonly #path: SortedIds[] = []
  readonly #leaf: boolean[] = []
  readonly #at: number[] = []
  #depth = 0
  #lane = 0

  constructor(options: z.output<typeof fairOptions>, env: Env) {
    const { cluster, work } = env
    this.#env = env
    this.#lanes = cluster.lanes.length
    const names = cluster.lanes.map((lane) => lane.name)
    this.#tree = new PoolTree(options.pools === false ? {} : options.pools, options.defaults, names)
    this.#single = options.pools === false ? this.#tree.leaf('all') : undefined
    this.#jobKeys = cluster.lanes.map(() => new Keys())
    this.#poolKeys = cluster.lanes.map(() => new Keys())
    this.#shares = new PoolShares(env, this.#tree, this.#running, this.#demand)
    this.#limits = new JobLimits(
      work,
      this.#tree.pools,
      (job) => this.#poolOf[job] as number,
      Object.fromEntries(Object.entries(options.users).map(([user, limit]) => [user, limit.maxRunningJobs])),
      options.userMaxRunningJobs ?? Infinity,
      options.defaults.maxRunningJobs ?? Infinity,
    )
    this.#addPools(0)
    this.sharing = this.#shares.sharing((job) => this.#poolOf[job] as number)
  }

  // ---- reading ----

  begin(round: Round): void {
    this.#lane = round.lane
    this.#depth = 0
    this.#enter(0)
  }

  next(): JobBlock | undefined {
    while (this.#depth > 0) {
      const top = this.#depth - 1
      const list = this.#path[top] as SortedIds
      if (this.#leaf[top] === true) {
        this.#depth = top
        return list
      }
      const at = this.#at[top] as number
      if (at === list.to) this.#depth = top
      else {
        this.#at[top] = at + 1
        this.#enter(list.ids[at] as number)
      }
    }
    return undefined
  }

  #enter(pool: number): void {
    const list = this.#members[pool * this.#lanes + this.#lane] as SortedIds
    const depth = this.#depth++
    this.#path[depth] = list
    this.#leaf[depth] = this.#isLeaf(pool)
    this.#at[depth] = list.from
  }

  #isLeaf(pool: number): boolean {
    return pool > 0 && (this.#tree.pools[pool] as Pool).children.length === 0
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const known = this.#tree.pools.length
    const { work } = this.#env
    const pool = this.#single ?? this.#tree.leaf(work.queueName(work.queue(job)))
    if (this.#tree.pools.length > known) this.#addPools(known)
    this.#poolOf[job] = pool.id
    this.#shares.addJob(job, pool.id)
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#counted[job * this.#lanes + lane] = 0
      this.#listed[job * this.#lanes + lane] = 0
      ;(this.#jobKeys[lane] as Keys).set(job, 0, work.rank(job))
    }
    this.#limits.ask(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#addJob(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#countDemand(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (this.#listed[job * this.#lanes + lane] !== 1) return
    const pool = this.#poolOf[job] as number
    const members = this.#members[pool * this.#lanes + lane] as SortedIds
    members.remove(job)
    this.#listed[job * this.#lanes + lane] = 0
    if (members.size === 0) this.#leave(pool, lane)
  }

  onClaim(job: JobId, lane: LaneId): void {
    this.#changeRunning(job, lane, 1)
  }

  onRelease(job: JobId, lane: LaneId, _task: number, _node: number, why: string): void {
    this.#changeRunning(job, lane, -1)
    if (why === 'ended') this.#countDemand(job, lane)
  }

  onFinish(job: JobId): void {
    this.#shares.removeJob(job, this.#poolOf[job] as number)
    this.#admitted.length = 0
    this.#limits.leave(job, this.#admitted)
    for (const next of this.#admitted)
      for (let lane = 0; lane < this.#lanes; lane++)
        if (this.#env.work.unplaced(next, lane as LaneId) > 0) this.#addJob(next, lane as LaneId)
  }

  #addJob(job: JobId, lane: LaneId): void {
    const pool = this.#poolOf[job] as number
    const members = this.#members[pool * this.#lanes + lane] as SortedIds
    ;(this.#jobKeys[lane] as Keys).key[job] = this.#jobKey(job, lane)
    this.#countDemand(job, lane)
    members.add(job)
    this.#listed[job * this.#lanes + lane] = 1
    if (members.size === 1) this.#join(pool, lane)
  }

  #jobKey(job: JobId, lane: LaneId): number {
    const { work } = this.#env
    const pool = this.#tree.pools[this.#poolOf[job] as number] as Pool
    return pool.fifo ? -work.priority(job) : work.running(job, lane) / work.weight(job)
  }

  #changeRunning(job: JobId, lane: LaneId, by: 1 | -1): void {
    const leaf = this.#poolOf[job] as number
    const members = this.#members[leaf * this.#lanes + lane] as SortedIds
    const { pools } = this.#tree
    if (!(pools[leaf] as Pool).fifo) {
      const key = this.#jobKey(job, lane)
      if (members.size > 1 && this.#listed[job * this.#lanes + lane] === 1) members.rekey(job, key)
      else (this.#jobKeys[lane] as Keys).key[job] = key
    }
    for (let pool = leaf; pool > 0; pool = (pools[pool] as Pool).parent) {
      const at = pool * this.#lanes + lane
      this.#running[at] = (this.#running[at] as number) + by
      this.#place(pool, lane)
    }
  }

  /** Counts a change of the job's demand (running and unplaced tasks) for its pool and all above. */
  #countDemand(job: JobId, lane: LaneId): void {
    const { work } = this.#env
    const index = job * this.#lanes + lane
    const demand = work.running(job, lane) + work.unplaced(job, lane)
    const change = demand - (this.#counted[index] as number)
    if (change === 0) return
    this.#counted[index] = demand
    for (let pool = this.#poolOf[job] as number; pool > 0; pool = (this.#tree.pools[pool] as Pool).parent) {
      const at = pool * this.#lanes + lane
      this.#demand[at] = (this.#demand[at] as number) + change
      if (this.#shares.minShare(pool, lane) > 0) this.#place(pool, lane)
    }
  }

  /** Puts a pool where its key belongs among its siblings. */
  #place(pool: number, lane: number): void {
    const key = this.#poolKey(pool, lane)
    const keys = this.#poolKeys[lane] as Keys
    if (keys.key[pool] === key) return
    if ((this.#members[pool * this.#lanes + lane] as SortedIds).size === 0) keys.key[pool] = key
    else this.#siblings(pool, lane).rekey(pool, key)
  }

  #poolKey(pool: number, lane: number): number {
    const running = this.#running[pool * this.#lanes + lane] as number
    const minShare = this.#shares.minShare(pool, lane)
    if (minShare > 0) {
      const usable = Math.min(minShare, this.#demand[pool * this.#lanes + lane] as number)
      if (running < usable) return NEEDY + running / Math.max(usable, 1)
    }
    return running / (this.#tree.pools[pool] as Pool).weight
  }

  #siblings(pool: number, lane: number): SortedIds {
    return this.#members[(this.#tree.pools[pool] as Pool).parent * this.#lanes + lane] as SortedIds
  }

  /** A pool has got its first job with unplaced tasks: it joins its siblings, and so on up. */
  #join(pool: number, lane: number): void {
    for (let child = pool; child > 0; child = (this.#tree.pools[child] as Pool).parent) {
      const siblings = this.#siblings(child, lane)
      ;(this.#poolKeys[lane] as Keys).key[child] = this.#poolKey(child, lane)
      siblings.add(child)
      if (siblings.size > 1) return
    }
  }

  #leave(pool: number, lane: number): void {
    for (let child = pool; child > 0; child = (this.#tree.pools[child] as Pool).parent) {
      const siblings = this.#siblings(child, lane)
      siblings.remove(child)
      if (siblings.size > 0) return
    }
  }

  /** Makes the columns of pools from `from` on, and gives siblings their order by name. */
  #addPools(from: number): void {
    const { pools } = this.#tree
    for (let pool = from; pool < pools.length; pool++) {
      const leaf = this.#isLeaf(pool)
      for (let lane = 0; lane < this.#lanes; lane++) {
        this.#members.push(new SortedIds((leaf ? this.#jobKeys[lane] : this.#poolKeys[lane]) as Keys))
        this.#running.push(0)
        this.#demand.push(0)
        ;(this.#poolKeys[lane] as Keys).set(pool, 0, 0)
      }
      if (pool > 0) this.#orderByName(pool)
      if (this.#shares.addPool(pool)) this.#placeAll(from)
    }
  }

  /** Another pool may have scaled the minimum shares of those there were. */
  #placeAll(count: number): void {
    for (let pool = 1; pool < count; pool++) for (let lane = 0; lane < this.#lanes; lane++) this.#place(pool, lane)
  }

  /** Ties between siblings go by name: a new pool's tie lies between those of its neighbours in name order. */
  #orderByName(pool: number): void {
    const { pools } = this.#tree
    const { path, parent } = pools[pool] as Pool
    const siblings = (this.#byName[parent] ??= [])
    let at = siblings.length
    while (at > 0 && (pools[siblings[at - 1] as number] as Pool).path > path) at--
    siblings.splice(at, 0, pool)
    const tie = this.#poolKeys[0]?.tie as Float64Array
    const below = at === 0 ? 0 : (tie[siblings[at - 1] as number] as number)
    const above = at === siblings.length - 1 ? below + 2 : (tie[siblings[at + 1] as number] as number)
    const between = (below + above) / 2
    const fits = between > below && between < above
    for (const keys of this.#poolKeys)
      if (fits) keys.setTie(pool, between)
      else for (const [i, sibling] of siblings.entries()) keys.setTie(sibling, i + 1)
  }
}

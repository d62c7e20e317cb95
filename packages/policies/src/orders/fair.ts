import { defineOrder, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round, type Sharing } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { JobLimits, type AdmittedMemory } from './job-limits.js'
import { PoolLists } from './pool-lists.js'
import { PoolShares } from './pool-shares.js'
import { poolDefaults, poolOptions, PoolTree, type Pool, type PoolOptions } from './pools.js'

const fairOptions = z.strictObject({
  pools: z
    .union([z.literal(false), z.record(z.string(), poolOptions)])
    .default({})
    .describe('the pool tree by name; pools not named are made at first use; false: all jobs in one pool, ordered by running tasks'),
  defaults: poolDefaults.default({}).describe('settings of pools that hold jobs, where they say nothing else, declared or not'),
  users: z.record(z.string(), z.strictObject({ maxRunningJobs: z.number().int().nonnegative().describe('jobs of the user that may run at once') })).default({}).describe('limits of single users'),
  userMaxRunningJobs: z.number().int().nonnegative().optional().describe('jobs of any one user that may run at once; default unlimited'),
  priorityWeights: z.boolean().default(false).describe('whether a step of priority doubles the weight of a job in its pool, up to 4 and down to 1/4, as in Hadoop'),
  flat: z
    .boolean()
    .default(false)
    .describe('whether the name of a queue is that of a pool as it is, as in Spark; otherwise periods and slashes mean pools inside pools, and `root.` is left out'),
  boundMinShares: z
    .boolean()
    .default(true)
    .describe('minimum shares count up to what a pool wants, and are scaled down where the cluster has less than all of them; false: as configured, as in Spark'),
})
/** Options of `fair`; all may be left out. */
export interface FairOptions {
  /**
   * The pool tree by name; a pool that is not named is made at first use. false: all jobs are in one pool, ordered by running tasks. Default: no
   * pool is named.
   */
  readonly pools?: false | Readonly<Record<string, PoolOptions>>
  /** Settings of all pools that hold jobs, declared or not, unless a pool has its own. Default none. */
  readonly defaults?: Omit<PoolOptions, 'pools'>
  /** Limits of single users. Default none. */
  readonly users?: Readonly<Record<string, { readonly maxRunningJobs: number }>>
  /** Jobs of any one user that may run at once; default unlimited. */
  readonly userMaxRunningJobs?: number
  /** Whether a step of priority doubles the weight of a job in its pool, up to 4 and down to 1/4, as in Hadoop. Default false. */
  readonly priorityWeights?: boolean
  /**
   * true: the name of a queue is the name of its pool, as in Spark. false: periods and slashes in it separate pools inside pools, and
   * a leading `root.` is dropped. Default false.
   */
  readonly flat?: boolean
  /**
   * true: a minimum share counts only up to the demand of its pool, and all are scaled down where together they exceed the cluster.
   * false: they count as configured, as in Spark. Default true.
   */
  readonly boundMinShares?: boolean
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

/** Base of the key of a pool below its minimum share: such keys are below those of all other pools. */
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
  readonly #lists: PoolLists
  /** `[pool * lanes + lane]`: tasks running and wanted. */
  readonly #running: number[] = []
  readonly #demand: number[] = []
  /** `[job * lanes + lane]`: demand of the job as last counted. */
  readonly #counted: number[] = []
  /** By job: its weight, by which its running tasks are divided to give its key; 0 in a pool that is FIFO inside. */
  readonly #weightOf: number[] = []
  /** By pool. */
  readonly #poolWeights: number[] = []
  readonly #priorityWeights: boolean
  readonly #flat: boolean
  readonly #boundMinShares: boolean
  readonly #admitted: JobId[] = []

  constructor(options: z.output<typeof fairOptions>, env: Env) {
    const { cluster, work } = env
    this.#env = env
    this.#priorityWeights = options.priorityWeights
    this.#flat = options.flat
    this.#boundMinShares = options.boundMinShares
    this.#lanes = cluster.lanes.length
    const names = cluster.lanes.map((lane) => lane.name)
    this.#tree = new PoolTree(options.pools === false ? {} : options.pools, options.defaults, names)
    this.#single = options.pools === false ? this.#tree.leaf('all') : undefined
    this.#lists = new PoolLists(this.#lanes, this.#tree)
    this.#shares = new PoolShares(env, this.#tree, { poolOf: this.#poolOf, running: this.#running, demand: this.#demand, isScaled: options.boundMinShares })
    this.#limits = new JobLimits(work, {
      pools: this.#tree.pools,
      poolOf: (job) => this.#poolOf[job] as number,
      users: Object.fromEntries(Object.entries(options.users).map(([user, limit]) => [user, limit.maxRunningJobs])),
      userDefault: options.userMaxRunningJobs ?? Infinity,
      poolDefault: options.defaults.maxRunningJobs ?? Infinity,
      option: 'maxRunningJobs',
    })
    this.#addPools(0)
    this.sharing = this.#shares
  }

  // ---- reading ----

  begin(round: Round): void {
    this.#limits.explain(round)
    this.#lists.begin(round.lane)
  }

  next(): JobBlock | undefined {
    return this.#lists.next()
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const known = this.#tree.pools.length
    const { work } = this.#env
    const pool = this.#single ?? this.#tree.leaf(work.queueName(work.queue(job)), this.#flat)
    if (this.#tree.pools.length > known) this.#addPools(known)
    this.#poolOf[job] = pool.id
    this.#weightOf[job] = pool.fifo ? 0 : work.weight(job) * (this.#priorityWeights ? 2 ** Math.max(-2, Math.min(2, work.priority(job))) : 1)
    this.#shares.addJob(job, pool.id)
    this.#lists.openJob(job, work.rank(job))
    for (let lane = 0; lane < this.#lanes; lane++) this.#counted[job * this.#lanes + lane] = 0
    this.#limits.ask(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#addJob(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#countDemand(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (this.#lists.isListed(job, lane)) this.#lists.removeJob(job, this.#poolOf[job] as number, lane)
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

  /** A node has come or gone: minimum shares are scaled to the capacity that is there. */
  onNode(): void {
    if (this.#shares.rescale()) this.#placeAll(this.#tree.pools.length)
  }

  /** Which jobs may run; the rest is known from what runs and waits. */
  memory(): AdmittedMemory {
    return this.#limits.memory()
  }

  recall(memory: unknown): void {
    for (const job of this.#limits.recall(memory as AdmittedMemory))
      for (let lane = 0 as LaneId; lane < this.#lanes; lane++)
        if (!this.#limits.admitted(job)) {
          this.onDrained(job, lane)
          this.#setDemand(job, lane, 0)
        } else if (this.#env.work.unplaced(job, lane) > 0) this.#addJob(job, lane)
  }

  #addJob(job: JobId, lane: LaneId): void {
    this.#countDemand(job, lane)
    const leaf = this.#poolOf[job] as number
    for (let pool = leaf; pool > 0 && this.#lists.isEmpty(pool, lane); pool = this.#lists.parent(pool)) this.#place(pool, lane)
    this.#lists.addJob(job, leaf, lane, this.#jobKey(job, lane))
  }

  #jobKey(job: JobId, lane: LaneId): number {
    const { work } = this.#env
    const weight = this.#weightOf[job] as number
    return weight === 0 ? -work.priority(job) : work.running(job, lane) / weight
  }

  /**
   * Counts a task that starts or ends. A job or pool that is not listed gets its key when it is, so that a task that ends with nothing pending
   * costs no placing.
   */
  #changeRunning(job: JobId, lane: LaneId, by: 1 | -1): void {
    const leaf = this.#poolOf[job] as number
    const lists = this.#lists
    const weight = this.#weightOf[job] as number
    const isListed = lists.isListed(job, lane)
    if (isListed && weight > 0) lists.rekeyJob(job, leaf, lane, this.#env.work.running(job, lane) / weight)
    for (let pool = leaf; pool > 0; pool = lists.parent(pool)) {
      const at = pool * this.#lanes + lane
      this.#running[at] = (this.#running[at] as number) + by
      if (isListed || !lists.isEmpty(pool, lane)) lists.rekeyPool(pool, lane, this.#poolKey(pool, lane))
    }
  }

  /** Counts a change of the job's demand (running and unplaced tasks) for its pool and all above. */
  #countDemand(job: JobId, lane: LaneId): void {
    const { work } = this.#env
    this.#setDemand(job, lane, work.running(job, lane) + work.unplaced(job, lane))
  }

  #setDemand(job: JobId, lane: LaneId, demand: number): void {
    const index = job * this.#lanes + lane
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
    this.#lists.placePool(pool, lane, this.#poolKey(pool, lane))
  }

  #poolKey(pool: number, lane: number): number {
    const running = this.#running[pool * this.#lanes + lane] as number
    const minShare = this.#shares.minShare(pool, lane)
    if (minShare > 0) {
      const usable = this.#usable(minShare, pool, lane)
      if (running < usable) return NEEDY + running / Math.max(usable, 1)
    }
    return running / (this.#poolWeights[pool] as number)
  }

  /** How much of the pool's minimum share counts: with `boundMinShares` at most its demand. */
  #usable(minShare: number, pool: number, lane: number): number {
    return this.#boundMinShares ? Math.min(minShare, this.#demand[pool * this.#lanes + lane] as number) : minShare
  }

  /** Makes the columns of pools from `from` on. */
  #addPools(from: number): void {
    const { pools } = this.#tree
    for (let pool = from; pool < pools.length; pool++) {
      for (let lane = 0; lane < this.#lanes; lane++) {
        this.#running.push(0)
        this.#demand.push(0)
      }
      this.#poolWeights.push((pools[pool] as Pool).weight)
      this.#lists.addPool(pool)
      if (this.#shares.addPool(pool)) this.#placeAll(from)
    }
  }

  /** Places the pools before `count` anew: a new pool may have scaled their minimum shares. */
  #placeAll(count: number): void {
    for (let pool = 1; pool < count; pool++) for (let lane = 0; lane < this.#lanes; lane++) this.#place(pool, lane)
  }
}

import { ownValue, type ClusterView, type Env, type JobBlock, type JobId, type JobSpec, type LaneId, type NodeId, type Order, type ResourceId, type Round, type Sharing, type TaskId, type WorkView } from '@sched/core'
import { PoolLists } from './pool-lists.js'
import { PoolTree, queuePath, type Pool } from './pools.js'
import { tieOrder, type SharingChoice } from './sharing-options.js'
import { ShareView, type PoolClaim } from './share-view.js'
import { Usage } from './usage.js'

/** What a rule can read of an order by shares: the pools, their lists of jobs, and what each pool has in use. */
export interface Shares {
  readonly cluster: ClusterView
  readonly work: WorkView
  readonly tree: PoolTree
  readonly lists: PoolLists
  /** By pool id. */
  readonly usage: Usage
}

/**
 * The rule that distinguishes one order by shares from another. The order computes a key anew after every change of what it depends
 * on, and keeps it; the pool, or job, with the smallest key comes first. A pool's key may depend on its own usage and on the rule's state.
 */
export interface ShareRule {
  /** Starts the rule's state of a new pool; returns the pool's weight, one number or one per resource. */
  addPool(pool: Pool): number | readonly number[]
  poolKey(pool: number, lane: LaneId): number
  /** The key of a job by its own usage, where the rule also orders jobs; `usage` is indexed by job id. */
  jobKey(job: JobId, lane: LaneId, usage: Usage): number
  /** A pool without unplaced tasks is about to have some. */
  onJoin?(pool: number, lane: LaneId): void
  /** A task of the pool was claimed on the node (`sign` 1), or gave its `amounts` back (-1) for the reason `why`; the usage already includes that. */
  onChange?(pool: number, lane: LaneId, sign: 1 | -1, why: string, amounts: Float64Array, node: NodeId, task: TaskId): void
  /** A node takes no tasks any more, or takes them again. */
  onNode?(node: NodeId, up: boolean): void
  /** Adds amounts to a pool's usage and returns its new key, for rules that can do both in one pass; `onChange` is not called then. */
  addToKey?(pool: number, lane: LaneId, amounts: Float64Array): number
  /** Called before a reading; returns true when any key may have changed, or the pools at the lowest level whose keys may have. */
  onBegin?(round: Round): boolean | Iterable<number>
  /** Whether a limit allows the next piece of a job of the leaf. */
  mayStart?(job: JobId, leaf: number, lane: LaneId): boolean
  /** Why a job that is counted in the pools of these paths, outermost first, could never run; undefined where nothing forbids it. */
  readonly refusal?: (spec: JobSpec, paths: readonly string[]) => string | undefined
  /** What a pool may ask of a lane of slots; given by rules whose shares are max-min fair. */
  readonly claimOf?: (pool: number, lane: LaneId) => PoolClaim
  /** Whether a pool's key also depends on the job that is first in it. */
  readonly readsFirst?: boolean
  /** The rule's state of a pool in a lane beyond what waits and runs, as numbers for JSON; `recall` restores it. */
  readonly memory?: (pool: number, lane: LaneId) => readonly number[]
  readonly recall?: (pool: number, lane: LaneId, memory: readonly number[]) => void
}

/** The rule's state, by lane and by path of the pool. */
type PoolsMemory = readonly Readonly<Record<string, readonly number[]>>[]

/**
 * Users, queues or jobs by a share of the cluster that a rule computes, the smallest first; at every level where queues
 * share. Kept current by moving the pools on one path for every task that starts or ends.
 */
export class ShareOrder implements Order {
  /** True unless its rule has limits. */
  readonly readsAll: boolean
  /** Present where the order divides slots among users or queues. */
  readonly sharing: Sharing | undefined
  readonly admits?: (spec: JobSpec) => string | undefined
  /** Present where its rule has state to remember. */
  readonly memory?: () => PoolsMemory
  readonly #work: WorkView
  readonly #lanes: number
  readonly #laneResources: readonly (readonly ResourceId[])[]
  readonly #by: SharingChoice['by']
  readonly #inner: SharingChoice['inner']
  /** Whether queues are all at one level, whatever their paths. */
  readonly #isFlat: boolean
  readonly #tree: PoolTree
  readonly #lists: PoolLists
  readonly #usage: Usage
  readonly #jobUsage: Usage
  readonly #rule: ShareRule
  readonly #readsFirst: boolean
  readonly #poolOf: number[] = []
  readonly #weightOf: number[] = []
  /** Jobs in the system, by leaf pool: read where a change of the cluster concerns all of them, and by `sharing`. */
  readonly #jobsOf: Set<JobId>[] = []
  /** What the task at hand adds or takes, by resource. */
  readonly #amounts: Float64Array
  readonly #allowed = { ids: new Int32Array(8), from: 0, to: 0 }
  #lane = 0 as LaneId
  /** What was remembered before a restart; read when a pool comes that had no jobs then. */
  #remembered: PoolsMemory = []

  constructor(env: Env, { by, inner, ties }: SharingChoice, makeRule: (shares: Shares) => ShareRule, depth: 'tree' | 'flat' = 'tree') {
    const { cluster, work } = env
    this.#isFlat = depth === 'flat'
    this.#work = work
    this.#lanes = cluster.lanes.length
    this.#laneResources = cluster.lanes.map((lane) => lane.resources)
    this.#by = by
    this.#inner = by === 'job' ? 'share' : inner
    this.#tree = new PoolTree({}, {}, cluster.lanes.map((lane) => lane.name))
    this.#lists = new PoolLists(this.#lanes, this.#tree, tieOrder(ties, by))
    this.#usage = new Usage(cluster)
    this.#jobUsage = new Usage(cluster)
    this.#amounts = new Float64Array(cluster.resources.length)
    this.#rule = makeRule({ cluster, work, tree: this.#tree, lists: this.#lists, usage: this.#usage })
    this.#readsFirst = this.#rule.readsFirst === true
    this.readsAll = this.#rule.mayStart === undefined
    const { claimOf, refusal } = this.#rule
    if (refusal !== undefined) this.admits = (spec) => refusal(spec, this.#pathsOf(spec))
    const { memory } = this.#rule
    if (memory !== undefined) this.memory = () => cluster.lanes.map((_, lane) => ({ ...this.#remembered[lane], ...Object.fromEntries(this.#tree.pools.map(({ id, path }) => [path, memory(id, lane as LaneId)])) }))
    if (claimOf !== undefined && by !== 'job' && cluster.lanes.every(({ resources }) => resources.length === 1))
      this.sharing = new ShareView(env, this.#tree, this.#jobsOf, (job) => this.#poolOf[job] as number, claimOf)
    this.#addPools(0)
  }

  /** Restores the state of the pools that exist by now. One that does not has no jobs; its state is restored when it comes. */
  recall(memory: unknown): void {
    this.#remembered = memory as PoolsMemory
    for (const { id } of this.#tree.pools) this.#recallPool(id)
    for (const lane of this.#remembered.keys()) this.#placeAll(lane as LaneId)
  }

  #recallPool(id: number): void {
    for (const [lane, pools] of this.#remembered.entries()) {
      const known = ownValue(pools, (this.#tree.pools[id] as Pool).path)
      if (known !== undefined) this.#rule.recall?.(id, lane as LaneId, known)
    }
  }

  // ---- reading ----

  begin(round: Round): void {
    const { lane } = round
    const jobsChanged = this.#jobUsage.refresh(lane)
    const poolsChanged = this.#usage.refresh(lane)
    const changed = this.#rule.onBegin?.(round) ?? false
    if (changed === true || poolsChanged || jobsChanged) this.#placeAll(lane)
    else if (changed !== false) for (const pool of changed) this.#placePath(pool, lane)
    this.#lane = lane
    this.#lists.begin(lane)
  }

  next(): JobBlock | undefined {
    return this.#rule.mayStart === undefined ? this.#lists.next() : this.#nextAllowed()
  }

  /** The next block without the jobs that a limit holds back. */
  #nextAllowed(): JobBlock | undefined {
    const allowed = this.#allowed
    for (let block = this.#lists.next(); block !== undefined; block = this.#lists.next()) {
      if (allowed.ids.length < block.to - block.from) allowed.ids = new Int32Array(2 * (block.to - block.from))
      allowed.to = 0
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (this.#rule.mayStart?.(job, this.#poolOf[job] as number, this.#lane) === true) allowed.ids[allowed.to++] = job
      }
      if (allowed.to > 0) return allowed
    }
    return undefined
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const known = this.#tree.pools.length
    const pool = this.#leafOf(job)
    if (this.#tree.pools.length > known) this.#addPools(known)
    this.#poolOf[job] = pool.id
    this.#weightOf[job] = this.#work.weight(job)
    ;(this.#jobsOf[pool.id] ??= new Set()).add(job)
    this.#lists.openJob(job, this.#work.rank(job))
    if (this.#inner === 'share') this.#jobUsage.open(job, this.#weightOf[job])
  }

  onReady(job: JobId, lane: LaneId): void {
    const leaf = this.#poolOf[job] as number
    if (this.#rule.onJoin !== undefined)
      for (let pool = leaf; pool > 0 && this.#lists.isEmpty(pool, lane); pool = this.#lists.parent(pool)) this.#rule.onJoin(pool, lane)
    this.#lists.addJob(job, leaf, lane, this.#jobKey(job, lane))
    if (this.#readsFirst || this.#rule.onJoin !== undefined) this.#placePath(leaf, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (this.#readsFirst) this.#placePath(this.#poolOf[job] as number, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (!this.#lists.isListed(job, lane)) return
    const leaf = this.#poolOf[job] as number
    this.#lists.removeJob(job, leaf, lane)
    if (this.#readsFirst) this.#placePath(leaf, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#change(job, lane, task, 1, '', node)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: string): void {
    this.#change(job, lane, task, -1, why, node)
  }

  onNode(node: NodeId, up: boolean): void {
    this.#rule.onNode?.(node, up)
  }

  onFinish(job: JobId): void {
    this.#jobsOf[this.#poolOf[job] as number]?.delete(job)
  }

  #change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1, why: string, node: NodeId): void {
    const amounts = this.#amounts
    const shape = this.#work.shapeOf(task)
    const resources = this.#laneResources[lane] as readonly ResourceId[]
    for (let i = 0; i < resources.length; i++) amounts[resources[i] as number] = sign * this.#work.demand(shape, resources[i] as ResourceId)
    const leaf = this.#poolOf[job] as number
    if (this.#inner === 'share') this.#jobUsage.add(job, lane, amounts)
    if (this.#inner !== 'fifo') this.#lists.placeJob(job, leaf, lane, this.#jobKey(job, lane))
    const lists = this.#lists
    const rule = this.#rule
    if (rule.addToKey !== undefined) for (let pool = leaf; pool > 0; pool = lists.parent(pool)) lists.placePool(pool, lane, rule.addToKey(pool, lane, amounts))
    else
      for (let pool = leaf; pool > 0; pool = lists.parent(pool)) {
        this.#usage.add(pool, lane, amounts)
        rule.onChange?.(pool, lane, sign, why, amounts, node, task)
        lists.placePool(pool, lane, rule.poolKey(pool, lane))
      }
  }

  #jobKey(job: JobId, lane: LaneId): number {
    if (this.#inner === 'share') return this.#rule.jobKey(job, lane, this.#jobUsage)
    return this.#inner === 'fifo' ? -this.#work.priority(job) : this.#work.running(job, lane) / (this.#weightOf[job] as number)
  }

  #placePath(leaf: number, lane: LaneId): void {
    for (let pool = leaf; pool > 0; pool = this.#lists.parent(pool)) this.#lists.placePool(pool, lane, this.#rule.poolKey(pool, lane))
  }

  #placeAll(lane: LaneId): void {
    if (this.#inner === 'share')
      for (const [pool, jobs] of this.#jobsOf.entries()) for (const job of jobs ?? []) this.#lists.placeJob(job, pool, lane, this.#jobKey(job, lane))
    for (let pool = this.#tree.pools.length - 1; pool > 0; pool--) this.#lists.placePool(pool, lane, this.#rule.poolKey(pool, lane))
  }

  #leafOf(job: JobId): Pool {
    const work = this.#work
    if (this.#by === 'job') return this.#tree.flat('all')
    if (this.#by === 'user') return this.#tree.flat(work.userName(work.user(job)))
    const queue = work.queueName(work.queue(job))
    return this.#isFlat ? this.#tree.flat(queuePath(queue)) : this.#tree.leaf(queue)
  }

  /** The paths of the pools in which a job will be counted once it is submitted. */
  #pathsOf({ user, queue }: JobSpec): string[] {
    if (this.#by === 'user') return [user ?? 'user']
    const path = queuePath(queue ?? user ?? 'default')
    if (this.#by === 'job' || this.#isFlat) return [path]
    return path.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))
  }

  #addPools(from: number): void {
    const { pools } = this.#tree
    for (let id = from; id < pools.length; id++) {
      const pool = pools[id] as Pool
      this.#usage.open(id, this.#rule.addPool(pool))
      this.#recallPool(id)
      this.#lists.addPool(id)
      for (let lane = 0 as LaneId; lane < this.#lanes; lane++) this.#lists.placePool(id, lane, this.#rule.poolKey(id, lane))
    }
  }
}

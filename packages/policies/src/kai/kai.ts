import { askedTogether, defineOrder, SchedError, startedTogether, whatStarts, type ClusterView, type Env, type JobBlock, type JobId, type JobSpec, type LaneId, type Order, type Plug, type ResourceId, type Round, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { PoolLists } from '../orders/pool-lists.js'
import { PoolTree, queuePath, type Pool } from '../orders/pools.js'
import { tieOrder } from '../orders/sharing-options.js'
import { lacksProtected, Minimums } from './minimum.js'
import { claimsOf, kaiOptions, type Claims, type KaiOptions, type KaiSettings } from './options.js'
import { PastUsage, type PastUsageMemory } from './past-usage.js'
import { compareRanks, rankOf, type Rank } from './queue-order.js'
import { isLimited, Queues, type Queue } from './queues.js'
import { isBelowSteadyShare, SteadyShares } from './steady-shares.js'

/**
 * Queues by what each has of its fair share, at every level of their tree: a list of comparisons, of which the first that
 * distinguishes two queues decides (see `compareQueues`). Jobs of a queue go by priority (a whole number), then jobs with fewer tasks than they must have at
 * once, then those with exactly these, then the others; ties by submission. No queue ever exceeds a limit.
 *
 * A reading sorts the queues with jobs to start if one of them has changed; a change of what a queue asks for costs a pass over those with any jobs where
 * fair shares depend on it.
 *
 * Source: KAI Scheduler, plug-ins `proportion`, `priority` and `elastic`. Deviations: nothing is reclaimed or preempted; a
 * job that is no gang asks for one task at a time; what later stages ask for counts when they begin; ties go by name, not by age.
 */
export const kaiOrder = defineOrder({
  name: 'kai',
  summary: 'KAI Scheduler: queues by quota, priority and fair share over what no quota takes',
  source: 'KAI Scheduler, proportion',
  options: kaiOptions,
  create: (options, env): Order => new KaiOrder(options, env),
})

/** Queues by quota, priority and fair share, as in the KAI Scheduler. */
export const kai = (options: KaiOptions = {}): Plug<'order'> => kaiOrder.plug({}, options)

/** Number of jobs that are checked against limits at a time. */
const AT_ONCE = 64

export class KaiOrder implements Order {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #claims = new Map<string, Claims>()
  readonly #fixedPriority: number
  readonly #fairSharesFirst: boolean
  readonly #tree: PoolTree
  readonly #lists: PoolLists
  readonly #queues: Queues
  /** `[lane][pool]`: as of the last sorting. */
  readonly #ranks: readonly Rank[][]
  readonly #isLimited: boolean
  /** Present where past usage counts. */
  readonly #past: PastUsage | undefined
  /** Present where they count and there are GPUs. */
  readonly #steady: SteadyShares | undefined
  readonly #now: () => Seconds
  /** Whether a job has come that is never preempted. */
  #hasFixed = false
  /** What is never preempted of jobs of which only tasks beyond their minimum may be. */
  readonly #minimums: Minimums
  readonly #allowed = { ids: new Int32Array(AT_ONCE), from: 0, to: 0 }
  /** The rest of the block that is being read. */
  #unread: { readonly ids: JobBlock['ids']; from: number; readonly to: number } = { ids: new Int32Array(), from: 0, to: 0 }
  #lane = 0 as LaneId

  /** Present where past usage counts. */
  readonly memory?: () => PastUsageMemory

  /**
   * Whether fair shares are held as they are. Set during preemption: tasks that a draft evicts wait again only after it, so their queues ask for no
   * less meanwhile.
   */
  areSharesHeld = false

  constructor(settings: KaiSettings, env: Env) {
    const { cluster, work } = env
    this.#cluster = cluster
    this.#work = work
    this.#now = () => env.now()
    for (const [name, queue] of Object.entries(settings.queues)) {
      const path = queuePath(name)
      if (this.#claims.has(path)) throw new SchedError('BAD_OPTION', 'is the same queue as another one here: `root.` may be left out, and "/" is ".".', { field: `queues.${name}` }, 'Name it once.')
      this.#claims.set(path, claimsOf(queue, cluster, `queues.${name}`))
    }
    this.#claims.set('', claimsOf(settings.defaults, cluster, 'defaults'))
    this.#fixedPriority = settings.nonPreemptiblePriority ?? Infinity
    this.#fairSharesFirst = settings.fairSharesFirst
    this.#isLimited = [...this.#claims.values()].some(isLimited)
    const past = settings.pastUsage && new PastUsage(settings.pastUsage, cluster, env.now())
    this.#past = past
    if (past !== undefined) this.memory = () => past.memory()
    this.#tree = new PoolTree({}, {}, cluster.lanes.map(({ name }) => name))
    this.#lists = new PoolLists(cluster.lanes.length, this.#tree, tieOrder(settings.ties, 'queue'))
    this.#queues = new Queues(env, this.#lists, past)
    this.#ranks = cluster.lanes.map(() => [])
    this.#minimums = new Minimums(cluster.lanes.length, work, (job, lane, r, amount) => { this.#queues.change(job, lane, 'fixed', r, amount) })
    this.#addPools(0)
    const gpu = cluster.resources.indexOf('gpu')
    if (settings.steadyFairShareReclaim && gpu >= 0) this.#steady = new SteadyShares(gpu as ResourceId, cluster, this.#tree, this.#queues, this.#claims, past)
  }

  admits(job: JobSpec): string | undefined {
    const { queue, user, priority = 0, preemptible } = job
    const isFixed = this.#isFixed(preemptible, priority)
    const parts = queuePath(queue ?? user ?? 'default').split('/')
    for (const stages of startedTogether(job)) {
      const isKept = isFixed || (preemptible === 'semi' && stages.every(({ optionalGroup }) => optionalGroup === undefined))
      for (const [r, name] of this.#cluster.resources.entries())
        for (const depth of parts.keys()) {
          const path = parts.slice(0, depth + 1).join('/')
          const asked = askedTogether(stages, name)
          const { limit, quota } = this.#claimsOf(path)
          const isQuota = isKept && (quota[r] as number) < (limit[r] as number)
          const most = (isQuota ? quota : limit)[r] as number
          if (asked > most) return `${whatStarts(stages)} asks ${asked} ${name}, and the ${isQuota ? 'quota' : 'limit'} of "${path}" is ${most}${isQuota ? ': what is never preempted stays within it' : ''}`
        }
    }
    return undefined
  }

  recall(memory: unknown): void {
    this.#past?.recall(memory as PastUsageMemory, this.#now())
    this.#queues.outdate()
  }

  // ---- reading ----

  /** Whether no job can be held back: there are no limits, and every job may be preempted. */
  get readsAll(): boolean {
    return this.#fixedPriority === Infinity && !this.#hasFixed && !this.#isLimited
  }

  begin({ lane, now }: Round): void {
    this.#lane = lane
    if (this.#past?.fetch(now) === true) this.#queues.outdate()
    if (!this.areSharesHeld) this.#queues.divide(lane)
    const touched = this.#queues.touched(lane)
    if (!this.areSharesHeld && this.#steady?.divide(lane) === true) for (let pool = 1; pool < this.#tree.pools.length; pool++) touched.add(pool)
    if (touched.size > 0) this.#sort(0, lane, touched)
    touched.clear()
    this.#lists.begin(lane)
    this.#unread.from = this.#unread.to
  }

  /** The next jobs without those that a limit holds back; a few at a time, since a reader often needs only the first. */
  next(): JobBlock | undefined {
    if (this.readsAll) return this.#lists.next()
    const allowed = this.#allowed
    for (;;) {
      if (this.#unread.from === this.#unread.to) {
        const block = this.#lists.next()
        if (block === undefined) return undefined
        this.#unread = { ids: block.ids, from: block.from, to: block.to }
      }
      const { ids, from, to } = this.#unread
      const end = Math.min(to, from + allowed.ids.length)
      allowed.to = 0
      for (let i = from; i < end; i++) if (this.mayStart(ids[i] as JobId)) allowed.ids[allowed.to++] = ids[i] as number
      this.#unread.from = end
      if (allowed.to > 0) return allowed
    }
  }

  /** All jobs with tasks to start in order, including those that a limit holds back; used in place of `next`. */
  allJobs(): JobId[] {
    const jobs: JobId[] = []
    for (let block = this.#lists.next(); block !== undefined; block = this.#lists.next()) for (let i = block.from; i < block.to; i++) jobs.push(block.ids[i] as JobId)
    return jobs
  }

  /** Whether the job may start its next task, or its gang: no limit forbids it, and, if the job is never preempted, no quota does. */
  mayStart(job: JobId): boolean {
    const isFixed = this.startsFixed(job)
    if (this.#hasFixed) this.#minimums.settle(this.#lane, this.resources)
    for (let pool = this.leaf(job); pool > 0; pool = this.#lists.parent(pool)) {
      const queue = this.queue(pool)
      if ((isFixed || queue.isLimited) && !this.#hasRoom(queue, job, isFixed)) return false
    }
    return true
  }

  #hasRoom({ allocated, fixed, limit, quota }: Queue, job: JobId, isFixed: boolean): boolean {
    for (const r of this.resources) {
      const asked = this.asked(job, r)
      if (asked === 0) continue
      if ((allocated[r] as number) + asked > (limit[r] as number)) return false
      if (isFixed && (fixed[r] as number) + asked > (quota[r] as number)) return false
    }
    return true
  }

  // ---- for who preempts; of the lane of the reading ----

  get resources(): readonly ResourceId[] {
    return this.#queues.resources(this.#lane)
  }

  /** What the job asks of a resource for what it would start next. */
  asked(job: JobId, r: ResourceId): number {
    return this.#work.asked(job, this.#lane, r)
  }

  isFixed(job: JobId): boolean {
    return this.#isFixed(this.#work.preemptible(job), this.#work.priority(job))
  }

  /** Whether only tasks beyond the minimum of the job may be preempted. */
  isSemi(job: JobId): boolean {
    return this.#work.preemptible(job) === 'semi'
  }

  /** Whether what the job starts next is never preempted. Source: KAI Scheduler, `getCoreRequiredQuota`. */
  startsFixed(job: JobId): boolean {
    return this.isFixed(job) || (this.isSemi(job) && lacksProtected(job, this.#lane, this.#work))
  }

  /** Whether a job is never preempted: what it says itself counts before its priority. Source: KAI Scheduler, `CalculatePreemptibility`. */
  #isFixed(preemptible: JobSpec['preemptible'], priority: number): boolean {
    return preemptible === undefined ? priority >= this.#fixedPriority : preemptible === false
  }

  leaf(job: JobId): number {
    return this.#queues.leaf(job)
  }

  /** Whether the queue of the job stays within its fair share with what the job would start next. */
  isWithinFairShare(job: JobId): boolean {
    const { allocated, fairShare } = this.queue(this.leaf(job))
    return this.resources.every((r) => (allocated[r] as number) + this.asked(job, r) <= (fairShare[r] as number))
  }

  /** The GPUs, if the job asks for some and its queue has fewer than its steady fair share, and such shares count. */
  reclaimsSteadily(job: JobId): ResourceId | undefined {
    const gpu = this.#steady?.gpu
    return gpu !== undefined && this.resources.includes(gpu) && this.asked(job, gpu) > 0 && isBelowSteadyShare(this.queue(this.leaf(job)), gpu) ? gpu : undefined
  }

  /** The queue of the job and those around it, outermost first. */
  path(job: JobId): Queue[] {
    const found: Queue[] = []
    for (let pool = this.leaf(job); pool > 0; pool = this.#lists.parent(pool)) found.unshift(this.queue(pool))
    return found
  }

  queue(pool: number): Queue {
    return this.#queues.of(pool, this.#lane)
  }

  isLeaf(pool: number): boolean {
    return this.#lists.isLeaf(pool)
  }

  /** The pool around a pool; 0 is the root. */
  parent(pool: number): number {
    return this.#lists.parent(pool)
  }

  /** The queues inside a queue that holds no jobs, of those that have anything. */
  inside(pool: number): Iterable<number> {
    return this.#queues.inside(pool, this.#lane)
  }

  /** The rank of the queue if it had so much more, and if its next job asked for so much. */
  rankWith(pool: number, more: (r: ResourceId) => number, asks?: (r: ResourceId) => number): Rank {
    const queue = this.queue(pool)
    const allocated = queue.allocated.slice()
    const asked = new Float64Array(allocated.length)
    for (const r of this.resources) {
      allocated[r] = (allocated[r] as number) + more(r)
      if (asks !== undefined) asked[r] = asks(r)
    }
    return rankOf({ ...queue, allocated, asked }, this.resources, this.#queues.capacity, this.#fairSharesFirst)
  }

  /** Below 0: pool a is served before b, if they have these ranks. */
  compare(a: number, rankA: Rank, b: number, rankB: Rank): number {
    return compareRanks(rankA, rankB) || this.#lists.tie(a) - this.#lists.tie(b)
  }

  /** The next time at which past usage changes fair shares; `Infinity`: never. */
  get nextChange(): Seconds {
    return this.#past?.next ?? Infinity
  }

  /**
   * Sorts the pools inside a touched pool that have jobs to start, from the innermost out; also where one has only left, since the rules may go round in a
   * circle, which its leaving opens.
   */
  #sort(pool: number, lane: LaneId, touched: ReadonlySet<number>): void {
    const lists = this.#lists
    const queues = this.#queues
    const ranks = this.#ranks[lane] as Rank[]
    const resources = queues.resources(lane)
    const { ids, from, to } = lists.listed(pool, lane)
    for (let i = from; i < to; i++) {
      const child = ids[i] as number
      if (!touched.has(child)) continue
      if (!lists.isLeaf(child)) this.#sort(child, lane, touched)
      const job = lists.firstJob(child, lane)
      const queue = queues.of(child, lane)
      for (const r of resources) queue.asked[r] = this.#work.asked(job, lane, r)
      ranks[child] = rankOf(queue, resources, queues.capacity, this.#fairSharesFirst, this.#steadily(queue, job, lane))
    }
    if (to - from === 1) return
    const sorted = Array.from(ids.subarray(from, to)).sort((a, b) => compareRanks(ranks[a] as Rank, ranks[b] as Rank) || lists.tie(a) - lists.tie(b))
    for (const [place, child] of sorted.entries()) lists.placePool(child, lane, place)
  }

  /** Whether the next job of a queue may reclaim by its steady fair share, as in `Rank`. */
  #steadily(queue: Queue, job: JobId, lane: LaneId): number {
    const gpu = this.#steady?.gpu
    if (gpu === undefined || queue.asked[gpu] === 0) return 0
    return isBelowSteadyShare(queue, gpu) && isBelowSteadyShare(this.#queues.of(this.leaf(job), lane), gpu) ? 1 : 2
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const known = this.#tree.pools.length
    const leaf = this.#tree.leaf(this.#work.queueName(this.#work.queue(job)))
    this.#addPools(known)
    this.#queues.submit(job, leaf.id)
    this.#hasFixed ||= this.isFixed(job) || this.isSemi(job)
    this.#lists.openJob(job, this.#work.rank(job))
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#lists.addJob(job, this.leaf(job), lane, this.#keyOf(job, lane))
    this.#askAnew(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#lists.placeJob(job, this.leaf(job), lane, this.#keyOf(job, lane))
    this.#askAnew(job, lane)
  }

  #askAnew(job: JobId, lane: LaneId): void {
    this.#queues.touch(this.leaf(job), lane)
    this.#queues.askAnew(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (this.#lists.isListed(job, lane)) this.#lists.removeJob(job, this.leaf(job), lane)
    this.#queues.touch(this.leaf(job), lane)
    this.#queues.recount(job, lane)
  }

  onFinish(job: JobId): void {
    if (this.isSemi(job)) this.#minimums.forget(job)
    this.#queues.finish(job)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#change(job, lane, task, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#change(job, lane, task, -1)
  }

  /**
   * The key of a job, the smallest first: higher priorities have smaller keys, and among these jobs with fewer tasks beyond those that they must
   * have at once.
   */
  #keyOf(job: JobId, lane: LaneId): number {
    const surplus = this.#work.running(job, lane) - this.#work.least(job, lane)
    return (surplus < 0 ? 0 : surplus === 0 ? 0.25 : 0.5) - Math.floor(this.#work.priority(job))
  }

  #change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const isFixed = this.isFixed(job)
    this.#queues.touch(this.leaf(job), lane)
    this.#queues.move(job, lane, task, sign, isFixed)
    if (!isFixed && this.isSemi(job)) this.#minimums.onChange(job, lane)
    if (this.#lists.isListed(job, lane)) this.#lists.placeJob(job, this.leaf(job), lane, this.#keyOf(job, lane))
  }

  #claimsOf(path: string): Claims {
    return this.#claims.get(path) ?? (this.#claims.get('') as Claims)
  }

  #addPools(from: number): void {
    const { pools } = this.#tree
    for (let id = from; id < pools.length; id++) {
      const { path } = pools[id] as Pool
      this.#lists.addPool(id)
      this.#queues.add(path, this.#claimsOf(path))
    }
  }
}

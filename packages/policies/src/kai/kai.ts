import { askedTogether, defineOrder, SchedError, startedTogether, whatStarts, type ClusterView, type Env, type JobBlock, type JobId, type JobSpec, type LaneId, type Order, type Plug, type ResourceId, type Round, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { PoolLists } from '../orders/pool-lists.js'
import { PoolTree, queuePath, type Pool } from '../orders/pools.js'
import { tieOrder } from '../orders/sharing-options.js'
import { fairShares, type Claimant } from './fair-shares.js'
import { lacksProtected, Minimums } from './minimum.js'
import { claimsOf, kaiOptions, type Claims, type KaiOptions, type KaiSettings } from './options.js'
import { PastUsage, type Meter, type PastUsageMemory } from './past-usage.js'
import { compareRanks, rankOf, type Rank, type Standing } from './queue-order.js'

/**
 * Queues by what each has of its fair share, at every level of their tree: a list of comparisons, of which the first that
 * distinguishes two queues decides (see `compareQueues`). Jobs of a queue go by priority (a whole number), then jobs with fewer tasks than they must have at
 * once, then those with exactly these, then the others; ties by submission. No queue ever exceeds a limit.
 *
 * Every reading sorts the queues with jobs to start; every change of what queues ask for costs a pass over those with any jobs.
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

/** A queue in one lane. */
export interface Queue extends Standing {
  readonly allocated: Float64Array
  /** The part of that which belongs to jobs that are never preempted. */
  readonly fixed: Float64Array
  readonly fairShare: Float64Array
  readonly asked: Float64Array
  /** What its jobs wait for. */
  readonly pending: Float64Array
  /** By resource: its claim in the division, an object that is kept. */
  readonly claimants: readonly Claimant[]
  /** By resource: the meter of what it has had; present where past usage counts. */
  readonly had: readonly Meter[] | undefined
  /** Whether it has a limit on any resource. */
  readonly isLimited: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export class KaiOrder implements Order {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #claims = new Map<string, Claims>()
  readonly #fixedPriority: number
  readonly #fairSharesFirst: boolean
  readonly #tree: PoolTree
  readonly #lists: PoolLists
  /** `[lane][pool]`. */
  readonly #queues: readonly Queue[][]
  readonly #leafOf: number[] = []
  /** `[lane][job * resources + resource]`: the job's part of `pending`. */
  readonly #waits: readonly number[][]
  /** `[lane][pool]`: the pools inside it that have anything or wait for it, and some that no longer do. */
  readonly #active: readonly Set<number>[][]
  /** `[lane][pool]`: these pools in the order of their ties, as of the last division. */
  readonly #inOrder: readonly (readonly number[])[][]
  /** By lane: whether fair shares are to be computed anew. */
  readonly #isStale: boolean[]
  readonly #isLimited: boolean
  /** Present where past usage counts. */
  readonly #past: PastUsage | undefined
  readonly #now: () => Seconds
  /** Whether a job has come that is never preempted. */
  #hasFixed = false
  /** What is never preempted of jobs of which only tasks beyond their minimum may be. */
  readonly #minimums: Minimums
  readonly #capacity: Float64Array
  readonly #before: Float64Array
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
    this.#queues = cluster.lanes.map(() => [])
    this.#active = cluster.lanes.map(() => [])
    this.#inOrder = cluster.lanes.map(() => [])
    this.#waits = cluster.lanes.map(() => [])
    this.#isStale = cluster.lanes.map(() => true)
    this.#minimums = new Minimums(cluster.lanes.length, work, (job, lane, r, amount) => { this.#add(job, lane, 'fixed', r, amount) })
    this.#capacity = new Float64Array(cluster.resources.length)
    this.#before = new Float64Array(cluster.resources.length)
    this.#addPools(0)
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
          const [what, most] = isKept && (quota[r] as number) < (limit[r] as number) ? ['quota', quota[r] as number] : ['limit', limit[r] as number]
          if (asked > most) return `${whatStarts(stages)} asks ${asked} ${name}, and the ${what} of "${path}" is ${most}`
        }
    }
    return undefined
  }

  recall(memory: unknown): void {
    this.#past?.recall(memory as PastUsageMemory, this.#now())
    this.#isStale.fill(true)
  }

  // ---- reading ----

  /** Whether no job can be held back: there are no limits, and every job may be preempted. */
  get readsAll(): boolean {
    return this.#fixedPriority === Infinity && !this.#hasFixed && !this.#isLimited
  }

  begin({ lane, now }: Round): void {
    this.#lane = lane
    if (this.#past?.fetch(now) === true) this.#isStale.fill(true)
    if (!this.areSharesHeld && this.#hasChanged(lane)) this.#divide(0, lane, this.#capacity)
    this.#sort(0, lane)
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
    return this.#resources(this.#lane)
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
    return this.#leafOf[job] as number
  }

  /** Whether the queue of the job stays within its fair share with what the job would start next. */
  isWithinFairShare(job: JobId): boolean {
    const { allocated, fairShare } = this.queue(this.leaf(job))
    return this.resources.every((r) => (allocated[r] as number) + this.asked(job, r) <= (fairShare[r] as number))
  }

  /** The queue of the job and those around it, outermost first. */
  path(job: JobId): Queue[] {
    const found: Queue[] = []
    for (let pool = this.leaf(job); pool > 0; pool = this.#lists.parent(pool)) found.unshift(this.queue(pool))
    return found
  }

  queue(pool: number): Queue {
    return this.#queues[this.#lane]?.[pool] as Queue
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
    return this.#active[this.#lane]?.[pool] as Set<number>
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
    return rankOf({ ...queue, allocated, asked }, this.resources, this.#capacity, this.#fairSharesFirst)
  }

  /** Below 0: pool a is served before b, if they have these ranks. */
  compare(a: number, rankA: Rank, b: number, rankB: Rank): number {
    return compareRanks(rankA, rankB, this.resources) || this.#lists.tie(a) - this.#lists.tie(b)
  }

  /** The next time at which past usage changes fair shares; `Infinity`: never. */
  get nextChange(): Seconds {
    return this.#past?.next ?? Infinity
  }

  #hasChanged(lane: LaneId): boolean {
    let hasChanged = this.#isStale[lane] === true
    for (const r of this.#resources(lane)) {
      hasChanged ||= this.#capacity[r] !== this.#cluster.capacity(r)
      this.#capacity[r] = this.#cluster.capacity(r)
    }
    this.#isStale[lane] = false
    return hasChanged
  }

  /** Divides what a pool is due among the pools inside it, and so on down. */
  #divide(pool: number, lane: LaneId, total: ArrayLike<number>): void {
    const lists = this.#lists
    const children = this.#activeIn(pool, lane)
    const queues = children.map((child) => this.#queues[lane]?.[child] as Queue)
    for (const r of this.#resources(lane)) {
      const claimants = queues.map(({ claimants: each, allocated, pending, had }) => {
        const claimant = each[r] as Mutable<Claimant>
        if (had !== undefined) claimant.usage = this.#past?.part(had, r) ?? 0
        claimant.request = (allocated[r] as number) + (pending[r] as number)
        return claimant
      })
      const shares = fairShares(total[r] as number, claimants, this.#cluster.deviceSize(r) || 1, this.#past?.kValue)
      for (const [i, { fairShare }] of queues.entries()) fairShare[r] = shares[i] as number
    }
    for (const [i, child] of children.entries()) if (!lists.isLeaf(child)) this.#divide(child, lane, (queues[i] as Queue).fairShare)
  }

  /** The pools inside a pool that have anything or wait for it, in the order of their ties; all others are due nothing. */
  #activeIn(pool: number, lane: LaneId): readonly number[] {
    const active = this.#active[lane]?.[pool] as Set<number>
    const resources = this.#resources(lane)
    let hasLess = false
    for (const child of active) {
      const { allocated, pending, fairShare } = this.#queues[lane]?.[child] as Queue
      if (resources.some((r) => allocated[r] !== 0 || pending[r] !== 0)) continue
      active.delete(child)
      fairShare.fill(0)
      hasLess = true
    }
    const inOrder = this.#inOrder[lane] as (readonly number[])[]
    const known = inOrder[pool]
    if (!hasLess && known?.length === active.size) return known
    return (inOrder[pool] = [...active].sort((a, b) => this.#lists.tie(a) - this.#lists.tie(b)))
  }

  /** Sorts the pools inside a pool that have jobs to start, from the innermost out. */
  #sort(pool: number, lane: LaneId): void {
    const lists = this.#lists
    const queues = this.#queues[lane] as Queue[]
    const { ids, from, to } = lists.listed(pool, lane)
    const waiting = Array.from(ids.subarray(from, to))
    for (const child of waiting) {
      if (!lists.isLeaf(child)) this.#sort(child, lane)
      const job = lists.firstJob(child, lane)
      for (const r of this.#resources(lane)) (queues[child] as Queue).asked[r] = this.#work.asked(job, lane, r)
    }
    if (waiting.length === 1) return
    const resources = this.#resources(lane)
    const ranked = waiting.map((child) => ({ child, rank: rankOf(queues[child] as Queue, resources, this.#capacity, this.#fairSharesFirst) }))
    ranked.sort((a, b) => compareRanks(a.rank, b.rank, resources) || lists.tie(a.child) - lists.tie(b.child))
    for (const [place, { child }] of ranked.entries()) lists.placePool(child, lane, place)
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const known = this.#tree.pools.length
    const leaf = this.#tree.leaf(this.#work.queueName(this.#work.queue(job)))
    this.#addPools(known)
    this.#leafOf[job] = leaf.id
    this.#hasFixed ||= this.isFixed(job) || this.isSemi(job)
    this.#lists.openJob(job, this.#work.rank(job))
    for (const waits of this.#waits) for (const r of this.#cluster.resources.keys()) waits[job * this.#cluster.resources.length + r] = 0
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#lists.addJob(job, this.#leafOf[job] as number, lane, this.#keyOf(job, lane))
    this.#refresh(job, lane)
    this.#isStale[lane] = true
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#lists.placeJob(job, this.#leafOf[job] as number, lane, this.#keyOf(job, lane))
    this.#refresh(job, lane)
    this.#isStale[lane] = true
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (this.#lists.isListed(job, lane)) this.#lists.removeJob(job, this.#leafOf[job] as number, lane)
    this.#refresh(job, lane)
  }

  /** Takes what a cancelled job waits for out of the sums. */
  onFinish(job: JobId): void {
    if (this.isSemi(job)) this.#minimums.forget(job)
    for (const [lane, waits] of this.#waits.entries()) {
      const isWaiting = this.#resources(lane as LaneId).some((r) => waits[job * this.#cluster.resources.length + r] !== 0)
      if (!isWaiting) continue
      this.#refresh(job, lane as LaneId)
      this.#isStale[lane] = true
    }
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

  /** Counts a task that starts or leaves. Fair shares do not change while the sum of what the queue has and waits for stays the same. */
  #change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { allocated, pending } = this.#queues[lane]?.[this.#leafOf[job] as number] as Queue
    const resources = this.#resources(lane)
    const before = this.#before
    for (const r of resources) before[r] = (allocated[r] as number) + (pending[r] as number)
    const shape = this.#work.shapeOf(task)
    for (const r of resources) this.#add(job, lane, 'allocated', r, sign * this.#work.demand(shape, r))
    if (this.isFixed(job)) for (const r of resources) this.#add(job, lane, 'fixed', r, sign * this.#work.demand(shape, r))
    else if (this.isSemi(job)) this.#minimums.onChange(job, lane)
    if (this.#lists.isListed(job, lane)) this.#lists.placeJob(job, this.#leafOf[job] as number, lane, this.#keyOf(job, lane))
    this.#refresh(job, lane)
    for (const r of resources) if (before[r] !== (allocated[r] as number) + (pending[r] as number)) this.#isStale[lane] = true
  }

  /** Counts anew what the job waits for. */
  #refresh(job: JobId, lane: LaneId): void {
    const waits = this.#waits[lane] as number[]
    for (const r of this.#resources(lane)) {
      const at = job * this.#cluster.resources.length + r
      const now = this.#work.waiting(job, lane, r)
      this.#add(job, lane, 'pending', r, now - (waits[at] as number))
      waits[at] = now
    }
  }

  #add(job: JobId, lane: LaneId, column: 'allocated' | 'fixed' | 'pending', r: ResourceId, amount: number): void {
    if (amount === 0) return
    const queues = this.#queues[lane] as Queue[]
    for (let pool = this.#leafOf[job] as number; pool > 0; pool = this.#lists.parent(pool)) {
      const queue = queues[pool] as Queue
      const amounts = queue[column]
      amounts[r] = (amounts[r] as number) + amount
      if (queue.had !== undefined && column === 'allocated') queue.had[r]?.set(amounts[r], this.#now())
      if (amount > 0) this.#active[lane]?.[this.#lists.parent(pool)]?.add(pool)
    }
  }

  #resources(lane: LaneId): readonly ResourceId[] {
    return this.#cluster.lanes[lane]?.resources ?? []
  }

  #claimsOf(path: string): Claims {
    return this.#claims.get(path) ?? (this.#claims.get('') as Claims)
  }

  #addPools(from: number): void {
    const { pools } = this.#tree
    if (pools.length === from) return
    const width = this.#cluster.resources.length
    const column = (): Float64Array => new Float64Array(width)
    for (let id = from; id < pools.length; id++) {
      this.#lists.addPool(id)
      for (const active of this.#active) active.push(new Set())
      const { path } = pools[id] as Pool
      const claims = this.#claimsOf(path)
      const { priority, quota, limit, weight } = claims
      const claimants = (): Claimant[] => Array.from({ length: width }, (_, r) => ({ priority, quota: quota[r] as number, limit: limit[r] as number, weight: weight[r] as number, request: 0 }))
      for (const [lane, queues] of this.#queues.entries()) queues.push({ ...claims, isLimited: isLimited(claims), claimants: claimants(), had: this.#past?.meters(`${lane} ${path}`), allocated: column(), fixed: column(), pending: column(), fairShare: column(), asked: column() })
    }
  }
}

const isLimited = ({ limit }: Claims): boolean => limit.some((most) => most < Infinity)

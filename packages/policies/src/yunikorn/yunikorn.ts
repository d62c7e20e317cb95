import {
  askedTogether, defineOrder, grown, jobsByName, ownValue, Reason, resourceNamed, SchedError, startedTogether, type Env, type JobBlock, type JobId, type JobSpec, type LaneId,
  type Order, type Plug, type Release, type ResourceId, type Round, type TaskId,
} from '@sched/core'
import { yunikornOptions, type YunikornOptions, type YunikornSettings } from './options.js'
import { QueueTree, type Queue } from './queue-tree.js'
import { UserLimits } from './user-limits.js'
import { Waiting, type Amounts } from './waiting.js'

/**
 * Queues and jobs in the order of Apache YuniKorn. At every level of the tree queues go by the highest priority that waits in them, then by the
 * part that they use of their guarantee or maximum, the smallest first. Jobs in a leaf go by priority, then by age or by what they use. No queue,
 * user or group ever exceeds a maximum, and a job that has not started waits while as many jobs run as may run at once.
 *
 * Source: YuniKorn 1.8, queue.go, sorters.go, application.go, package ugm. Deviations: gangs start as a whole, in YuniKorn placeholders are placed
 * one by one; a job counts as running from its first task on until it has ended; what later stages ask for counts when they begin; the total of all
 * nodes is that of the nodes that are up.
 */
export const yunikornOrder = defineOrder({
  name: 'yunikorn',
  summary: 'Apache YuniKorn: queues by priority and usage over what is guaranteed, with maximums, limits of users and groups',
  source: 'Apache YuniKorn, scheduler/objects',
  options: yunikornOptions,
  create: (options, env): Order => new YunikornOrder(options, env),
})

/** Queues and jobs in the order of Apache YuniKorn. */
export const yunikorn = (options: YunikornOptions = {}): Plug<'order'> => yunikornOrder.plug({}, options)

/** Number of jobs that are checked against limits at a time. */
const AT_ONCE = 64
const NONE: readonly ResourceId[] = []

export class YunikornOrder implements Order {
  readonly #env: Env
  readonly #n: number
  readonly #tree: QueueTree
  readonly #limits: UserLimits
  /** Lists of waiting jobs and queues, by lane. */
  readonly #waiting: readonly Waiting[]
  readonly #leafOf: number[] = []
  /** By name of a job that is yet to be submitted: its group. */
  readonly #groups = new Map<string, string>()
  readonly #amounts: Amounts
  /** `[job * resources + resource]`: the job's part of the pending amounts of queues. */
  #waits = new Float64Array(64)
  /** By queue: the number of running jobs. */
  readonly #running: number[] = []
  /** By job: whether it counts as running, and whether any task of it has really started. */
  readonly #counts: boolean[] = []
  readonly #hasStarted: boolean[] = []
  /** By job: the number of tasks that it has claimed. */
  readonly #claimed: number[] = []
  /** `[leaf][lane]`: how many of the jobs that count as running have tasks to start. */
  readonly #runningWait: number[][] = []
  readonly #allowed = { ids: new Int32Array(AT_ONCE), from: 0, to: 0 }
  #round: Round | undefined
  #lane = 0 as LaneId
  /** The reading under way: the queues entered, and the position in each. */
  readonly #path: number[] = []
  readonly #at: number[] = []
  /**
   * In the leaf that is being read, if as many jobs run as may: the number of running jobs still to come, the only ones that may start tasks; else
   * `Infinity`.
   */
  #left = Infinity

  constructor(settings: YunikornSettings, env: Env) {
    const { cluster, work } = env
    this.#env = env
    this.#n = cluster.resources.length
    this.#tree = new QueueTree(settings.root, cluster)
    const units = Float64Array.from(cluster.resources, (name) => ownValue(settings.units, name) ?? 1)
    this.#amounts = { used: new Float64Array(64), pending: new Float64Array(64), jobs: new Float64Array(64), most: [], units }
    for (const name of Object.keys(settings.units)) resourceNamed(name, cluster.resources, 'units')
    this.#limits = new UserLimits(this.#tree.queues, settings.groups, cluster, work)
    this.#waiting = cluster.lanes.map((_, lane) => new Waiting(lane as LaneId, this.#tree.queues, cluster, work, this.#amounts))
    this.#addQueues(0)
  }

  /** Refuses a job for a queue that cannot be made or holds no jobs, and a job that a maximum forbids for ever. */
  admits(spec: JobSpec): string | undefined {
    let leaf: Queue
    try {
      leaf = this.#leaf(spec.queue ?? spec.user ?? 'default')
    } catch (error) {
      if (error instanceof SchedError) return error.fact
      throw error
    }
    for (const stages of startedTogether(spec)) {
      const refusal = this.#tree.tooLarge(stages, leaf) ?? this.#limits.tooLarge(leaf.around, spec.user ?? 'default', spec.group, (name) => askedTogether(stages, name))
      if (refusal !== undefined) return refusal
    }
    if (spec.group !== undefined) this.#groups.set(spec.id, spec.group)
    return undefined
  }

  /** True without limits of queues, users and groups, since no job is held back then. */
  get readsAll(): boolean {
    return !this.#tree.areLimits && !this.#limits.areAny
  }

  // ---- reading ----

  begin(round: Round): void {
    this.#round = round
    this.#lane = round.lane
    this.#path.length = 0
    this.#at.length = 0
    this.#enter(0)
  }

  /** The next jobs without those that a limit holds back; a few at a time, since a reader often needs only the first. */
  next(): JobBlock | undefined {
    const waiting = this.#waiting[this.#lane] as Waiting
    while (this.#path.length > 0) {
      const depth = this.#path.length - 1
      const queue = this.#path[depth] as number
      const members = waiting.members(queue)
      const { ids, to } = members
      const at = this.#at[depth] as number
      if (at >= to || this.#left === 0) {
        this.#path.length = this.#at.length = depth
        this.#left = Infinity
      } else if ((this.#tree.queues[queue] as Queue).isLeaf) {
        const end = this.readsAll ? to : Math.min(to, at + AT_ONCE)
        this.#at[depth] = end
        const block = this.readsAll ? members : this.#allowedOf(ids, at, end)
        if (block.to > 0) return block
      } else {
        this.#at[depth] = at + 1
        this.#enter(ids[at] as number)
      }
    }
    return undefined
  }

  #enter(queue: number): void {
    const { isLeaf } = this.#tree.queues[queue] as Queue
    this.#left = isLeaf && this.isFull(queue) && !(this.#round as Round).explained ? (this.#runningWait[queue]?.[this.#lane] as number) : Infinity
    this.#path.push(queue)
    this.#at.push((this.#waiting[this.#lane] as Waiting).members(queue).from)
  }

  #allowedOf(ids: Int32Array, from: number, to: number): JobBlock {
    const allowed = this.#allowed
    const { explained } = this.#round as Round
    allowed.to = 0
    for (let i = from; i < to && this.#left > 0; i++) {
      const job = ids[i] as JobId
      if (this.#counts[job] === true) this.#left--
      else if (this.#left < Infinity) continue // only running jobs may start tasks
      const limit = this.limitOf(job)
      if (limit === undefined) allowed.ids[allowed.to++] = job
      else if (explained) this.#round?.defer(job, Reason.Limit, limit)
    }
    return allowed
  }

  // ---- for who preempts; of the lane of the reading ----

  get queues(): readonly Queue[] {
    return this.#tree.queues
  }

  get resources(): readonly ResourceId[] {
    return this.#env.cluster.lanes[this.#lane]?.resources ?? []
  }

  leaf(job: JobId): number {
    return this.#leafOf[job] as number
  }

  used(queue: number, r: ResourceId): number {
    return this.#amounts.used[queue * this.#n + r] as number
  }

  /** The jobs of a leaf, or the queues of a parent, that have tasks to start, in order. */
  members(queue: number): JobBlock {
    return (this.#waiting[this.#lane] as Waiting).members(queue)
  }

  /** Whether as many jobs as may run at once do in the queue or in one around it. */
  isFull(queue: number): boolean {
    return this.#fullOf(this.#tree.queues[queue] as Queue) !== undefined
  }

  /** Whether the job does not run, and limits of queues, users or groups on running jobs keep it from starting. */
  mayNotRun(job: JobId): boolean {
    if (this.#counts[job] === true) return false
    const { around, capped } = this.#tree.queues[this.#leafOf[job] as number] as Queue
    if (capped.length === 0 && !this.#limits.areAny) return false
    return this.isFull(this.#leafOf[job] as number) || this.#limits.forbids(job, around, false, NONE, () => 0) !== undefined
  }

  /** The limit, in words, that forbids what the job would start next, or with `isOne` the first task of that; `undefined`: none. */
  limitOf(job: JobId, isOne = false): string | undefined {
    return this.limitOfOthers(job, isOne) ?? this.#maximumOf(job, isOne)
  }

  /** The same without the maximums of queues. */
  limitOfOthers(job: JobId, isOne = false): string | undefined {
    const leaf = this.#tree.queues[this.#leafOf[job] as number] as Queue
    const full = this.#counts[job] === true ? undefined : this.#fullOf(leaf)
    if (full !== undefined) return `maxApplications of ${full.path}`
    return this.#limits.areAny ? this.#limits.forbids(job, leaf.around, this.#counts[job] === true, this.resources, (r) => this.#asked(job, r, isOne)) : undefined
  }

  /** The queue itself or one around it in which as many jobs run as may; `undefined` if there is none. */
  #fullOf({ capped }: Queue): Queue | undefined {
    for (let i = 0; i < capped.length; i++) {
      const queue = this.#tree.queues[capped[i] as number] as Queue
      if ((this.#running[queue.id] as number) >= queue.settings.maxApplications) return queue
    }
    return undefined
  }

  #maximumOf(job: JobId, isOne: boolean): string | undefined {
    const { bounded } = this.#tree.queues[this.#leafOf[job] as number] as Queue
    for (let i = 0; i < bounded.length; i++) {
      const { queue, resource, most } = bounded[i] as (typeof bounded)[number]
      const asked = this.#asked(job, resource, isOne)
      if (asked > 0 && this.used(queue, resource) + asked > most) return `max of ${(this.#tree.queues[queue] as Queue).path}`
    }
    return undefined
  }

  #asked(job: JobId, r: ResourceId, isOne: boolean): number {
    const { work } = this.#env
    return isOne ? work.demand(work.shape(job, this.#lane), r) : work.asked(job, this.#lane, r)
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const { work, cluster } = this.#env
    const leaf = this.#leaf(work.queueName(work.queue(job)))
    const end = (job + 1) * this.#n
    if (end > this.#amounts.jobs.length) {
      this.#amounts.jobs = grown(this.#amounts.jobs, end)
      this.#waits = grown(this.#waits, end)
    }
    this.#amounts.jobs.fill(0, job * this.#n, end)
    this.#waits.fill(0, job * this.#n, end)
    this.#leafOf[job] = leaf.id
    this.#counts[job] = this.#hasStarted[job] = false
    this.#claimed[job] = 0
    this.#limits.open(job, leaf, this.#groups.get(work.name(job)))
    this.#groups.delete(work.name(job))
    for (let lane = 0; lane < cluster.lanes.length; lane++) this.#waiting[lane]?.open(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    const leaf = this.#leafOf[job] as number
    this.#refresh(job, lane)
    this.#waiting[lane]?.add(job, leaf)
    if (this.#counts[job] === true) this.#countRunningWait(leaf, lane, 1)
    this.#place(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#refresh(job, lane)
    this.#place(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    const leaf = this.#leafOf[job] as number
    if (this.#counts[job] === true && this.#waiting[lane]?.isListed(job) === true) this.#countRunningWait(leaf, lane, -1)
    this.#waiting[lane]?.remove(job, leaf)
    this.#refresh(job, lane)
    this.#place(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#change(job, lane, task, 1)
    this.#claimed[job] = (this.#claimed[job] as number) + 1
    if (this.#counts[job] !== true) this.#count(job, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: number, why: Release): void {
    this.#change(job, lane, task, -1)
    const left = (this.#claimed[job] as number) - 1
    this.#claimed[job] = left
    if (why !== 'withdrawn') this.#hasStarted[job] = true
    else if (left === 0 && this.#hasStarted[job] !== true) this.#count(job, -1)
  }

  onFinish(job: JobId): void {
    if (this.#counts[job] === true) this.#count(job, -1)
    for (let r = 0 as ResourceId; r < this.#n; r++) this.#addPending(job, r, -(this.#waits[job * this.#n + r] as number))
    for (let lane = 0 as LaneId; lane < this.#waiting.length; lane++) this.#place(job, lane) // its queue, for which a job that is cancelled waits no more
  }

  onNode(): void {
    this.#spread()
    for (const waiting of this.#waiting) waiting.placeQueues()
  }

  /** Names of the jobs that count as running, some of which may have no task left of those that they have started. */
  memory(): readonly string[] {
    const { work } = this.#env
    return work.jobs().filter((job) => this.#counts[job] === true).map((job) => work.name(job))
  }

  recall(memory: unknown): void {
    const running = new Set(memory as readonly string[])
    for (const [name, job] of jobsByName(this.#env.work)) {
      if (!running.has(name) || this.#counts[job] === true) continue
      this.#hasStarted[job] = true
      this.#count(job, 1)
    }
  }

  /** A job begins (`by` 1), or ceases (-1), to count as running. */
  #count(job: JobId, by: 1 | -1): void {
    this.#counts[job] = by === 1
    const { id, around } = this.#tree.queues[this.#leafOf[job] as number] as Queue
    for (const queue of around) this.#running[queue] = (this.#running[queue] as number) + by
    this.#limits.count(job, around, by)
    for (const [lane, waiting] of this.#waiting.entries()) if (waiting.isListed(job)) this.#countRunningWait(id, lane as LaneId, by)
  }

  #countRunningWait(leaf: number, lane: LaneId, by: 1 | -1): void {
    const counts = this.#runningWait[leaf] as number[]
    counts[lane] = (counts[lane] as number) + by
  }

  #change(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { work, cluster } = this.#env
    const shape = work.shapeOf(task)
    const { around } = this.#tree.queues[this.#leafOf[job] as number] as Queue
    for (const r of cluster.lanes[lane]?.resources ?? []) {
      const amount = sign * work.demand(shape, r)
      if (amount === 0) continue
      this.#amounts.jobs[job * this.#n + r] = (this.#amounts.jobs[job * this.#n + r] as number) + amount
      for (const queue of around) this.#amounts.used[queue * this.#n + r] = (this.#amounts.used[queue * this.#n + r] as number) + amount
      this.#limits.change(job, around, r, amount)
    }
    this.#refresh(job, lane)
    this.#place(job, lane)
  }

  /** Counts anew what the job waits for. */
  #refresh(job: JobId, lane: LaneId): void {
    const { work, cluster } = this.#env
    const unplaced = work.unplaced(job, lane)
    for (const r of cluster.lanes[lane]?.resources ?? []) {
      const now = unplaced === 0 ? 0 : unplaced * work.demand(work.shape(job, lane), r)
      this.#addPending(job, r, now - (this.#waits[job * this.#n + r] as number))
    }
  }

  #addPending(job: JobId, r: ResourceId, by: number): void {
    if (by === 0) return
    const at = job * this.#n + r
    this.#waits[at] = (this.#waits[at] as number) + by
    for (const queue of (this.#tree.queues[this.#leafOf[job] as number] as Queue).around)
      this.#amounts.pending[queue * this.#n + r] = (this.#amounts.pending[queue * this.#n + r] as number) + by
  }

  #place(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.place(job, this.#leafOf[job] as number)
  }

  #leaf(name: string): Queue {
    const known = this.#tree.queues.length
    const leaf = this.#tree.leaf(name)
    this.#addQueues(known)
    return leaf
  }

  #addQueues(from: number): void {
    const { queues } = this.#tree
    if (queues.length === from) return
    const size = queues.length * this.#n
    if (size > this.#amounts.used.length) {
      this.#amounts.used = grown(this.#amounts.used, size)
      this.#amounts.pending = grown(this.#amounts.pending, size)
    }
    for (const queue of queues.slice(from)) {
      this.#running.push(0)
      this.#amounts.most.push(new Float64Array(this.#n))
      this.#runningWait.push(this.#waiting.map(() => 0))
      for (const waiting of this.#waiting) waiting.addQueue(queue)
    }
    this.#spread(from)
  }

  /** Sets, for queues from `from` on, the maximum by which they are compared: their own, or that of the nearest queue around, or the total of all nodes. */
  #spread(from = 0): void {
    const { cluster } = this.#env
    for (const { id, parent, max } of this.#tree.queues.slice(from))
      for (let r = 0 as ResourceId; r < this.#n; r++) {
        const own = max[r] as number
        ;(this.#amounts.most[id] as Float64Array)[r] = !Number.isNaN(own) ? own : parent < 0 ? cluster.capacity(r) : (this.#amounts.most[parent]?.[r] as number)
      }
  }
}

import { None, portableLog2, ownValue, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type Round, type ShapeId, type TaskId, type UserId } from '@sched/core'
import { JobLimits, type AdmittedMemory } from '../orders/job-limits.js'
import { Admission } from './admission.js'
import { dominantShare } from './comparing.js'
import { HeldAmounts } from './held-amounts.js'
import { LeafUsers, RATIO } from './leaf-users.js'
import { MadeQueues, type MadeMemory } from './made-queues.js'
import { MasterLimits } from './master-limits.js'
import type { ReadCapacityOptions } from './queue-options.js'
import { choosePartition, Pots } from './pots.js'
import { QueueTree, type Queue } from './queue-tree.js'
import { Quotas } from './quotas.js'
import { QueueUsage } from './usage.js'
import { UserLimits } from './user-limits.js'
import { WaitingLists } from './waiting-lists.js'

/** Names of the jobs that may run, and the queues that were made at first use. */
export interface QueuesMemory {
  readonly admitted: AdmittedMemory
  readonly made: MadeMemory
}

/** The live state of a capacity scheduler: queues, users and jobs, what each uses and who waits. The hooks of the order keep it current. */
export class CapacityQueues {
  readonly tree: QueueTree
  readonly pots: Pots
  readonly quotas: Quotas
  readonly usage: QueueUsage
  readonly users: LeafUsers
  readonly limits: UserLimits
  readonly waiting: WaitingLists
  /** What jobs hold by reservations. */
  readonly held: HeldAmounts
  /** By job: its pair, which is its user in its leaf (see `LeafUsers`). */
  readonly pairOf: number[] = []
  readonly #env: Env
  readonly #options: ReadCapacityOptions
  readonly #admission: Admission
  readonly #made: MadeQueues
  /** The number of changes of the tree that the columns include. */
  #changes = 0
  readonly #limits: JobLimits
  readonly #masters: MasterLimits
  /** The queues of the tree as `JobLimits` reads them. */
  readonly #limited: { readonly path: string; readonly parent: number; readonly maxRunningJobs: number }[] = []
  /** `[job * lanes + lane]`: memory that a job uses, for the fair order inside leaves. */
  readonly #memory: number[] = []
  /** By shape: the partitions with nodes that it may run on. */
  readonly #partitions: (readonly number[])[] = []
  readonly #admitted: JobId[] = []
  /** Called when what a waiting job wants may have changed. */
  onWaiting: ((job: JobId, lane: LaneId) => void) | undefined
  /** Tasks that may be killed for others, under lazy preemption. */
  killable: { readonly amounts: Float64Array; has(task: TaskId): boolean } | undefined
  /** By pot: whether its idle resources are lent to jobs of the default partition. */
  readonly isLent: readonly boolean[]
  /** By lane: the smallest allocation of each counted resource, which is also the step of limits. */
  readonly minimum: readonly (readonly number[])[]

  constructor(options: ReadCapacityOptions, env: Env) {
    const { cluster, work } = env
    this.#env = env
    this.#options = options
    this.pots = new Pots(cluster, work, options.resourceCalculator === 'dominant', options.partitionLabel)
    const counted = this.pots.counted.flat().map((r) => cluster.resources[r])
    this.tree = new QueueTree(options, (name) => counted.includes(name))
    this.quotas = new Quotas(this.tree, this.pots, cluster, { isLegacy: options.legacyQueueMode })
    const { exclusiveLabels } = options
    this.isLent = Array.from(
      { length: this.pots.count },
      (_, pot) => pot >= this.pots.lanes
        && exclusiveLabels !== '*'
        && !exclusiveLabels.includes(this.pots.partitions[this.pots.partitionOf(pot)] as string),
    )
    this.minimum = this.pots.counted.map((resources) => Array.from(
      { length: this.pots.width },
      (_, i) => Math.max(1, ownValue(options.minimumAllocation, cluster.resources[resources[i] ?? -1] ?? '') ?? 1),
    ))
    this.usage = new QueueUsage(this.tree, this.quotas, this.pots, options.ties === 'capacity', this.minimum)
    this.users = new LeafUsers(this.pots.count, this.pots.lanes, this.pots.width)
    this.waiting = new WaitingLists(this.tree, this.pots, this.users, this.usage)
    this.held = new HeldAmounts(this.tree, this.pots)
    this.limits = new UserLimits(this.tree, this.pots, this.users, this.minimum, options.userLimitBasis)
    this.#admission = new Admission(options, this.tree, cluster, work)
    this.#made = new MadeQueues(options, this.tree, env)
    this.#limitJobs()
    const perUser = Object.fromEntries(Object.entries(options.users).map(([user, { maxParallelApps }]) => [user, maxParallelApps]))
    this.#limits = new JobLimits(
      work,
      {
        pools: this.#limited,
        poolOf: (job) => this.leafOf(job),
        users: perUser,
        userDefault: options.maxParallelAppsPerUser ?? Infinity,
        poolDefault: options.defaults.maxParallelApps ?? Infinity,
        option: 'maxParallelApps',
      },
      false,
    )
    const { tree, pots, quotas, usage, users, minimum } = this
    this.#masters = new MasterLimits({
      work, tree, pots, quotas, usage, users, minimum,
      potOfShape: (shape, leaf, lane) => this.potOfShape(shape, leaf, lane), priorityIn: (job, queue) => this.priorityIn(job, queue), activated: (job) => this.#listWaiting(job),
      deactivated: (job) => {
        for (let lane = 0 as LaneId; lane < pots.lanes; lane++) this.drained(job, lane)
      },
    })
    this.#addColumns()
  }

  leafOf(job: JobId): number {
    return this.users.leaf[this.pairOf[job] as number] as number
  }

  refusal(spec: JobSpec, again: boolean): string | undefined {
    this.#look()
    return this.#admission.refusal(spec, again)
  }

  queueFor(spec: JobSpec): string | undefined {
    return this.#admission.queueFor(spec)
  }

  // ---- jobs ----

  add(job: JobId): void {
    const { work } = this.#env
    this.#look()
    const leaf = this.#admission.enter(job)
    this.#made.enter(job, leaf)
    this.#followTree()
    this.pairOf[job] = this.#pair(leaf, work.user(job))
    this.waiting.enter(job)
    for (let lane = 0; lane < this.pots.lanes; lane++) this.#memory[job * this.pots.lanes + lane] = 0
    if (this.#limits.ask(job)) this.#activateAll([job])
  }

  remove(job: JobId): void {
    const { work } = this.#env
    this.#look()
    this.#made.leave(job, this.leafOf(job))
    this.#admission.leave(this.leafOf(job), work.userName(work.user(job)))
    this.#admitted.length = 0
    this.#limits.leave(job, this.#admitted)
    this.#masters.remove(job)
    this.#activateAll(this.#admitted)
  }

  memory(): QueuesMemory {
    return { admitted: this.#limits.memory(), made: this.#made.memory() }
  }

  recall({ admitted, made }: QueuesMemory): void {
    this.#made.recall(made)
    this.#followTree()
    const changed = this.#limits.recall(admitted)
    for (const job of changed)
      if (!this.#limits.admitted(job)) {
        for (let lane = 0 as LaneId; lane < this.pots.lanes; lane++) this.drained(job, lane)
        this.#masters.remove(job)
      }
    this.#activateAll(changed.filter((job) => this.#limits.admitted(job)))
  }

  /** Passes jobs that may run on to the limits of masters, where they ask to be active. */
  #activateAll(jobs: readonly JobId[]): void {
    for (const job of jobs) {
      if (this.#env.work.masterShape(job) !== None) this.refresh()
      this.#masters.add(job, this.pairOf[job] as number)
    }
  }

  #listWaiting(job: JobId): void {
    for (let lane = 0 as LaneId; lane < this.pots.lanes; lane++) if (this.#env.work.unplaced(job, lane) > 0) this.#list(job, lane)
  }

  /** Defers, for a round that is explained, the jobs that wait because of a limit of running jobs or of masters. */
  explainRunning(round: Round): void {
    this.#limits.explain(round)
    this.#masters.explain(round)
  }

  ready(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job) && this.#masters.isActive(job)) this.#list(job, lane)
  }

  drained(job: JobId, lane: LaneId): void {
    if (this.waiting.potIn(job, lane) < 0) return
    this.#unlist(job, lane)
    this.#activate(this.pairOf[job] as number, lane, -1)
  }

  /** A waiting job asks for something else now. */
  renew(job: JobId, lane: LaneId): void {
    this.onWaiting?.(job, lane)
    const pot = this.waiting.potIn(job, lane)
    if (pot < 0) return
    const queue = this.tree.queue(this.leafOf(job))
    if (this.#potFor(job, lane) === pot && (queue.ordering !== 'fair' || this.keyIn(job, lane, queue) === this.users.jobKeys[pot]?.key[job])) return
    this.#unlist(job, lane)
    this.#enlist(job, lane)
  }

  #list(job: JobId, lane: LaneId): void {
    this.#enlist(job, lane)
    this.#activate(this.pairOf[job] as number, lane, 1)
  }

  #enlist(job: JobId, lane: LaneId): void {
    const pair = this.pairOf[job] as number
    const queue = this.tree.queue(this.users.leaf[pair] as number)
    this.waiting.add(job, lane, pair, this.#potFor(job, lane), this.keyIn(job, lane, queue), this.#env.work.rank(job))
    this.onWaiting?.(job, lane)
  }

  #unlist(job: JobId, lane: LaneId): void {
    this.waiting.remove(job, lane, this.pairOf[job] as number)
    this.onWaiting?.(job, lane)
  }

  /** The key by which the jobs of a leaf are sorted, smallest first. */
  keyIn(job: JobId, lane: LaneId, queue: Queue): number {
    if (queue.ordering !== 'fair') return -this.priorityIn(job, queue)
    const used = this.#memory[job * this.pots.lanes + lane] as number
    return queue.isSizeBased ? used / portableLog2(1 + Math.max(1, used + this.#wanted(job, lane))) : used
  }

  /** The priority that a job has in a leaf. */
  priorityIn(job: JobId, { ordering, own }: Queue): number {
    const { work } = this.#env
    const priority = work.priority(job) === 0 ? (own.defaultApplicationPriority ?? 0) : work.priority(job)
    return ordering === 'priority' ? priority : Math.min(Math.max(0, priority), this.#options.maximumApplicationPriority)
  }

  /** Memory that the job's waiting tasks want, taking all of them as large as the next one. */
  #wanted(job: JobId, lane: LaneId): number {
    const { work } = this.#env
    if (work.unplaced(job, lane) === 0) return 0
    // to be called before `demands` is read, which it may replace
    const at = this.pots.demandAt(work.shape(job, lane), lane) + (this.pots.memory[lane] as number)
    return work.unplaced(job, lane) * (this.pots.demands[at] as number)
  }

  /** The pot to which the job's next task belongs. */
  #potFor(job: JobId, lane: LaneId): number {
    return this.pots.partitions.length === 1 ? lane : this.potOfShape(this.#env.work.shape(job, lane), this.leafOf(job), lane)
  }

  /** The pot to which tasks of a shape belong: that of the default partition of their leaf, or of a partition that they require. */
  potOfShape(shape: ShapeId, leaf: number, lane: LaneId): number {
    const allowed = (this.#partitions[shape] ??= this.pots.partitionsWith((node) => this.#env.work.mayRunOn(shape, node)))
    return this.pots.at(lane, choosePartition(allowed, Math.max(0, this.pots.partitions.indexOf(this.tree.queue(leaf).defaultLabel))))
  }

  // ---- what is used ----

  /** A task of the job was claimed on a node (`sign` 1), or has left it (-1). */
  change(job: JobId, lane: LaneId, shape: ShapeId, node: NodeId, sign: 1 | -1): void {
    const { pots, users } = this
    const leaf = users.leaf[this.pairOf[job] as number] as number
    this.#count(job, lane, shape, node, sign)
    if (sign === 1 && this.#masters.areWaiting && !this.#masters.isActive(job)) this.#masters.resume(job)
    this.onWaiting?.(job, lane)
    if (this.tree.isFair[leaf] === false && pots.partitions.length === 1) return
    const index = job * pots.lanes + lane
    this.#memory[index] = (this.#memory[index] as number) + sign * (pots.demands[pots.demandAt(shape, lane) + (pots.memory[lane] as number)] as number)
    if (this.#env.work.unplaced(job, lane) > 0) this.renew(job, lane)
  }

  /** Counts a task, or a reservation for one, as used by the user and the queues. */
  #count(job: JobId, lane: LaneId, shape: ShapeId, node: NodeId, sign: 1 | -1): void {
    const { pots, users } = this
    const pot = pots.of(lane, node)
    const from = pots.demandAt(shape, lane)
    const { demands, width, count } = pots
    const pair = this.pairOf[job] as number
    const leaf = users.leaf[pair] as number
    const at = pair * count + pot
    const { used, ratio } = users
    for (let i = 0; i < width; i++) used[at * width + i] = (used[at * width + i] as number) + sign * (demands[from + i] as number)
    const before = ratio[at] as number
    this.#share(pair, pot)
    this.limits.change(leaf, pot, (users.active[pair * pots.lanes + lane] as number) > 0, demands, from, sign, (ratio[at] as number) - before)
    this.usage.change(leaf, pot, demands, from, sign)
  }

  /** Computes anew the share of a pot that a user uses. */
  #share(pair: number, pot: number): void {
    const { pots, users } = this
    const { width, totals } = pots
    const at = pair * pots.count + pot
    const share = dominantShare(users.used, at * width, totals, pot * width, width)
    users.share[at] = share
    users.ratio[at] = Math.floor(share * RATIO)
  }

  /** Counts a reservation that was made (`sign` 1) or given up (-1) as used, without `#memory`: the fair order of jobs counts running tasks only. */
  hold(job: JobId, lane: LaneId, shape: ShapeId, node: NodeId, sign: 1 | -1): void {
    this.#count(job, lane, shape, node, sign)
    if (this.pots.isDefault(node)) this.held.change(job, lane, shape, this.pots.of(lane, node), this.pairOf[job] as number, this.leafOf(job), sign)
  }

  /** One more job of a user waits in a lane, or one less: the first makes the user active, the last makes it inactive. */
  #activate(pair: number, lane: number, change: 1 | -1): void {
    const { pots, users } = this
    const at = pair * pots.lanes + lane
    const jobs = (users.active[at] as number) + change
    users.active[at] = jobs
    if (jobs > 1 || (jobs === 1 && change < 0)) return
    this.limits.activate(pair, lane, jobs === 1 ? 1 : -1)
  }

  // ---- the tree ----

  /** Brings guarantees up to date before a reading. */
  refresh(): void {
    this.#look()
    if (this.usage.refresh()) this.limits.refresh(this.quotas)
  }

  /** A node went down or came up: shares of queues and of users are of the amounts that are there now (Hadoop's `recalculateQueueUsageRatio`). */
  resize(): void {
    const { pots, users } = this
    pots.refresh()
    for (let pair = 0; pair < users.count; pair++)
      for (let pot = 0; pot < pots.count; pot++) {
        const before = users.ratio[pair * pots.count + pot] as number
        this.#share(pair, pot)
        this.limits.reshare(users.leaf[pair] as number, pot, (users.ratio[pair * pots.count + pot] as number) - before)
      }
    this.usage.spoil()
    if (!this.#masters.areWaiting) return
    this.refresh()
    this.#masters.activateAll()
  }

  #pair(leaf: number, user: UserId): number {
    const { work } = this.#env
    return this.users.pair(leaf, user, this.tree.queue(leaf).userWeights.get(work.userName(user)) ?? 1)
  }

  #look(): void {
    this.#made.look()
    this.#followTree()
  }

  #followTree(): void {
    if (this.#changes < this.tree.changes) this.#addColumns()
  }

  #addColumns(): void {
    this.#changes = this.tree.changes
    this.usage.addQueues()
    this.limits.addQueues()
    this.waiting.addQueues()
    this.#limitJobs()
  }

  /** Adds new queues to the limits of running jobs. */
  #limitJobs(): void {
    for (const { path, parent, maxRunningJobs } of this.tree.queues.slice(this.#limited.length)) this.#limited.push({ path, parent, maxRunningJobs })
  }
}

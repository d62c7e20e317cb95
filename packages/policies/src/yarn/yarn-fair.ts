import {
  defineOrder, None, portableLog2, Reason, SchedError, startedTogether, type Env, type JobBlock, type JobId, type JobSpec, type LaneId, type Order,
  type Plug, type ResourceId, type Round, type ShapeId, type TaskId,
} from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { JobLimits, type AdmittedMemory } from '../orders/job-limits.js'
import { yarnFairOptions, type YarnFairOptions } from './options.js'
import { QueueTree, type Queue } from './queue-tree.js'
import type { RankedIds } from '../orders/ranked-ids.js'
import { RankedQueues } from './ranked-queues.js'
import { memoryOf } from './resources.js'
import { tooLarge } from './too-large.js'
import { Usage } from './usage.js'
import { QueueSharing } from './queue-sharing.js'

/**
 * Queues and jobs in the order of YARN's fair scheduler: at every level of the queue tree by the policy of the parent (fair
 * on memory, drf, fifo for jobs), those below their minimum shares first; ties between queues by name, between jobs by submission. A job whose
 * next task, or gang, would put its queue or one around it above its maximum is left out of the reading. Each lane has its own order.
 *
 * Source: Hadoop 3, FairScheduler and its policies.
 * Deviations: jobs beyond a limit of running jobs are admitted by priority, then submission; the demand of a job is that of its
 * open stage, all of it counted at the size of its next task.
 */
export const yarnFairOrder = defineOrder({
  name: 'yarn-fair',
  summary: 'queues of YARN\'s fair scheduler: fair, drf or fifo by queue, minimum and maximum resources',
  source: 'Hadoop 3, FairScheduler',
  options: yarnFairOptions,
  create: (options, env) => new YarnFair(options, env),
})

/** The order of YARN's fair scheduler. */
export const yarnFair = (options: YarnFairOptions = {}): Plug<'order'> => yarnFairOrder.plug({}, options)

class YarnFair implements Order {
  readonly sharing: QueueSharing
  readonly #env: Env
  readonly #options: z.output<typeof yarnFairOptions>
  readonly #lanes: number
  readonly #tree: QueueTree
  readonly #limits: JobLimits
  readonly #usage: Usage
  readonly #queueOf: number[] = []
  readonly #weightOf: number[] = []
  readonly #lists: RankedQueues
  readonly #capacity: number[]
  /** Per lane: the resource that `fair` compares. */
  readonly #memory: readonly ResourceId[]
  /** By queue: the number of jobs that may run in it and in the queues inside it. */
  readonly #jobs: number[] = []
  readonly #admitted: JobId[] = []
  /** The reading under way: queues entered, the position in each, and the room below the maxima, `[depth * resources + resource]`. */
  readonly #path: number[] = []
  readonly #at: number[] = []
  readonly #room: number[] = []
  #filtered = new Int32Array(64)
  #depth = 0
  #round: Round | undefined
  /** Whether any job so far has a master. */
  #hasMasters = false

  constructor(options: z.output<typeof yarnFairOptions>, env: Env) {
    const { cluster, work } = env
    this.#env = env
    this.#options = options
    this.#lanes = cluster.lanes.length
    this.#tree = new QueueTree(options.root, options.defaults, cluster)
    this.#capacity = cluster.resources.map((_, r) => cluster.capacity(r as ResourceId))
    this.#memory = cluster.lanes.map((lane) => memoryOf(lane, cluster, options.memory))
    this.#usage = new Usage(env, this.#tree, (job) => this.#queueOf[job] as number)
    this.#limits = new JobLimits(work, {
      pools: this.#tree.queues,
      poolOf: (job) => this.#queueOf[job] as number,
      users: Object.fromEntries(Object.entries(options.users).map(([user, { maxRunningApps }]) => [user, maxRunningApps])),
      userDefault: options.userMaxRunningApps ?? Infinity,
      poolDefault: options.defaults.maxRunningApps ?? Infinity,
      option: 'maxRunningApps',
    })
    const weightOf = (job: JobId, lane: LaneId) => this.#weight(job, lane)
    this.#lists = new RankedQueues(env, this.#tree, this.#usage, { poolOrder: options.poolOrder, memory: this.#memory, capacity: this.#capacity, weightOf, jobs: this.#jobs })
    this.sharing = new QueueSharing(
      env,
      this.#tree,
      this.#usage,
      {
        jobs: this.#jobs,
        poolOf: (job) => this.#queueOf[job] as number,
        weightOf,
        memory: this.#memory,
        mayRun: (job) => this.#limits.admitted(job),
      },
    )
    this.#addQueues(0)
  }

  // ---- reading ----

  begin(round: Round): void {
    this.#round = round
    this.#depth = 0
    this.#limits.explain(round)
    this.#enter(0)
  }

  next(): JobBlock | undefined {
    const { queues } = this.#tree
    const lane = (this.#round as Round).lane
    while (this.#depth > 0) {
      const top = this.#depth - 1
      const queue = this.#path[top] as number
      const list = this.#lists.members(queue, lane)
      if ((queues[queue] as Queue).isParent) {
        const at = this.#at[top] as number
        if (at >= list.to) this.#depth = top
        else {
          this.#at[top] = at + 1
          this.#enter(list.ids[at] as number)
        }
        continue
      }
      this.#depth = top
      const block = (queues[queue] as Queue).capped || this.#hasMasters ? this.#within(list, top, queues[queue] as Queue) : list
      if (block.to > block.from) return block
    }
    return undefined
  }

  #enter(queue: number): void {
    const lane = (this.#round as Round).lane
    const depth = this.#depth
    if ((this.#tree.queues[queue] as Queue).capped && !this.#hasRoom(queue, depth)) return
    this.#depth++
    this.#path[depth] = queue
    this.#at[depth] = this.#lists.members(queue, lane).from
  }

  /** Computes the room below the maxima of a queue and those around it; false if not even the smallest task that ever waited there would fit. */
  #hasRoom(queue: number, depth: number): boolean {
    const { maxResources, capped, parent, path } = this.#tree.queues[queue] as Queue
    const lane = (this.#round as Round).lane
    const n = this.#capacity.length
    const isAround = depth > 0 && capped && (this.#tree.queues[parent] as Queue).capped
    for (const r of this.#env.cluster.lanes[lane]?.resources ?? []) {
      const own = (maxResources[r] as number) - this.#usage.ofQueue(queue, r)
      const room = isAround ? Math.min(own, this.#room[(depth - 1) * n + r] as number) : own
      this.#room[depth * n + r] = room
      if (room < this.#usage.leastWanted(queue, r)) {
        if (this.#round?.explained === true) this.#explain(queue, lane, `maxResources ${path}`, this.#isPart(queue, lane, (each) => this.#usage.leastWanted(queue, each)))
        return false
      }
    }
    return true
  }

  /** The jobs of a leaf whose next task, or gang, fits below the maxima and, if it is a master, into the part for masters. */
  #within(list: RankedIds, depth: number, { id, capped, path }: Queue): JobBlock {
    const { cluster, work } = this.#env
    const { masters } = this.sharing
    const round = this.#round as Round
    const { lane } = round
    const n = this.#capacity.length
    const resources = cluster.lanes[lane]?.resources ?? []
    if (this.#filtered.length < list.size) this.#filtered = new Int32Array(list.size * 2)
    let to = 0
    let asked: ShapeId | None = None
    let hasRoom = true
    for (let i = list.from; i < list.to; i++) {
      const job = list.ids[i] as JobId
      let fits = true
      if (capped) for (const r of resources) if (work.asked(job, lane, r) > (this.#room[depth * n + r] as number)) fits = false
      const master = this.#hasMasters ? masters.next(job, lane) : None
      if (master !== None && master !== asked) hasRoom = masters.hasRoom(id, (asked = master), lane, round.cluster) // asked once for many masters of one shape
      const isAllowed = master === None || hasRoom
      if (fits && isAllowed) this.#filtered[to++] = job
      else if (round.explained) round.defer(job, Reason.Limit, `${fits ? 'maxAMShare' : 'maxResources'} ${path}`, fits || this.#isPart(id, lane, (r) => work.asked(job, lane, r)))
    }
    return { ids: this.#filtered, from: 0, to }
  }

  /** Whether the maxima that leave no room for so much are all parts of the cluster, of a queue and of those around it. */
  #isPart(queue: number, lane: LaneId, asked: (r: ResourceId) => number): boolean {
    for (let id = queue; id >= 0; id = this.#tree.parents[id] as number) {
      const { maxResources, areParts } = this.#tree.queues[id] as Queue
      for (const r of this.#env.cluster.lanes[lane]?.resources ?? []) if (asked(r) > (maxResources[r] as number) - this.#usage.ofQueue(id, r) && areParts[r] === false) return false
    }
    return true
  }

  #explain(queue: number, lane: LaneId, limit: string, isPart: boolean): void {
    const round = this.#round as Round
    const list = this.#lists.members(queue, lane)
    for (let i = list.from; i < list.to; i++) {
      if ((this.#tree.queues[queue] as Queue).isParent) this.#explain(list.ids[i] as number, lane, limit, isPart)
      else round.defer(list.ids[i] as JobId, Reason.Limit, limit, isPart)
    }
  }

  // ---- keeping current ----

  /** Refuses a job with a task or a gang that its queue may never run, or for a queue that cannot be made or holds no jobs. */
  admits(spec: JobSpec): string | undefined {
    const queue = this.#leafOrRefusal(spec.queue ?? spec.user ?? 'default')
    if (typeof queue === 'string') return queue
    for (const stages of startedTogether(spec)) {
      const refusal = tooLarge(stages, queue, this.#tree.queues, this.#env.cluster.resources)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  #leafOrRefusal(name: string): Queue | string {
    try {
      return this.#leaf(name)
    } catch (error) {
      if (error instanceof SchedError) return error.fact
      throw error
    }
  }

  #leaf(name: string): Queue {
    const known = this.#tree.queues.length
    const queue = this.#tree.leaf(name)
    if (this.#tree.queues.length > known) this.#addQueues(known)
    return queue
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    const queue = this.#leaf(work.queueName(work.queue(job)))
    this.#queueOf[job] = queue.id
    this.#weightOf[job] = work.weight(job)
    if (work.masterShape(job) !== None) this.#hasMasters = true
    this.#usage.addJob(job)
    this.sharing.addJob(job, queue.id)
    this.#lists.enter(job)
    if (this.#limits.ask(job)) this.#countJobs(queue.id, 1)
  }

  onReady(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#addJob(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (this.#limits.admitted(job)) this.#wants(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#lists.remove(job, this.#queueOf[job] as number, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#usage.change(job, lane, task, 1)
    this.sharing.masters.change(task, this.#queueOf[job] as number, 1)
    this.#usage.countDemand(job, lane)
    this.#place(job, lane)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#usage.change(job, lane, task, -1)
    this.sharing.masters.change(task, this.#queueOf[job] as number, -1)
    if (this.#limits.admitted(job)) this.#usage.countDemand(job, lane)
    this.#place(job, lane)
  }

  onFinish(job: JobId): void {
    const queue = this.#queueOf[job] as number
    this.#wantsNothing(job)
    this.sharing.removeJob(job, queue)
    if (this.#limits.admitted(job)) this.#countJobs(queue, -1)
    this.#admitted.length = 0
    this.#limits.leave(job, this.#admitted)
    for (const next of this.#admitted) this.#letRun(next)
  }

  /** Which jobs may run; the rest is known from what runs and waits. */
  memory(): AdmittedMemory {
    return this.#limits.memory()
  }

  recall(memory: unknown): void {
    for (const job of this.#limits.recall(memory as AdmittedMemory)) {
      if (this.#limits.admitted(job)) this.#letRun(job)
      else this.#holdBack(job)
    }
  }

  #letRun(job: JobId): void {
    this.#countJobs(this.#queueOf[job] as number, 1)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) if (this.#env.work.unplaced(job, lane) > 0) this.#addJob(job, lane)
  }

  #holdBack(job: JobId): void {
    this.#countJobs(this.#queueOf[job] as number, -1)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) this.onDrained(job, lane)
    this.#wantsNothing(job)
    this.#lists.enter(job)
  }

  onNode(): void {
    const { cluster } = this.#env
    for (let r = 0; r < this.#capacity.length; r++) this.#capacity[r] = cluster.capacity(r as ResourceId)
    if (this.#tree.resize()) {
      this.#usage.recount()
      this.sharing.resize()
    }
    this.#lists.placeAll()
  }

  #addJob(job: JobId, lane: LaneId): void {
    this.#wants(job, lane)
    this.#lists.add(job, this.#queueOf[job] as number, lane)
  }

  /** Counts anew what the job wants now, for its queue and all queues around it. */
  #wants(job: JobId, lane: LaneId): void {
    if (this.#usage.countDemand(job, lane)) this.#place(job, lane)
  }

  #wantsNothing(job: JobId): void {
    if (this.#usage.removeJob(job)) for (let lane = 0 as LaneId; lane < this.#lanes; lane++) this.#place(job, lane)
  }

  #countJobs(leaf: number, by: 1 | -1): void {
    for (let queue = leaf; queue >= 0; queue = (this.#tree.queues[queue] as Queue).parent) {
      this.#jobs[queue] = (this.#jobs[queue] as number) + by
      if (this.#jobs[queue] === (by > 0 ? 1 : 0)) this.sharing.changed()
      if (this.#options.poolOrder === 'survey-literal' && queue > 0) for (let lane = 0; lane < this.#lanes; lane++) this.#lists.placeQueue(queue, lane as LaneId)
    }
  }

  /** Puts a job and the queues around it where their keys belong. */
  #place(job: JobId, lane: LaneId): void {
    this.#lists.place(job, this.#queueOf[job] as number, lane)
  }

  #weight(job: JobId, lane: LaneId): number {
    const weight = this.#weightOf[job] as number
    return this.#options.sizeBasedWeight ? weight * portableLog2(1 + this.#usage.demandOfJob(job, this.#memory[lane] as ResourceId)) : weight
  }

  #addQueues(from: number): void {
    const { queues } = this.#tree
    for (let id = from; id < queues.length; id++) {
      this.#jobs.push(0)
      this.#usage.addQueue(id)
      this.#lists.addQueue(queues[id] as Queue)
    }
  }
}

import {
  definePolicy, forwarding, None, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Placement, type Plug, type Policy,
  type ResourceId, type Round, type Savepoint, type Seconds, type ShapeId, type TaskId,
} from '@sched/core'
import { lowestFitting, onlyNode } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import { TakenJobs, type TakenMemory } from '../disciplines/taken-jobs.js'
import { TasksByJob } from '../disciplines/tasks-by-job.js'
import { minus } from '../shares/vectors.js'
import { anyBelow0, saysNothing } from './amounts.js'
import { fenceAround, giversTo, isWithin, Ledger } from './guarantees.js'
import { yunikornPolicyOptions, type YunikornPolicyOptions, type YunikornPolicySettings } from './options.js'
import type { Queue } from './queue-tree.js'
import { inTakingOrder, solutionsFor, type Candidate, type Target } from './victims.js'
import { YunikornReserving } from './yunikorn-reserving.js'
import { YunikornOrder } from './yunikorn.js'

/**
 * Queues and reserved nodes as in the policy `yunikorn-reserving`, with preemption. A job may take tasks once it has waited for the `preemptionDelay` of its
 * queue, if with it that queue and all around it stay within their guarantees. It takes tasks of queues that have more than their guarantees, of jobs whose
 * priority is not higher; never tasks of its own queue, and none on a node that is reserved for another job.
 *
 * Source: YuniKorn 1.8, preemption.go, application.go. Deviations: tasks for which nobody has to go start first, even if they come later; a taken
 * task is gone at once, and if that makes no room after all, nothing is taken; with one task of a gang all go that must run together, and a gang
 * that asks takes for all its tasks or not at all, and only within the guarantees as a whole; a job that has lost tasks waits for its whole delay
 * anew; nobody goes for a job that must be in a group of nodes.
 */
export const yunikornPreemptingPolicy = definePolicy({
  name: 'yunikorn-preempting',
  summary: 'Apache YuniKorn: yunikorn-reserving, with tasks taken from queues above what they are guaranteed',
  source: 'Apache YuniKorn, preemption',
  options: yunikornPolicyOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new YunikornPreempting(options, env, placement),
})

/** The queues of Apache YuniKorn, with preemption. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const yunikornPreempting = (options: YunikornPolicyOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => yunikornPreemptingPolicy.plug({ placement }, options)

/** How many waiting tasks of a queue are looked at; those behind them take nothing. */
const LOOKED_AT = 10

/** A count of changes that never occurs, so that it counts as changed. */
const OTHER = -2

interface PreemptingMemory {
  readonly taken: TakenMemory
  /** The time since which each job waits. */
  readonly since: readonly (readonly [job: string, since: Seconds])[]
  /** When each job last looked in vain, and whether nothing has changed since. */
  readonly looked: readonly (readonly [job: string, at: Seconds, isSame: boolean])[]
}

class YunikornPreempting implements Policy {
  readonly startsGangJobs = true
  readonly #order: YunikornOrder
  readonly #reserving: YunikornReserving
  readonly #placement: Placement | undefined
  readonly #interval: Seconds
  readonly #running: TasksByJob
  /** Jobs of which tasks started together. */
  readonly #gangs = new Set<JobId>()
  readonly #taken = new TakenJobs()
  readonly #amounts = new Map<ShapeId, Float64Array>()
  /** By job: since when it waits; when it last looked in vain; and the count of changes then. */
  readonly #since: Seconds[] = []
  readonly #looked: Seconds[] = []
  readonly #lookedAt: number[] = []
  /** Count of changes of what runs and waits. */
  #changes = 0
  #wake = Infinity
  /** Whether any queue has a guarantee; without one no job may take anything. */
  #isGuaranteed = false
  #known = 0

  constructor(settings: YunikornPolicySettings, env: Env, placement: Plug<'placement'> | undefined) {
    const order = new YunikornOrder(settings, env)
    const made = placement?.create(env)
    this.#order = order
    this.#placement = made
    this.#interval = settings.attemptInterval
    this.#reserving = new YunikornReserving(settings, env, order, made)
    this.#running = new TasksByJob(env)
    const count = () => void this.#changes++
    Object.assign(
      this,
      forwarding(this.#reserving, this.#running, {
        onReady: (job: JobId) => {
          this.#since[job] = env.now()
          this.#lookedAt[job] = -1
          count()
        },
        onClaim: (job: JobId, lane: LaneId) => {
          if (env.work.least(job, lane) > 1) this.#gangs.add(job)
          count()
        },
        onRelease: count,
        onNode: count,
        onFinish: (job: JobId) => {
          this.#gangs.delete(job)
          this.#taken.forget(job, env.work)
        },
        memory: () => this.#memory(env),
        recall: (memory: unknown) => this.#recall(memory as PreemptingMemory, env),
      }),
    )
  }

  #memory({ work }: Env): PreemptingMemory {
    const looks = work.jobs().filter((job) => (this.#lookedAt[job] ?? -1) !== -1)
    return {
      taken: this.#taken.memory(work),
      since: work.jobs().flatMap((job) => (this.#since[job] === undefined ? [] : [[work.name(job), this.#since[job]] as const])),
      looked: looks.map((job) => [work.name(job), this.#looked[job] as Seconds, this.#lookedAt[job] === this.#changes] as const),
    }
  }

  #recall({ taken, since, looked }: PreemptingMemory, { work }: Env): void {
    this.#taken.recall(taken, work)
    for (const [job, time] of rememberedJobs(since, work)) this.#since[job] = time
    for (const [job, time, isSame] of rememberedJobs(looked, work)) {
      this.#looked[job] = time
      this.#lookedAt[job] = isSame ? this.#changes : OTHER
    }
  }

  schedule(round: Round): void {
    this.#taken.begin(round.now)
    const seen = this.#reserving.fill(round)
    this.#wake = this.#reserving.wake
    const looks = round.jobsLeft === Infinity && round.claimsLeft > 0 && round.nodes.length > 0 && round.pending > 0 && this.#mayAnybody()
    for (let hasTaken = looks; hasTaken; ) {
      this.#order.begin(seen)
      hasTaken = this.#takeIn(0, seen)
    }
    if (this.#wake < Infinity && round.cluster.heartbeat === 0) round.wakeAt(this.#taken.expect(this.#wake))
  }

  #mayAnybody(): boolean {
    const { queues } = this.#order
    for (; this.#known < queues.length && !this.#isGuaranteed; this.#known++) this.#isGuaranteed = !saysNothing((queues[this.#known] as Queue).guaranteed)
    return this.#isGuaranteed
  }

  /** Lets the first job of the queue in order that can take tasks do so; returns whether one has. */
  #takeIn(queue: number, round: Round): boolean {
    const { ids, from, to } = this.#order.members(queue)
    const { isLeaf } = this.#order.queues[queue] as Queue
    if (!isLeaf) return Array.from(ids.subarray(from, to)).some((child) => this.#takeIn(child, round))
    return this.#isShort(queue) && this.#firstOf(ids, from, to, round).some((job) => this.#mayLook(job, round) && this.#takeFor(job, round))
  }

  /** Whether the leaf or a queue around it has a guarantee, and the leaf exceeds it in no resource. */
  #isShort(leaf: number): boolean {
    const order = this.#order
    const { guaranteed, around } = order.queues[leaf] as Queue
    if (around.every((id) => saysNothing((order.queues[id] as Queue).guaranteed))) return false
    return !anyBelow0(minus(guaranteed, guaranteed.map((_, r) => order.used(leaf, r as ResourceId))))
  }

  /** The first jobs of a leaf that no limit of jobs, users or groups holds back, up to `LOOKED_AT` tasks. */
  #firstOf(ids: Int32Array, from: number, to: number, { work, lane }: Round): JobId[] {
    const jobs: JobId[] = []
    for (let i = from, left = LOOKED_AT; i < to && left > 0; i++) {
      const job = ids[i] as JobId
      if (this.#order.limitOfOthers(job) !== undefined) continue
      jobs.push(job)
      left -= work.unplaced(job, lane)
    }
    return jobs
  }

  /** Whether the job has waited long enough, and something may have changed since it last looked. */
  #mayLook(job: JobId, { now, cluster }: Round): boolean {
    if (this.#taken.isBarred(job)) return false
    const { preemptionDelay } = (this.#order.queues[this.#order.leaf(job)] as Queue).settings
    const first = (this.#since[job] as number) + preemptionDelay
    if (now < first) return this.#later(first)
    if (cluster.heartbeat > 0) return true
    if (this.#lookedAt[job] === this.#changes) return false
    const next = this.#lookedAt[job] === -1 ? first : (this.#looked[job] as number) + this.#interval
    return now >= next || this.#later(next)
  }

  #later(time: Seconds): false {
    this.#wake = Math.min(this.#wake, time)
    return false
  }

  /** Starts the next task of the job, or its gang, taking others where there is no room; false, and nothing changes, if that is not possible. */
  #takeFor(job: JobId, round: Round): boolean {
    const { work, lane } = round
    if (!round.take(job)) return false
    const before = round.savepoint()
    const taken = new Set<JobId>()
    const tasks = work.together(job, lane)
    let node: NodeId | None = None
    for (let left = tasks; left > 0; left--) {
      node = this.#start(job, round)
      if (node === None) node = this.#replace(job, taken, round)
      if (node === None) return this.#inVain(job, before, round)
    }
    if (tasks > 1 && taken.size > 0 && !this.#isWithinGuarantees(job)) return this.#inVain(job, before, round)
    if (node !== None) this.#reserving.started(job, node, tasks > 1)
    for (const other of taken) {
      this.#taken.add(other)
      this.#since[other] = round.now
    }
    return true
  }

  /** Undoes what the job has taken, and lets it look again later. */
  #inVain(job: JobId, before: Savepoint, round: Round): false {
    round.rollback(before)
    this.#looked[job] = round.now
    this.#lookedAt[job] = this.#changes
    return false
  }

  /**
   * Whether the queue of the job is within its guarantees. Of a gang the last tasks may have started in room that is left of a gang that had to go
   * whole, and that nobody would have made for them.
   */
  #isWithinGuarantees(job: JobId): boolean {
    const leaf = this.#order.leaf(job)
    return isWithin(new Ledger(this.#order, leaf).remaining(leaf))
  }

  /** Starts a task of the job where there is room; returns its node, or `None`. */
  #start(job: JobId, round: Round): NodeId | None {
    if (this.#order.limitOf(job, true) !== undefined) return None
    const node = round.nodes.length === 1 ? onlyNode(job, round, this.#placement) : (this.#placement?.pick(job, round) ?? lowestFitting(job, round))
    return node !== None && startNearest(job, node, round.cluster.levels, round) ? node : None
  }

  /** Starts one task in the place of others; returns its node, or `None`. */
  #replace(job: JobId, taken: Set<JobId>, round: Round): NodeId | None {
    if (this.#mustBeNear(job, round)) return None
    const order = this.#order
    const { work, lane } = round
    const shape = work.shape(job, lane)
    const amounts = this.#amountsOf(shape, round)
    const leaf = order.leaf(job)
    const givers = giversTo(leaf, fenceAround(order, leaf, work.priority(job)), order)
    const candidates = this.#candidates(givers, amounts, round)
    const targets = round.nodes.filter((node) => work.mayRunOn(shape, node) && round.cluster.up(node) && round.bars?.(job, node) !== true).map((node) => targetOf(node, round))
    const ask = { queue: leaf, amounts, isForNode: order.limitOf(job, true) === undefined }
    for (const { node, victims } of solutionsFor(ask, candidates, targets, order)) {
      const before = round.savepoint()
      for (const { task } of victims) this.#evict(task as TaskId, taken, round)
      if (order.limitOf(job, true) === undefined && this.#mayBeOn(job, node as NodeId, round) && startNearest(job, node as NodeId, round.cluster.levels, round)) return node as NodeId
      round.rollback(before)
    }
    return None
  }

  /** Whether the placement keeps the job in groups of nodes: no place for one task alone is one for all of them. */
  #mustBeNear(job: JobId, round: Round): boolean {
    return this.#placement?.confines?.(job, round) === true && round.work.topology(job, round.lane) !== undefined
  }

  /** Whether the rules about other tasks, which hold only without heartbeats, allow the job on the node as it is now. */
  #mayBeOn(job: JobId, node: NodeId, round: Round): boolean {
    return round.cluster.heartbeat > 0 || this.#placement?.wouldAllow?.(job, node, [], round) !== false
  }

  /** Running tasks of queues that may give, which use a resource that is asked for and have no higher priority. */
  #candidates(givers: ReadonlyMap<number, number>, asked: Float64Array, round: Round): Candidate[] {
    const { work, lane } = round
    const found: Candidate[] = []
    if (givers.size === 0) return found
    for (const [job, tasks] of this.#running.in(lane)) {
      const queue = this.#order.leaf(job)
      const most = givers.get(queue)
      if (most === undefined || work.priority(job) > most) continue
      for (const task of tasks) {
        if (Number.isNaN(work.started(task))) continue // it has started in this round
        const amounts = this.#amountsOf(work.shapeOf(task), round)
        if (!amounts.some((amount, r) => amount > 0 && (asked[r] as number) > 0)) continue
        found.push({ task, node: work.nodeOf(task), queue, amounts, isMaster: work.isMaster(task), isUnwilling: work.preemptible(job) === false, rank: work.rank(job) })
      }
    }
    return found.sort(inTakingOrder)
  }

  /** What a task of the shape asks for, of the resources that count; the same object each time. */
  #amountsOf(shape: ShapeId, { work, cluster }: Round): Float64Array {
    const known = this.#amounts.get(shape)
    if (known !== undefined) return known
    const amounts = new Float64Array(cluster.resources.length)
    for (const r of this.#order.resources) amounts[r] = work.demand(shape, r)
    this.#amounts.set(shape, amounts)
    return amounts
  }

  /** Evicts a task; of a gang all tasks that must run together go with it. */
  #evict(task: TaskId, taken: Set<JobId>, round: Round): void {
    const { work, lane } = round
    if (work.nodeOf(task) === None) return // it has gone with another task of its gang
    const job = work.jobOf(task)
    taken.add(job)
    const together = this.#gangs.has(job) && work.inGang(task) ? (this.#running.in(lane).get(job) ?? []).filter((other) => work.inGang(other)) : [task]
    for (const each of together) round.evict(each)
  }
}

function targetOf(node: NodeId, { cluster }: Round): Target {
  return { node, free: Float64Array.from(cluster.resources, (_, r) => cluster.free(node, r as ResourceId)) }
}

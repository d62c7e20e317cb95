import {
  definePolicy, forwarding, nodesByName, None, Reason, rememberedJobs, resourceNamed, WrappedRound, ownValue, type Env, type JobId, type LaneId, type NodeId,
  type Plug, type Policy, type Round, type Seconds, type ShapeId, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { stageWith } from '../capacity/node-reservations.js'
import { NodesUp } from '../capacity/nodes-up.js'
import { multipleAfter } from '../disciplines/multiple-after.js'
import { JobShares, type LaneAmounts, type SharesMemory } from './job-shares.js'
import { QueueSharing } from './queue-sharing.js'
import type { Queue } from './queue-tree.js'
import { isBelow } from './starvation.js'

const reservingOptions = z.strictObject({
  reservableNodes: z.number().min(0).max(1).default(0.05).describe('part of the nodes that one job may have reserved, rounded up; nodes with its data do not count'),
  threshold: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('smallest task that reserves a node, compared as its queue compares amounts; resources not named: 0'),
  onlyNear: z.boolean().default(false).describe('a job with data reserves only nodes that hold some: for a policy inside that waits for data'),
  updateInterval: z.number().positive().default(0.5).describe('seconds for which fair shares are used, to tell which jobs are below theirs'),
})
/** Options of `yarnReserving`. */
export type YarnReservingOptions = z.input<typeof reservingOptions>

/**
 * Reserves a node for the first job in order whose task does not fit there, if the job is below its fair share and the task
 * is large. Nothing else is placed on the node until there is room for the task, the job has no such task left, or its queue has no room
 * below its maximum. A node has at most one reservation.
 *
 * Source: Hadoop 3, FSAppAttempt (isReservable, reserve, assignReservedContainer) and FairScheduler.attemptScheduling.
 * Deviations: a node that has no room at all is not reserved before it has some; nodes on and off the rack count
 * alike; a job of a queue below its minimum share reserves nothing for that alone; a node that could never hold the task is not reserved.
 * Where rounds have many nodes nothing is reserved.
 */
export const yarnReservingPolicy = definePolicy({
  name: 'yarn-reserving',
  summary: 'keeps nodes for large tasks of jobs below their fair share, by the rules of YARN\'s fair scheduler',
  source: 'Hadoop 3, FSAppAttempt.reserve',
  options: reservingOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'yarn-fair' },
  create: (options, env, { policy }) => new YarnReserving(options, env, policy.create(env)),
})

/** YARN's reservations around a policy whose order is `yarn-fair`. */
export const yarnReserving = (policy: Plug<'policy'>, options: YarnReservingOptions = {}): Plug<'policy'> => yarnReservingPolicy.plug({ policy }, options)

class YarnReserving implements Policy {
  readonly #policy: Policy
  readonly #round: HoldingRound | undefined

  constructor(options: z.output<typeof reservingOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    const sharing = policy.sharing instanceof QueueSharing ? policy.sharing : undefined
    if (sharing === undefined) env.warn('reservations by YARN\'s rules have no effect: the order under them is not yarn-fair')
    else this.#round = new HoldingRound(options, env, sharing)
    const own = {
      onFinish: (job: JobId) => this.#round?.forget(job),
      onNode: (node: NodeId, up: boolean) => this.#round?.onNode(node, up),
      memory: () => this.#round?.memory() ?? null,
      recall: (memory: unknown) => this.#round?.recall(memory as HoldingMemory),
    }
    Object.assign(this, forwarding(policy, own))
  }

  schedule(round: Round): void {
    const [node] = round.nodes
    if (this.#round === undefined || node === undefined || round.nodes.length > 1 || round.jobsLeft < Infinity) return this.#policy.schedule(round)
    if (!this.#round.redeem(round, node)) this.#policy.schedule(this.#round)
  }
}

/** A node that is reserved for a task of a job. */
interface Held {
  readonly job: JobId
  readonly shape: ShapeId
}

interface HoldingMemory {
  /** Reservations in the order in which they were made, each with a stage of its shape. */
  readonly held: readonly (readonly [job: string, lane: LaneId, node: string, stage: number])[]
  /** By lane: the fair shares last computed, and until when they are used; null: none were. */
  readonly shares: readonly SharesMemory[]
  readonly until: readonly (Seconds | null)[]
}

/** A round of one node that a task may reserve; once it is reserved, nothing fits there. */
class HoldingRound extends WrappedRound {
  readonly #options: z.output<typeof reservingOptions>
  readonly #env: Env
  readonly #up: NodesUp
  readonly #sharing: QueueSharing
  /** Reservations by `node * lanes + lane`, and by job these keys. */
  readonly #held = new Map<number, Held>()
  readonly #ofJob = new Map<JobId, Set<number>>()
  readonly #shares: readonly JobShares[]
  readonly #threshold: readonly LaneAmounts[]
  /** Per lane: the time until which the fair shares last computed are used. */
  readonly #until: number[]
  #isTaken = false

  constructor(options: z.output<typeof reservingOptions>, env: Env, sharing: QueueSharing) {
    super()
    const { lanes, resources } = env.cluster
    for (const name of Object.keys(options.threshold)) resourceNamed(name, resources, 'threshold')
    this.#options = options
    this.#env = env
    this.#up = new NodesUp(env.cluster)
    this.#sharing = sharing
    this.#shares = lanes.map((lane, id) => new JobShares(sharing, id as LaneId, lane.resources))
    this.#threshold = lanes.map((lane) => lane.resources.map((r) => ownValue(options.threshold, resources[r] as string) ?? 0))
    this.#until = lanes.map(() => -Infinity)
  }

  memory(): HoldingMemory {
    const { work, cluster } = this.#env
    const lanes = this.#shares.length
    return {
      held: Array.from(this.#held, ([at, { job, shape }]) => [work.name(job), (at % lanes) as LaneId, cluster.name(Math.floor(at / lanes) as NodeId), stageWith(shape, job, work)] as const),
      shares: this.#shares.map((shares) => shares.memory(work)),
      until: this.#until.map((time) => (time === -Infinity ? null : time)),
    }
  }

  recall({ held, shares, until }: HoldingMemory): void {
    const { work, cluster } = this.#env
    const nodes = nodesByName(cluster)
    for (const [job, lane, on, stage] of rememberedJobs(held, work)) {
      const node = nodes.get(on)
      if (node !== undefined && cluster.up(node)) this.#put(node * this.#shares.length + lane, job, work.shapeOf(work.taskAt(job, stage, 0) as TaskId))
    }
    for (const [lane, each] of this.#shares.entries()) {
      each.recall(shares[lane] as SharesMemory, work)
      this.#until[lane] = until[lane] ?? -Infinity
    }
  }

  /** Opens the round. If the node is reserved for a job that still wants it, the job starts its task if there is room; returns whether that is so. */
  redeem(round: Round, node: NodeId): boolean {
    this.inner = round
    this.#isTaken = false
    const at = this.#at(node)
    const held = this.#held.get(at)
    if (held === undefined) return false
    const { job, shape } = held
    const { work, lane } = round
    const isGang = work.together(job, lane) > 1 // a later stage of the same shape may be a gang
    const isWanted = work.unplaced(job, lane) > 0 && work.shape(job, lane) === shape && !isGang && round.bars?.(job, node) !== true && this.#sharing.hasRoomFor(job, round)
    if (!isWanted || this.#starts(job, node)) this.#drop(at, job)
    return isWanted
  }

  forget(job: JobId): void {
    for (const at of this.#ofJob.get(job) ?? []) this.#drop(at, job)
    for (const shares of this.#shares) shares.forget(job)
  }

  /** Gives up the reservations of a node that goes away, so that their jobs may reserve others. */
  onNode(node: NodeId, up: boolean): void {
    this.#up.refresh()
    if (up) return
    for (let lane = 0; lane < this.#shares.length; lane++) {
      const at = node * this.#shares.length + lane
      const held = this.#held.get(at)
      if (held !== undefined) this.#drop(at, held.job)
    }
  }

  #at = (node: NodeId): number => node * this.#shares.length + this.lane

  #starts(job: JobId, node: NodeId): boolean {
    if (!this.inner.fits(job, node)) return false
    const task = this.work.taskFor(job, this.lane, node, this.cluster.levels)
    return task !== None && this.inner.claim(task, node)
  }

  #hold(at: number, job: JobId): void {
    this.#put(at, job, this.work.shape(job, this.lane))
    this.#isTaken = true
  }

  #put(at: number, job: JobId, shape: ShapeId): void {
    this.#held.set(at, { job, shape })
    const own = this.#ofJob.get(job)
    if (own === undefined) this.#ofJob.set(job, new Set([at]))
    else own.add(at)
  }

  #drop(at: number, job: JobId): void {
    this.#held.delete(at)
    this.#ofJob.get(job)?.delete(at)
    if (this.#ofJob.get(job)?.size === 0) this.#ofJob.delete(job)
  }

  override room(node: NodeId): boolean {
    return !this.#isTaken && this.inner.room(node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return !this.#isTaken && this.inner.claim(task, node)
  }

  override fits(job: JobId, node: NodeId): boolean {
    if (this.#isTaken) {
      if (this.explained) this.defer(job, Reason.Reservation)
      return false
    }
    if (this.inner.fits(job, node)) return true
    if (this.#mayReserve(job, node)) this.#hold(this.#at(node), job)
    return false
  }

  #mayReserve(job: JobId, node: NodeId): boolean {
    const { work, lane, inner } = this
    if (work.together(job, lane) > 1 || inner.bars?.(job, node) === true || !this.#lacksOnlyRoom(job, node)) return false
    const queue = this.#sharing.queues[this.#sharing.poolOf(job)] as Queue
    if (!this.#isLarge(job, queue) || !this.#isStarved(job, queue)) return false
    const isNear = work.hasData(job, lane) && work.taskFor(job, lane, node, 0) !== None
    if (isNear) return true
    if (this.#options.onlyNear && work.hasData(job, lane)) return false
    return (this.#ofJob.get(job)?.size ?? 0) < Math.ceil(this.#up.count * this.#options.reservableNodes)
  }

  /** Whether the node, empty, could hold the job's next task but does not have the amounts free now. */
  #lacksOnlyRoom(job: JobId, node: NodeId): boolean {
    const { work, lane, cluster } = this
    const shape = work.shape(job, lane)
    let lacks = false
    for (const r of cluster.lanes[lane]?.resources ?? []) {
      const asked = work.demand(shape, r)
      if (asked > cluster.total(node, r)) return false
      if (asked > cluster.free(node, r)) lacks = true
    }
    return lacks && work.mayRunOn(shape, node)
  }

  #isLarge(job: JobId, { policy }: Queue): boolean {
    const { work, lane, cluster } = this
    const resources = cluster.lanes[lane]?.resources ?? []
    const asked = resources.map((r) => work.demand(work.shape(job, lane), r))
    return !isBelow(policy, asked, this.#threshold[lane] as LaneAmounts, this.#capacity(), resources.indexOf(this.#sharing.memory(lane)))
  }

  #isStarved(job: JobId, { policy }: Queue): boolean {
    const { lane, now, cluster } = this
    const resources = cluster.lanes[lane]?.resources ?? []
    const shares = this.#shares[lane] as JobShares
    if (now >= (this.#until[lane] as number)) {
      shares.refresh()
      this.#until[lane] = multipleAfter(now, this.#options.updateInterval)
    }
    const share = shares.of(job)
    return share !== undefined && isBelow(policy, resources.map((r) => this.#sharing.usageOfJob(job, r)), share, this.#capacity(), resources.indexOf(this.#sharing.memory(lane)))
  }

  #capacity(): LaneAmounts {
    const { cluster } = this.#env
    return (cluster.lanes[this.lane]?.resources ?? []).map((r) => cluster.capacity(r))
  }
}

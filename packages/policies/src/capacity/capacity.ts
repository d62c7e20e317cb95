import {
  defineOrder, type Env, type JobBlock, type JobId, type JobSpec, type LaneId, type NodeId, type Order, type Plug, type Release,
  type ResourceId, type Round, type ShapeId, type TaskId,
} from '@sched/core'
import { CapacityQueues, type QueuesMemory } from './capacity-queues.js'
import { LentReading } from './lent-reading.js'
import { capacityOptions, type CapacityOptions } from './options.js'
import type { ReadCapacityOptions } from './queue-options.js'
import { QueueReading } from './queue-reading.js'

/**
 * Queues in a tree, each with a guaranteed and a maximum capacity. At every level the queue that uses the least of its
 * guarantee is served first; idle capacity is lent and comes back as tasks end. Inside a leaf jobs are served by
 * submission, priority or memory used; jobs of users at their limit are passed over. A job is given only if its next task
 * fits below the maximum of every queue around it. If it does not fit, what its leaf could still use is kept from the sibling queues.
 *
 * Source: survey, section 5; Hadoop 3's Capacity Scheduler (AbstractParentQueue, AbstractLeafQueue, UsersManager).
 * Deviations: demands are not rounded to the minimum allocation; a limit is checked on every counted resource, where
 * Hadoop compares dominant shares and refuses the start afterwards; without heartbeats a reading is of the default partition, unless
 * the round has one node.
 */
export const capacityOrder = defineOrder({
  name: 'capacity',
  summary: 'queues by used over guaranteed capacity, with maxima and user limits; fifo, priority or fair inside',
  source: 'Survey, section 5; Hadoop 3, Capacity Scheduler',
  options: capacityOptions,
  create: (options, env) => new CapacityOrder(options, env),
})

/** Hierarchical queues with guaranteed capacities. */
export const capacity = (options: CapacityOptions = {}): Plug<'order'> => capacityOrder.plug({}, options)

/** What a discipline with reservations needs of its order beyond reading jobs. An order without these methods counts no reservations. */
export interface Reservable {
  /** Starts a reading of jobs that may run on the node. */
  beginOn(round: Round, node: NodeId): void
  /** Starts a reading of the jobs of the default partition to which the node is lent; false: it is lent to nobody. */
  beginLent(round: Round, node: NodeId): boolean
  /** Whether any node is lent. */
  readonly lends: boolean
  /** Counts a reservation of the job on a node as used (`sign` 1), or no longer (-1). */
  hold(job: JobId, lane: LaneId, shape: ShapeId, node: NodeId, sign: 1 | -1): void
  /** Whether the job that was read last may start only if it gives up a reservation, because it would exceed a limit otherwise. */
  readonly mustRelease: boolean
  /** Whether a node is in the default partition, which is not lent; a job that starts there may have to give up a reservation elsewhere. */
  isDefault(node: NodeId): boolean
  /** By lane: the resources that count, and the smallest allocation of each. */
  readonly counted: readonly (readonly ResourceId[])[]
  readonly minimum: readonly (readonly number[])[]
}

export class CapacityOrder implements Order, Reservable {
  // Maxima are checked for the front stage alone, so a job that is one gang of several stages could exceed them.
  readonly startsGangJobs = false
  readonly queues: CapacityQueues
  readonly lends: boolean
  readonly #reading: QueueReading
  readonly #lent: LentReading
  #isLending = false
  readonly #env: Env
  #pots: number[] = []
  #warned = false

  constructor(options: ReadCapacityOptions, env: Env, looksOn = false) {
    this.#env = env
    this.queues = new CapacityQueues(options, env)
    this.#reading = new QueueReading(this.queues, env.work, looksOn)
    this.#lent = new LentReading(this.queues, env.work)
    this.lends = this.queues.isLent.includes(true)
  }

  admits(spec: JobSpec, again = false): string | undefined {
    return this.queues.refusal(spec, again)
  }

  queueFor(spec: JobSpec): string | undefined {
    return this.queues.queueFor(spec)
  }

  // ---- reading ----

  begin(round: Round): void {
    const { nodes } = round
    if (nodes.length === 1) return this.beginOn(round, nodes[0] as NodeId)
    const { pots } = this.queues
    this.#isLending = false
    this.#pots = pots.partitions.map((_, partition) => pots.at(round.lane, partition)).reverse()
    if (pots.partitions.length > 1 && !this.#warned) {
      this.#warned = true
      this.#env.warn('order "capacity" cannot keep jobs to their partitions where a round has many nodes: use the policy capacity-scheduler')
    }
    this.#reading.begin(round, this.#pots.pop() as number)
  }

  beginOn(round: Round, node: NodeId): void {
    this.#pots.length = 0
    this.#isLending = false
    this.#reading.begin(round, this.queues.pots.of(round.lane, node))
  }

  beginLent({ lane }: Round, node: NodeId): boolean {
    const pot = this.queues.pots.of(lane, node)
    this.#isLending = this.queues.isLent[pot] === true
    if (this.#isLending) this.#lent.begin(lane, pot)
    return this.#isLending
  }

  next(): JobBlock | undefined {
    if (this.#isLending) return this.#lent.next()
    for (;;) {
      const block = this.#reading.next()
      const pot = block === undefined ? this.#pots.pop() : undefined
      if (pot === undefined) return block
      this.#reading.beginPot(pot)
    }
  }

  get mustRelease(): boolean {
    return this.#reading.mustRelease && !this.#isLending
  }

  isDefault(node: NodeId): boolean {
    return this.queues.pots.isDefault(node)
  }

  get counted() {
    return this.queues.pots.counted
  }

  get minimum() {
    return this.queues.minimum
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    this.queues.add(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    this.queues.ready(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    this.queues.renew(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.queues.drained(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.queues.change(job, lane, this.#env.work.shapeOf(task), node, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, _why: Release): void {
    this.queues.change(job, lane, this.#env.work.shapeOf(task), node, -1)
  }

  hold(job: JobId, lane: LaneId, shape: ShapeId, node: NodeId, sign: 1 | -1): void {
    this.queues.hold(job, lane, shape, node, sign)
  }

  onFinish(job: JobId): void {
    this.queues.remove(job)
  }

  onNode(): void {
    this.queues.resize()
  }

  memory(): QueuesMemory {
    return this.queues.memory()
  }

  recall(memory: unknown): void {
    this.queues.recall(memory as QueuesMemory)
  }
}

export const isReservable = (order: Order): order is Order & Reservable => 'hold' in order && 'beginOn' in order

import { grown, None, type Env, type JobBlock, type JobId, type LaneId, type Order, type ResourceId, type Round, type WorkView } from '@sched/core'
import { KeyRows, RankedIds } from '../orders/ranked-ids.js'
import type { JobOrder } from './job-order.js'
import { WaitingShapes } from './waiting-shapes.js'

/**
 * The jobs with tasks in a lane, sorted once per round. As an order for a discipline it gives those that wait, without those that stay away. Jobs keep
 * their places from one look to the next; only those that a hook told of since, and those that `JobOrder.begin` names, are placed anew.
 */
export class SortedJobs implements Order {
  readonly #order: JobOrder
  readonly #work: WorkView
  readonly #staysAway: (job: JobId) => boolean
  readonly #lanes: readonly JobsInLane[]
  #serial = -1
  #sorted: ArrayLike<JobId> = []
  #ids = new Int32Array(16)
  #block: JobBlock | undefined

  constructor(order: JobOrder, { cluster, work }: Env, staysAway: (job: JobId) => boolean) {
    this.#order = order
    this.#work = work
    this.#staysAway = staysAway
    this.#lanes = cluster.lanes.map(({ resources }) => new JobsInLane(order, work, resources))
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#in(lane).setReady(job, 1)
    this.#move(job)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#in(lane).setReady(job, 0)
    this.#move(job)
  }

  onMore(job: JobId): void {
    this.#move(job)
  }

  onClaim(job: JobId): void {
    this.#move(job)
  }

  onRelease(job: JobId): void {
    this.#move(job)
  }

  onFinish(job: JobId): void {
    for (const lane of this.#lanes) lane.drop(job)
  }

  /** Suspended tasks may lose with their node what they have done. */
  onNode(): void {
    for (const lane of this.#lanes) lane.moveAll()
  }

  /** All jobs that run or wait in the lane of the round, as they stood at the first call in it. */
  of(round: Round): ArrayLike<JobId> {
    if (round.serial === this.#serial) return this.#sorted
    this.#serial = round.serial
    const lane = this.#in(round.lane)
    const isOnly = this.#lanes.length === 1 // others keep a set of what has moved until their next look, so that nobody is placed twice
    for (const job of this.#order.begin(round)) {
      if (isOnly) lane.update(job, round)
      else this.#move(job)
    }
    this.#sorted = lane.sorted(round)
    return this.#sorted
  }

  /** Whether the job may be preempted for the other one: its first number, as of the last look, is larger. */
  isBehind(job: JobId, other: JobId, lane: LaneId): boolean {
    return this.#in(lane).firstOfKey(job) > this.#in(lane).firstOfKey(other)
  }

  /** Whether tasks of the job may start. */
  waits(job: JobId, lane: LaneId): boolean {
    return this.#in(lane).isReady(job) && !this.#staysAway(job)
  }

  /** By resource of the lane, the least that the next task of a job asks which waited at the last look and does still. */
  leastAsked(lane: LaneId): Float64Array {
    return this.#in(lane).leastAsked
  }

  /** Whether tasks of the job run in the lane or wait to start there. */
  isIn(job: JobId, lane: LaneId): boolean {
    return this.#in(lane).isReady(job) || this.#work.running(job, lane) > 0
  }

  begin(round: Round): void {
    const sorted = this.of(round)
    if (this.#ids.length < sorted.length) this.#ids = new Int32Array(2 * sorted.length)
    let to = 0
    for (let i = 0; i < sorted.length; i++) if (this.waits(sorted[i] as JobId, round.lane)) this.#ids[to++] = sorted[i] as JobId
    this.#block = { ids: this.#ids, from: 0, to }
  }

  next(): JobBlock | undefined {
    const block = this.#block
    this.#block = undefined
    return block
  }

  #in(lane: LaneId): JobsInLane {
    return this.#lanes[lane] as JobsInLane
  }

  #move(job: JobId): void {
    for (const lane of this.#lanes) lane.moved.add(job)
  }
}

/** The jobs with tasks in one lane. */
class JobsInLane {
  /** Jobs whose place may have changed since the last look. */
  readonly moved = new Set<JobId>()
  readonly #order: JobOrder
  readonly #work: WorkView
  /** By job: 1 where tasks of it may be placed. */
  #ready = new Uint8Array(64)
  readonly #shapes: WaitingShapes
  readonly #members = new Set<JobId>()
  readonly #keys: KeyRows
  readonly #list: RankedIds
  readonly #key: Float64Array

  constructor(order: JobOrder, work: WorkView, resources: readonly ResourceId[]) {
    this.#shapes = new WaitingShapes(work, resources)
    this.#order = order
    this.#work = work
    this.#keys = new KeyRows(order.width)
    this.#list = new RankedIds(this.#keys)
    this.#key = new Float64Array(order.width)
  }

  isReady(job: JobId): boolean {
    return this.#ready[job] === 1
  }

  setReady(job: JobId, ready: 0 | 1): void {
    if (job >= this.#ready.length) this.#ready = grown(this.#ready, job + 1)
    this.#ready[job] = ready
    if (ready === 0) this.#shapes.set(job, None)
  }

  get leastAsked(): Float64Array {
    return this.#shapes.least
  }

  /** Gives the job its place, or takes it out. */
  update(job: JobId, round: Round): void {
    const isReady = this.isReady(job)
    this.#shapes.set(job, isReady ? this.#work.shape(job, round.lane) : None)
    if (isReady || this.#work.running(job, round.lane) > 0) this.#place(job, round)
    else this.#remove(job)
  }

  sorted(round: Round): ArrayLike<JobId> {
    for (const job of this.moved) this.update(job, round)
    this.moved.clear()
    return this.#list.ids.subarray(this.#list.from, this.#list.to) as ArrayLike<number> as ArrayLike<JobId>
  }

  firstOfKey(job: JobId): number {
    return this.#keys.rows[job * this.#keys.width] as number
  }

  moveAll(): void {
    for (const job of this.#members) this.moved.add(job)
  }

  drop(job: JobId): void {
    this.moved.delete(job)
    this.#shapes.set(job, None)
    this.#remove(job)
  }

  #place(job: JobId, round: Round): void {
    this.#order.keyOf(job, round, this.#key)
    if (this.#members.has(job)) return this.#list.rekey(job, this.#key)
    this.#members.add(job)
    this.#keys.setTie(job, this.#work.rank(job))
    this.#keys.set(job, this.#key)
    this.#list.add(job)
  }

  #remove(job: JobId): void {
    if (this.#members.delete(job)) this.#list.remove(job)
  }
}

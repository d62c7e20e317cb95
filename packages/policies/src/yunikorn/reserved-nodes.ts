import { LowestNodes, None, WrappedRound, type Env, type JobId, type LaneId, type NodeId, type Round, type TaskId, type WorkListener } from '@sched/core'
import { NodeReservations, type Reservation, type ReservationsMemory } from '../capacity/node-reservations.js'

interface ReservedMemory {
  readonly reservations: ReservationsMemory
  /** By lane, whether no node was left to reserve. */
  readonly areAll: readonly boolean[]
}

/**
 * A round in which tasks of other jobs do not fit on a reserved node. A node has at most one reservation, a job at most one for each waiting task; of tasks
 * that ask for the same it does not matter which one a reservation is for.
 *
 * Source: YuniKorn 1.8, node.go (Reserve, preAllocateCheck), node_collection.go (GetNodeIterator).
 */
export class ReservedNodes extends WrappedRound implements WorkListener {
  /** How many reservations have ended so far; after each there may be room for others. */
  ended = 0
  /** By lane: whether no node was left to reserve at the last look; reset when a reservation ends or a node comes or goes. */
  readonly #areAll: boolean[]
  readonly #env: Env
  readonly #reservations: NodeReservations
  /** By shape and lane: the lowest nodes with room that are not reserved, as long as no reservation has ended. */
  #beside = new LowestNodes()
  readonly #isFree = (node: NodeId) => !this.isReserved(node)
  readonly #barsToo = (job: JobId, node: NodeId) => this.#isOfAnother(job, node) || this.inner.bars?.(job, node) === true

  constructor(env: Env) {
    super()
    this.#env = env
    const { cluster } = env
    this.#areAll = cluster.lanes.map(() => false)
    this.#reservations = new NodeReservations(this.#areAll.length)
  }

  memory(): ReservedMemory {
    return { reservations: this.#reservations.memory(this.#env), areAll: [...this.#areAll] }
  }

  recall(memory: unknown): void {
    const { reservations, areAll } = memory as ReservedMemory
    this.#reservations.recall(reservations, this.#env, (reservation) => this.#reservations.add(reservation))
    for (const [lane, are] of areAll.entries()) this.#areAll[lane] = are
  }

  open(round: Round): this {
    this.inner = round
    return this
  }

  get areAny(): boolean {
    return this.#reservations.size > 0
  }

  /** Whether every node in sight that is up was reserved at the last look. */
  get areAll(): boolean {
    return this.#areAll[this.lane] === true
  }

  lookWhetherAll(): void {
    this.#areAll[this.lane] = this.nodes.every((node) => !this.cluster.up(node) || this.isReserved(node))
  }

  // ---- what fits ----

  override fits(job: JobId, node: NodeId): boolean {
    return !this.#isOfAnother(job, node) && this.inner.fits(job, node)
  }

  /** Whether there is room for the job neither on nodes that are reserved for it nor on one that is not reserved. */
  fitsNowhere(job: JobId): boolean {
    if (!this.areAny || this.roomyFor(job) !== None) return false
    const key = this.work.shape(job, this.lane) * this.#areAll.length + this.lane
    return this.#beside.find(key, job, this.inner, this.#isFree) === None
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return !this.#isOfAnother(this.work.jobOf(task), node) && this.inner.claim(task, node)
  }

  override get bars() {
    return this.areAny ? this.#barsToo : this.inner.bars
  }

  /** Whether the job's next task would fit on a node that is reserved for another. */
  isKeptOff(job: JobId): boolean {
    return this.#reservations.nodes(this.lane).some((node) => this.#isOfAnother(job, node) && this.inner.fits(job, node))
  }

  #isOfAnother(job: JobId, node: NodeId): boolean {
    const reservation = this.#reservations.on(node, this.inner.lane)
    return reservation !== undefined && reservation.job !== job
  }

  // ---- reservations of the lane of the round ----

  isReserved(node: NodeId): boolean {
    return this.#reservations.on(node, this.lane) !== undefined
  }

  /** The number of nodes that are reserved for a job. */
  count(job: JobId): number {
    let count = 0
    for (const { lane } of this.#reservations.of(job)) if (lane === this.lane) count++
    return count
  }

  /** The lowest node that is reserved for the job and has room for it, or `None`. */
  roomyFor(job: JobId): NodeId | None {
    let lowest: NodeId | None = None
    for (const { lane, node } of this.#reservations.of(job))
      if (lane === this.lane && (lowest === None || node < lowest) && this.inner.fits(job, node)) lowest = node
    return lowest
  }

  keep(node: NodeId, job: JobId): void {
    this.#reservations.add({ job, node, lane: this.lane, shape: this.work.shape(job, this.lane) })
  }

  /** A task of the job has started on the node: ends the reservation of that node, if it is for the job, or else the job's reservation of the lowest node. */
  started(job: JobId, node: NodeId): void {
    const own = this.#reservations.on(node, this.lane)
    const given = own?.job === job ? own : this.#lowest(job)
    if (given !== undefined) this.#drop(given)
  }

  /** Ends all reservations of the job in the lane. */
  giveUp(job: JobId): void {
    for (const each of this.#reservations.of(job)) if (each.lane === this.lane) this.#drop(each)
  }

  /**
   * The jobs with reserved nodes. First ends reservations of jobs for which `ends` is true, that have no task left for them, or that may not be on
   * the node any more.
   */
  jobs(ends: (job: JobId) => boolean): Set<JobId> {
    const jobs = this.#reservations.jobs(this.lane)
    for (const job of jobs) {
      if (ends(job)) this.giveUp(job)
      for (const each of this.#reservations.of(job)) if (each.lane === this.lane && !this.#holds(each)) this.#drop(each)
      for (let over = this.count(job) - this.most(job); over > 0; over--) this.#drop(this.#lowest(job) as Reservation)
      if (this.count(job) === 0) jobs.delete(job)
    }
    return jobs
  }

  /** How many nodes the job may reserve: one for each waiting task; for a gang one for each task that starts with it. */
  most(job: JobId): number {
    const together = this.work.together(job, this.lane)
    return together > 1 ? together : this.work.unplaced(job, this.lane)
  }

  /** The number of tasks for which the job has nodes already: one per reserved node, or for a gang as many as fit there. */
  covered(job: JobId): number {
    if (this.work.together(job, this.lane) <= 1) return this.count(job)
    let tasks = 0
    for (const { lane, node, shape } of this.#reservations.of(job)) if (lane === this.lane) tasks += Math.max(1, this.cluster.couldTake(shape, node))
    return tasks
  }

  /**
   * The gang that has reserved nodes but lacks some, or `None`. There may be several, for example after a node has gone; then all but the first to
   * reserve give their nodes up and are removed from `jobs`.
   */
  gathering(jobs: Set<JobId>): JobId | None {
    let found: JobId | None = None
    for (const job of jobs) {
      if (this.work.together(job, this.lane) <= 1 || this.covered(job) >= this.most(job)) continue
      if (found === None) found = job
      else {
        this.giveUp(job)
        jobs.delete(job)
      }
    }
    return found
  }

  #holds({ job, node, shape }: Reservation): boolean {
    return this.work.unplaced(job, this.lane) > 0 && this.work.shape(job, this.lane) === shape && this.inner.bars?.(job, node) !== true
  }

  #lowest(job: JobId): Reservation | undefined {
    let lowest: Reservation | undefined
    for (const each of this.#reservations.of(job)) if (each.lane === this.lane && (lowest === undefined || each.node < lowest.node)) lowest = each
    return lowest
  }

  // ---- what ends them ----

  onFinish(job: JobId): void {
    for (const each of this.#reservations.of(job)) this.#drop(each)
  }

  onNode(node: NodeId, up: boolean): void {
    for (let lane = 0; lane < this.#areAll.length; lane++) {
      this.#areAll[lane] = false
      const reservation = up ? undefined : this.#reservations.on(node, lane as LaneId)
      if (reservation !== undefined) this.#drop(reservation)
    }
  }

  #drop(reservation: Reservation): void {
    this.#reservations.drop(reservation)
    this.#areAll[reservation.lane] = false
    this.#beside = new LowestNodes() // the node is for others again
    this.ended++
  }
}

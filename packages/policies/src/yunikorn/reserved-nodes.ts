import { WrappedRound, type Env, type JobId, type LaneId, type NodeId, type Round, type TaskId, type WorkListener } from '@sched/core'
import { NodeReservations, type Reservation } from '../capacity/node-reservations.js'

/**
 * A round in which nothing of other jobs fits on a node that is reserved. A node has one reservation, a job one for each task that waits at most: of tasks
 * that ask the same it does not matter which one it is for.
 *
 * Source: YuniKorn 1.8, node.go (Reserve, preAllocateCheck), node_collection.go (GetNodeIterator).
 */
export class ReservedNodes extends WrappedRound implements WorkListener {
  /** Whether no node is left to reserve, as far as that was seen since one was given up or came back. */
  areAll = false
  readonly #lanes: number
  readonly #reservations: NodeReservations
  readonly #barsToo = (job: JobId, node: NodeId) => this.#isOfAnother(job, node) || this.inner.bars?.(job, node) === true

  constructor({ cluster }: Env) {
    super()
    this.#lanes = cluster.lanes.length
    this.#reservations = new NodeReservations(cluster.lanes.length)
  }

  open(round: Round): this {
    this.inner = round
    return this
  }

  get areAny(): boolean {
    return this.#reservations.size > 0
  }

  // ---- what fits ----

  override fits(job: JobId, node: NodeId): boolean {
    return !this.#isOfAnother(job, node) && this.inner.fits(job, node)
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

  /** The nodes that are reserved for a job, as they were. */
  of(job: JobId): readonly NodeId[] {
    return this.#of(job, this.lane).map(({ node }) => node)
  }

  /** Jobs with reserved nodes. Reservations end here of jobs that `ends` says, that have no task left for them, or that may not be on the node any more. */
  jobs(ends: (job: JobId) => boolean): JobId[] {
    const { work, lane } = this
    const jobs = new Set<JobId>()
    for (const node of this.#reservations.nodes(lane)) {
      const reservation = this.#reservations.on(node, lane) as Reservation
      const { job, shape } = reservation
      const isFor = work.unplaced(job, lane) > 0 && work.shape(job, lane) === shape && work.together(job, lane) === 1
      if (isFor && this.#of(job, lane).length <= work.unplaced(job, lane) && this.inner.bars?.(job, node) !== true && !ends(job)) jobs.add(job)
      else this.#drop(reservation)
    }
    return [...jobs].filter((job) => this.#of(job, lane).length > 0)
  }

  keep(node: NodeId, job: JobId): void {
    this.#reservations.add({ job, node, lane: this.lane, shape: this.work.shape(job, this.lane) })
  }

  /** A task of the job has started on the node: that node is reserved no more, or else the lowest that is for the job. */
  started(job: JobId, node: NodeId): void {
    const own = this.#of(job, this.lane)
    const given = own.find((each) => each.node === node) ?? own[0]
    if (given !== undefined) this.#drop(given)
  }

  // ---- what ends them ----

  onFinish(job: JobId): void {
    for (const each of this.#reservations.of(job)) this.#drop(each)
  }

  onNode(node: NodeId, up: boolean): void {
    this.areAll = false
    for (let lane = 0; lane < this.#lanes && !up; lane++) {
      const reservation = this.#reservations.on(node, lane as LaneId)
      if (reservation !== undefined) this.#drop(reservation)
    }
  }

  #of(job: JobId, lane: LaneId): Reservation[] {
    return this.#reservations.of(job).filter((each) => each.lane === lane).sort((a, b) => a.node - b.node)
  }

  #drop(reservation: Reservation): void {
    this.#reservations.drop(reservation)
    this.areAll = false
  }
}

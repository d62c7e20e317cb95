import type { JobId, LaneId, WorkView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import type { QueueLoads } from './ideal-allocation.js'
import type { NodeReservations } from './node-reservations.js'
import type { SortedIds } from '../orders/sorted-ids.js'

/** What the queues of a pot use and want, as preemption sees it. Jobs want no more than their user's limit leaves. */
export class LiveLoads implements QueueLoads {
  readonly width: number
  total: Float64Array = new Float64Array(0)
  guaranteed: Float64Array = new Float64Array(0)
  most: Float64Array = new Float64Array(0)
  used: Float64Array = new Float64Array(0)
  pending: Float64Array = new Float64Array(0)
  unreserved: Float64Array = new Float64Array(0)
  isProtected = new Uint8Array(0)
  priority = new Float64Array(0)
  readonly #queues: CapacityQueues
  readonly #reservations: NodeReservations
  readonly #work: WorkView
  readonly #room: Float64Array
  /** What the jobs of one user want, and what of it is not reserved. */
  readonly #wanted: Float64Array
  readonly #open: Float64Array
  #known = 0

  constructor(queues: CapacityQueues, reservations: NodeReservations, work: WorkView) {
    const { width } = queues.pots
    this.#queues = queues
    this.#reservations = reservations
    this.#work = work
    this.width = width
    this.#room = new Float64Array(width)
    this.#wanted = new Float64Array(width)
    this.#open = new Float64Array(width)
  }

  get count(): number {
    return this.#queues.tree.queues.length
  }

  get parent(): readonly number[] {
    return this.#queues.tree.parents
  }

  /** Reads a pot; valid until the next reading. */
  read(pot: number): this {
    const { pots, quotas, usage, isLent } = this.#queues
    if (this.count > this.#known) this.#fit()
    this.total = pots.totals.subarray(pot * this.width, (pot + 1) * this.width)
    this.guaranteed = this.#column(quotas.guaranteed, this.guaranteed, pot)
    this.most = this.#column(quotas.most, this.most, pot)
    if (isLent[pot] === true) for (let i = 0; i < this.count * this.width; i++) this.most[i] = this.total[i % this.width] as number // as where it is lent
    this.used = this.#column(usage.used, this.used, pot)
    this.#readPending(pot)
    return this
  }

  /** With one pot, the column itself. */
  #column(of: Float64Array, to: Float64Array, pot: number): Float64Array {
    const { count: pots } = this.#queues.pots
    const { count, width } = this
    if (pots === 1) return of
    const column = to.length < count * width ? new Float64Array(2 * count * width) : to
    for (let queue = 0; queue < count; queue++)
      for (let i = 0; i < width; i++) column[queue * width + i] = of[(queue * pots + pot) * width + i] as number
    return column
  }

  /** Columns for queues that are new. */
  #fit(): void {
    const { tree } = this.#queues
    this.#known = this.count
    this.pending = new Float64Array(this.count * this.width)
    this.unreserved = new Float64Array(this.count * this.width)
    this.isProtected = Uint8Array.from(tree.queues, ({ isPreemptable }) => (isPreemptable ? 0 : 1))
    this.priority = Float64Array.from(tree.queues, ({ id, priority }) => (tree.isByPriority[id] === true ? priority : 0))
  }

  #readPending(pot: number): void {
    const { tree, usage, users, pots } = this.#queues
    this.pending.fill(0)
    this.unreserved.fill(0)
    for (let leaf = 1; leaf < this.count; leaf++) {
      if (tree.isInner[leaf] === true || !usage.isListed(leaf, pot)) continue
      const { ids, from, to } = this.#queues.waiting(leaf, pot)
      for (let at = from; at < to; at++) {
        const pair = ids[at] as number
        this.#addUser(pair, users.jobs[pair * pots.count + pot] as SortedIds, pot, leaf * this.width)
      }
    }
  }

  /** Counts what the jobs of a user want, up to its limit: jobs after that need no look. */
  #addUser(pair: number, jobs: SortedIds, pot: number, at: number): void {
    const { width } = this
    const room = this.#room
    const wanted = this.#wanted
    const open = this.#open
    for (let i = 0; i < width; i++) wanted[i] = open[i] = 0
    const lane = this.#queues.pots.laneOf(pot) as LaneId
    this.#queues.limits.room(pair, pot, room)
    for (let k = jobs.from; k < jobs.to && this.#hasRoom(); k++) this.#addJob(jobs.ids[k] as JobId, pot, lane)
    for (let i = 0; i < width; i++) {
      this.pending[at + i] = (this.pending[at + i] as number) + Math.min(room[i] as number, wanted[i] as number)
      this.unreserved[at + i] = (this.unreserved[at + i] as number) + Math.min(room[i] as number, open[i] as number)
    }
  }

  /** Whether the user may have more than is counted: what is not reserved is never more than all that is wanted. */
  #hasRoom(): boolean {
    const { width } = this
    const open = this.#open
    const room = this.#room
    for (let i = 0; i < width; i++) if ((open[i] as number) < (room[i] as number)) return true
    return false
  }

  #addJob(job: JobId, pot: number, lane: LaneId): void {
    const { pots } = this.#queues
    const tasks = this.#work.unplaced(job, lane)
    const from = pots.demandAt(this.#work.shape(job, lane), lane)
    const { demands } = pots
    const hasReserved = this.#reservations.size > 0 && this.#reservations.of(job).length > 0
    const { width } = this
    const wanted = this.#wanted
    const open = this.#open
    for (let i = 0; i < width; i++) {
      const amount = tasks * (demands[from + i] as number)
      wanted[i] = (wanted[i] as number) + amount
      open[i] = (open[i] as number) + (hasReserved ? Math.max(0, amount - this.#reserved(job, pot, i)) : amount)
    }
  }

  /** What a job has reserved of a resource in a pot. */
  #reserved(job: JobId, pot: number, i: number): number {
    const { pots } = this.#queues
    let sum = 0
    for (const { lane, node, shape } of this.#reservations.of(job)) {
      const from = pots.demandAt(shape, lane)
      if (pots.of(lane, node) === pot) sum += pots.demands[from + i] as number
    }
    return sum
  }
}

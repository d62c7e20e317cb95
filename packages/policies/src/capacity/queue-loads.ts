import type { CapacityQueues } from './capacity-queues.js'
import type { QueueLoads } from './ideal-allocation.js'
import type { WaitingAmounts } from './waiting-amounts.js'

/** What the queues of a pot use and want, as preemption sees it. The jobs of a user want no more than the user's limit leaves. */
export class LiveLoads implements QueueLoads {
  readonly width: number
  total: Float64Array = new Float64Array(0)
  guaranteed: Float64Array = new Float64Array(0)
  most: Float64Array = new Float64Array(0)
  used: Float64Array = new Float64Array(0)
  pending: Float64Array = new Float64Array(0)
  unreserved: Float64Array = new Float64Array(0)
  killable: Float64Array | undefined
  isProtected = new Uint8Array(0)
  priority = new Float64Array(0)
  readonly #queues: CapacityQueues
  readonly #waiting: WaitingAmounts
  /** Scratch: what a user may still be given. */
  readonly #room: Float64Array
  #known = 0

  constructor(queues: CapacityQueues, waiting: WaitingAmounts) {
    this.#queues = queues
    this.#waiting = waiting
    this.width = queues.pots.width
    this.#room = new Float64Array(this.width)
  }

  get count(): number {
    return this.#queues.tree.queues.length
  }

  get parent(): readonly number[] {
    return this.#queues.tree.parents
  }

  /** Reads a pot; valid until the next reading. */
  read(pot: number): this {
    const { pots, quotas, usage, isLent, killable } = this.#queues
    if (this.count > this.#known) this.#fit()
    this.total = pots.totals.subarray(pot * this.width, (pot + 1) * this.width)
    this.guaranteed = this.#column(quotas.guaranteed, this.guaranteed, pot)
    this.most = this.#column(quotas.most, this.most, pot)
    if (isLent[pot] === true) for (let i = 0; i < this.count * this.width; i++) this.most[i] = this.total[i % this.width] as number // where a partition is lent, maxima do not count
    this.used = this.#column(usage.used, this.used, pot)
    if (killable !== undefined && killable.amounts.length > 0) this.killable = this.#column(killable.amounts, this.killable ?? new Float64Array(0), pot)
    this.#readPending(pot)
    return this
  }

  /** The values of one pot, copied to `to`; with one pot the column itself. */
  #column(of: Float64Array, to: Float64Array, pot: number): Float64Array {
    const { count: pots } = this.#queues.pots
    const { count, width } = this
    if (pots === 1) return of
    const column = to.length < count * width ? new Float64Array(2 * count * width) : to
    for (let queue = 0; queue < count; queue++)
      for (let i = 0; i < width; i++) column[queue * width + i] = of[(queue * pots + pot) * width + i] ?? 0
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

  /** Sums up what waits. Users are read in the order of their numbers, since their sums lie side by side in memory. */
  #readPending(pot: number): void {
    const { users } = this.#queues
    this.pending.fill(0)
    this.unreserved.fill(0)
    this.#waiting.refresh(users.count)
    for (let pair = 0; pair < users.count; pair++) this.#addUser(pair, pot, (users.leaf[pair] as number) * this.width)
  }

  /** Adds what the jobs of a user want to its leaf, up to the user's limit. */
  #addUser(pair: number, pot: number, at: number): void {
    const { width } = this
    const { sums } = this.#waiting
    const [pending, unreserved, room] = [this.pending, this.unreserved, this.#room]
    const from = (pair * this.#queues.pots.count + pot) * 2 * width
    let wants = false
    for (let i = from; i < from + width; i++) if ((sums[i] as number) > 0) wants = true
    if (!wants) return
    this.#queues.limits.room(pair, pot, room)
    for (let i = 0; i < width; i++) {
      const most = room[i] as number
      if (most <= 0) continue
      const wanted = sums[from + i] as number
      const open = sums[from + width + i] as number
      pending[at + i] = (pending[at + i] as number) + (wanted < most ? wanted : most)
      unreserved[at + i] = (unreserved[at + i] as number) + (open < most ? open : most)
    }
  }
}

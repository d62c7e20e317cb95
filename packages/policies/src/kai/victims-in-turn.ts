import type { ResourceId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { Rank } from './queue-order.js'
import type { Victim } from './victim.js'

/** The next victim of a queue, or of the queues inside it, and the rank of the queue without it. */
interface Giver {
  readonly leaf: number
  readonly victim: Victim
  readonly rank: Rank
}

/**
 * Gives the victims of all queues, one after another: each time the next victim of the queue that would be served last without it.
 * The caller must take each victim away before the next call, and change nothing else meanwhile.
 *
 * Source: KAI Scheduler, job_order_by_queue.go (victim queues).
 */
export class VictimsInTurn {
  readonly #order: KaiOrder
  readonly #work: WorkView
  readonly #outermost: Iterable<number>
  readonly #listOf: (leaf: number) => readonly Victim[]
  /** By leaf: its victims. */
  readonly #lists = new Map<number, readonly Victim[]>()
  /** By leaf that has given a victim, or gives no more: the number of victims left. */
  readonly #left = new Map<number, number>()
  /** By queue: its giver, valid until a victim inside the queue is taken. */
  readonly #givers = new Map<number, Giver | undefined>()

  /** `outermost`: the outermost queues that may give; `listOf`: the victims of a leaf, the one that goes first at the end. */
  constructor(order: KaiOrder, work: WorkView, outermost: Iterable<number>, listOf: (leaf: number) => readonly Victim[]) {
    this.#order = order
    this.#work = work
    this.#outermost = outermost
    this.#listOf = listOf
  }

  /**
   * The next victim; a leaf whose next victim may not be taken gives no more, or with `passes` the one behind it. `undefined` when no queue gives
   * any.
   */
  next(mayTake: (victim: Victim) => boolean, passes = false): Victim | undefined {
    for (let giver = this.#last(0); giver !== undefined; giver = this.#last(0)) {
      for (let pool = giver.leaf; pool > 0; pool = this.#order.parent(pool)) this.#givers.delete(pool)
      const isTaken = mayTake(giver.victim)
      this.#left.set(giver.leaf, isTaken || passes ? this.#leftOf(giver.leaf) - 1 : 0)
      if (isTaken) return giver.victim
    }
    return undefined
  }

  amount({ tasks }: Victim, r: number): number {
    return tasks.reduce((sum, task) => sum + this.#work.demand(this.#work.shapeOf(task), r as ResourceId), 0)
  }

  /** The giver that would be served last of all inside a pool. */
  #last(pool: number): Giver | undefined {
    const order = this.#order
    let last: Giver | undefined
    let at = 0
    for (const child of pool === 0 ? this.#outermost : order.inside(pool)) {
      const giver = this.#giver(child)
      if (giver === undefined || (last !== undefined && order.compare(at, last.rank, child, giver.rank) >= 0)) continue
      last = giver
      at = child
    }
    return last
  }

  #giver(pool: number): Giver | undefined {
    if (this.#givers.has(pool)) return this.#givers.get(pool)
    const next = this.#order.isLeaf(pool) ? this.#lastIn(pool) : this.#last(pool)
    const giver = next && { leaf: next.leaf, victim: next.victim, rank: this.#order.rankWith(pool, (r) => -this.amount(next.victim, r)) }
    this.#givers.set(pool, giver)
    return giver
  }

  #lastIn(leaf: number): Pick<Giver, 'leaf' | 'victim'> | undefined {
    const victim = this.list(leaf)[this.#leftOf(leaf) - 1]
    return victim && { leaf, victim }
  }

  #leftOf(leaf: number): number {
    return this.#left.get(leaf) ?? this.list(leaf).length
  }

  /** The victims of a leaf, the one that goes first at the end. */
  list(leaf: number): readonly Victim[] {
    const known = this.#lists.get(leaf)
    if (known !== undefined) return known
    const list = this.#listOf(leaf)
    this.#lists.set(leaf, list)
    return list
  }
}

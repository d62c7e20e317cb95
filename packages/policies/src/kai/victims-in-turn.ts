import type { ResourceId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { Rank } from './queue-order.js'
import type { Victim } from './victim.js'

/** Who is next of a queue, or of those inside it, and where it stands without. */
interface Giver {
  readonly leaf: number
  readonly victim: Victim
  readonly rank: Rank
}

/**
 * Victims of all queues, one after the other: the next of the queue that would be served last without it.
 * What is taken is to count as gone meanwhile, and nothing else is to change.
 *
 * Source: KAI Scheduler, job_order_by_queue.go (victim queues).
 */
export class VictimsInTurn {
  readonly #order: KaiOrder
  readonly #work: WorkView
  readonly #outermost: Iterable<number>
  readonly #listOf: (leaf: number) => readonly Victim[]
  /** By leaf: who of it may be taken. */
  readonly #lists = new Map<number, readonly Victim[]>()
  /** By leaf that gave somebody or gives no more: how many are left. */
  readonly #left = new Map<number, number>()
  /** By queue, as far as nobody inside it has gone since. */
  readonly #givers = new Map<number, Giver | undefined>()

  /** `outermost`: those of the outermost queues that may give; `listOf`: who of a leaf may go, the first last. */
  constructor(order: KaiOrder, work: WorkView, outermost: Iterable<number>, listOf: (leaf: number) => readonly Victim[]) {
    this.#order = order
    this.#work = work
    this.#outermost = outermost
    this.#listOf = listOf
  }

  /** The next victim; a queue of which one may not be taken gives no more. `undefined` when none gives any. */
  next(mayTake: (victim: Victim) => boolean): Victim | undefined {
    for (let giver = this.#last(0); giver !== undefined; giver = this.#last(0)) {
      for (let pool = giver.leaf; pool > 0; pool = this.#order.parent(pool)) this.#givers.delete(pool)
      const isTaken = mayTake(giver.victim)
      this.#left.set(giver.leaf, isTaken ? this.#leftOf(giver.leaf) - 1 : 0)
      if (isTaken) return giver.victim
    }
    return undefined
  }

  amount({ tasks }: Victim, r: number): number {
    return tasks.reduce((sum, task) => sum + this.#work.demand(this.#work.shapeOf(task), r as ResourceId), 0)
  }

  /** Who is last of all inside a pool. */
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
    const victim = this.#list(leaf)[this.#leftOf(leaf) - 1]
    return victim && { leaf, victim }
  }

  #leftOf(leaf: number): number {
    return this.#left.get(leaf) ?? this.#list(leaf).length
  }

  #list(leaf: number): readonly Victim[] {
    const known = this.#lists.get(leaf)
    if (known !== undefined) return known
    const list = this.#listOf(leaf)
    this.#lists.set(leaf, list)
    return list
  }
}

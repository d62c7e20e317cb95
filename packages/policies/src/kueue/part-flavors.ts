import type { Flavor } from './flavor.js'
import type { ClusterQueue } from './queues.js'
import type { Part } from './workload.js'

/** Whether the nodes of a flavor or mix could ever hold the workload, or with `part` that part, which may have a flavor of its own. */
export type CanHold = (choice: number, part?: number) => boolean

/** How often a flavor is tried for a part in one search; a search that needs more tries counts as one without a result. */
const MOST_TRIES = 10_000

/**
 * Flavors of the parts of a gang, chosen one after another. It says whether, with a flavor for the next part, all parts after it could have one, in an empty
 * cluster: within what the queue could ever use and what the nodes have.
 */
export class Spread {
  /** The flavors or mixes chosen for the first parts. */
  readonly taken: number[] = []
  readonly #queue: ClusterQueue
  readonly #parts: readonly Part[]
  readonly #canHold: CanHold
  /** What the parts take so far: of quota by column, and of nodes by flavor and resource. */
  readonly #inQuota = new Map<number, number>()
  readonly #onNodes = new Map<string, number>()
  #tries = 0

  constructor(queue: ClusterQueue, parts: readonly Part[], canHold: CanHold) {
    this.#queue = queue
    this.#parts = parts
    this.#canHold = canHold
  }

  /** Whether all parts could have a flavor. */
  static isPossible(queue: ClusterQueue, parts: readonly Part[], canHold: CanHold): boolean {
    const spread = new Spread(queue, parts, canHold)
    return queue.choicesFor((parts[0] as Part).demand).some((choice) => canHold(choice, 0) && spread.isPossible(choice))
  }

  /** Whether the next part could have this flavor and all parts after it could have one. */
  isPossible(choice: number): boolean {
    this.#tries = 0
    return this.#isPossible(this.taken.length, choice)
  }

  /** Gives the next part this flavor. */
  take(choice: number): void {
    this.#add(this.taken.length, choice, 1)
    this.taken.push(choice)
  }

  #isPossible(part: number, choice: number): boolean {
    if (++this.#tries > MOST_TRIES || !this.#hasRoom(part, choice)) return false
    const next = this.#parts[part + 1]
    if (next === undefined) return true
    this.#add(part, choice, 1)
    const found = this.#queue.choicesFor(next.demand).some((other) => this.#canHold(other, part + 1) && this.#isPossible(part + 1, other))
    this.#add(part, choice, -1)
    return found
  }

  #hasRoom(part: number, choice: number): boolean {
    const { columns, capacity } = this.#queue.choices.all[choice] as Flavor
    return (this.#parts[part] as Part).demand.every((amount, r) => {
      const c = columns[r] as number
      return amount === 0 || (amount + (this.#inQuota.get(c) ?? 0) <= this.#queue.potential(c) && amount + (this.#onNodes.get(`${choice} ${r}`) ?? 0) <= (capacity[r] as number))
    })
  }

  #add(part: number, choice: number, sign: 1 | -1): void {
    const { columns } = this.#queue.choices.all[choice] as Flavor
    for (const [r, amount] of (this.#parts[part] as Part).demand.entries()) {
      if (amount === 0) continue
      const [c, place] = [columns[r] as number, `${choice} ${r}`]
      this.#inQuota.set(c, (this.#inQuota.get(c) ?? 0) + sign * amount)
      this.#onNodes.set(place, (this.#onNodes.get(place) ?? 0) + sign * amount)
    }
  }
}

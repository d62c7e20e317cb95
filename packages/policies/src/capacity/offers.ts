/** Ratio of queues without a guarantee: after those of all others. */
const NO_GUARANTEE = 0x7fffffff

/** Up to so many entries a place is searched one by one, among more by halving. */
const SHORT = 24

/** The columns that offers read and write; vectors are `[queue * width + i]`. */
interface OfferColumns {
  readonly count: number
  readonly width: number
  /** Totals to divide by: `Infinity` in place of 0, so that no queue has a share of a resource that does not exist. */
  readonly divisors: Float64Array
  /** What queues have so far, which offers raise, and the most that they take. */
  readonly ideal: Float64Array
  readonly limit: Float64Array
  readonly guaranteed: ArrayLike<number>
  /** By queue: the dominant share of its guarantee. */
  readonly guaranteedShare: Float64Array
  /** By queue. */
  readonly priority: ArrayLike<number>
}

/**
 * Offers what is left of some resources to queues that want more, in rounds. Each round offers to the most under-served queues, all
 * equally under-served ones at once, in proportion to their guarantees, until nothing is left or wanted. A queue that takes nothing is done.
 *
 * Source: Hadoop 3, AbstractPreemptableResourceCalculator.computeFixpointAllocation.
 */
export class Offers {
  /** What is left to be offered. */
  left = new Float64Array(0)
  #columns!: OfferColumns
  /** The sum of the guarantees of the queues that are not done. */
  #active = new Float64Array(0)
  #hasPriorities = false
  /** By queue: the dominant share of what it has, that share over the one of its guarantee, and whether it took something in this round. */
  #share = new Float64Array(0)
  #ratio = new Float64Array(0)
  #hasGained = new Uint8Array(0)
  /** The queues that are not done, from `#from` to before `#to`, the most under-served first; and those that took something in this round. */
  #order = new Int32Array(0)
  #from = 0
  #to = 0
  #gained = new Int32Array(0)

  /** Sets the columns to use until the next call. */
  use(columns: OfferColumns): void {
    const { count, width } = columns
    this.#columns = columns
    if (this.left.length !== width) [this.left, this.#active] = [new Float64Array(width), new Float64Array(width)]
    if (count <= this.#share.length) return
    ;[this.#share, this.#ratio] = [new Float64Array(count * 2), new Float64Array(count * 2)]
    ;[this.#order, this.#gained] = [new Int32Array(count * 2), new Int32Array(count * 2)]
    this.#hasGained = new Uint8Array(count * 2)
  }

  /** Starts anew with no queues. */
  begin(): void {
    for (let i = 0; i < this.#active.length; i++) this.#active[i] = 0
    this.#hasPriorities = false
    this.#from = this.#to = 0
  }

  /** Adds a queue that wants more; `share`: the dominant share of what it has. */
  add(queue: number, share: number): void {
    const { width, guaranteed, priority } = this.#columns
    const active = this.#active
    for (let i = 0, at = queue * width; i < width; i++, at++) active[i] = (active[i] as number) + (guaranteed[at] as number)
    if (priority[queue] !== 0) this.#hasPriorities = true
    this.#share[queue] = share
    this.#order[this.#to++] = queue
  }

  /** Offers what is left until nothing is left or wanted. `isEqual`: in equal parts instead of by guarantees. */
  run(isEqual: boolean): void {
    for (let k = 0; k < this.#to; k++) {
      const queue = this.#order[k] as number
      this.#rank(queue)
      this.#insert(this.#order, queue, k)
    }
    while (this.#from < this.#to && this.#isLeft()) this.#round(isEqual)
  }

  /** One round: offers to all queues that are most under-served, equally so. Those that take nothing are done; the others move to their new places. */
  #round(isEqual: boolean): void {
    const next = this.#from + this.#countFirst()
    this.#offer(next, isEqual)
    this.#merge(next, this.#keepGained(next))
  }

  /** Offers what is left of every resource to the queues in order up to `next`, and notes which of them took something. */
  #offer(next: number, isEqual: boolean): void {
    const { width, divisors, ideal, limit, guaranteed } = this.#columns
    const { left } = this
    const [active, order, share, hasGained] = [this.#active, this.#order, this.#share, this.#hasGained]
    const from = this.#from
    const equal = this.#to - from
    for (let k = from; k < next; k++) hasGained[order[k] as number] = 0
    for (let i = 0; i < width; i++) {
      const rest = left[i] as number
      const all = active[i] as number
      if (rest <= 0 || (all === 0 && !isEqual)) continue
      const divisor = divisors[i] as number
      let given = 0
      for (let k = from; k < next; k++) {
        const queue = order[k] as number
        const at = queue * width + i
        const had = ideal[at] as number
        const room = (limit[at] as number) - had
        if (room <= 0) continue
        let accepted = rounded(rest * (isEqual ? 1 / equal : (guaranteed[at] as number) / all), width)
        if (accepted > room) accepted = room
        if (accepted > rest - given) accepted = rest - given // parts rounded up may sum to more than there is: the last queues get what is left
        if (accepted === 0) continue
        hasGained[queue] = 1
        ideal[at] = had + accepted
        given += accepted
        const part = (had + accepted) / divisor
        if (part > (share[queue] as number)) share[queue] = part
      }
      left[i] = rest - given
    }
  }

  /** Lists the queues before `next` that took something, ordered by what they have now, and drops the others; returns how many are listed. */
  #keepGained(next: number): number {
    const { width, guaranteed } = this.#columns
    const [active, order] = [this.#active, this.#order]
    let size = 0
    for (let k = this.#from; k < next; k++) {
      const queue = order[k] as number
      if (this.#hasGained[queue] === 1) {
        this.#rank(queue)
        this.#insert(this.#gained, queue, size++)
      } else for (let i = 0, at = queue * width; i < width; i++, at++) active[i] = (active[i] as number) - (guaranteed[at] as number)
    }
    return size
  }

  /** Merges the `size` queues that took something into the rest of the order, using the room before that; `#from` moves accordingly. */
  #merge(first: number, size: number): void {
    const [order, gained, end] = [this.#order, this.#gained, this.#to]
    let next = first
    let to = next - size
    this.#from = to
    for (let k = 0; k < size; k++) {
      const queue = gained[k] as number
      const near = next + SHORT < end ? next + SHORT : end
      while (next < near && this.#isAfter(queue, order[next] as number)) order[to++] = order[next++] as number
      if (next === near && near < end) {
        const place = this.#place(order, queue, next, end)
        order.copyWithin(to, next, place)
        to += place - next
        next = place
      }
      order[to++] = queue
    }
  }

  /** Inserts a queue at its place among the first `size` entries of a list. */
  #insert(list: Int32Array<ArrayBuffer>, queue: number, size: number): void {
    let at = size
    if (size > SHORT) {
      at = this.#place(list, queue, 0, size)
      list.copyWithin(at + 1, at, size)
    } else for (; at > 0 && this.#isAfter(list[at - 1] as number, queue); at--) list[at] = list[at - 1] as number
    list[at] = queue
  }

  /** The first position in [low, high) whose member comes after the queue; `high` if none does. It is mostly one of the ends, which are tried first. */
  #place(list: Int32Array<ArrayBuffer>, queue: number, low: number, high: number): number {
    if (low === high || this.#isAfter(list[low] as number, queue)) return low
    if (!this.#isAfter(list[high - 1] as number, queue)) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isAfter(list[middle] as number, queue)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** How many queues, from the first on, are equally under-served. */
  #countFirst(): number {
    const { priority } = this.#columns
    const [order, ratio, from, end] = [this.#order, this.#ratio, this.#from, this.#to]
    const first = order[from] as number
    let to = from + 1
    while (to < end && ratio[order[to] as number] === ratio[first] && (!this.#hasPriorities || priority[order[to] as number] === priority[first])) to++
    return to - from
  }

  /**
   * Whether queue a is served after b. The order is that of a decision: queues below their guarantee first, then by priority, then by what they
   * have of their guarantee.
   */
  #isAfter(a: number, b: number): boolean {
    const first = this.#ratio[a] as number
    const second = this.#ratio[b] as number
    if (this.#hasPriorities && first >= 1 === second >= 1) {
      const { priority } = this.#columns
      if (priority[a] !== priority[b]) return (priority[a] as number) < (priority[b] as number)
    }
    return first === second ? a > b : first > second
  }

  #rank(queue: number): void {
    const guaranteed = this.#columns.guaranteedShare[queue] as number
    if (guaranteed === 0) this.#ratio[queue] = NO_GUARANTEE // as a conditional expression the value would be boxed, which takes longer than the division
    else this.#ratio[queue] = (this.#share[queue] as number) / guaranteed
  }

  #isLeft(): boolean {
    const { width, divisors } = this.#columns
    for (let i = 0; i < width; i++) if ((this.left[i] as number) > 0 && divisors[i] !== Infinity) return true
    return false
  }
}

/**
 * A part of an amount, rounded as Hadoop's calculators do: to the nearest if memory alone counts, up if all resources count. A part
 * above 0 gives at least 1: Hadoop counts MB, where one more or less does not matter, but here one unit may be all that a task asks for.
 */
export function rounded(amount: number, width: number): number {
  return width === 1 && amount >= 1 ? Math.floor(amount + 0.5) : Math.ceil(amount)
}

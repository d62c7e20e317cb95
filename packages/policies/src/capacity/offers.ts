/** Rank of queues without a guarantee: after all others. */
const NO_GUARANTEE = 0x7fffffff

/** Places are looked for among so many one by one, among more by halving. */
const SHORT = 24

/** What offers are made by; vectors are `[queue * width + i]`. */
interface OfferColumns {
  readonly count: number
  readonly width: number
  /** Totals to divide by: Infinity where there is nothing, of which no queue has a share. */
  readonly divisors: Float64Array
  /** What queues have so far, which grows, and the most they would have. */
  readonly ideal: Float64Array
  readonly limit: Float64Array
  readonly guaranteed: ArrayLike<number>
  /** By queue: the dominant share that is guaranteed. */
  readonly guaranteedShare: Float64Array
  /** By queue. */
  readonly priority: ArrayLike<number>
}

/**
 * Rounds in which what is left of some resources is offered to queues that want more: to the most under-served, all of them
 * at once, in proportion to their guarantees, until nothing is left or wanted. A queue that takes nothing is done.
 *
 * Source: Hadoop 3, AbstractPreemptableResourceCalculator.computeFixpointAllocation.
 */
export class Offers {
  /** What is left to be offered. */
  left = new Float64Array(0)
  #columns!: OfferColumns
  /** What the queues that are not done are guaranteed together. */
  #active = new Float64Array(0)
  #hasPriorities = false
  /** By queue: the dominant share of what it has, and what that is of its guarantee's; whether it took something in this round. */
  #share = new Float64Array(0)
  #ratio = new Float64Array(0)
  #hasGained = new Uint8Array(0)
  /** Queues that are not done, from `#from` to `#to`, the most under-served first; and those of a round that took something. */
  #order = new Int32Array(0)
  #from = 0
  #to = 0
  #gained = new Int32Array(0)

  /** Takes columns over that hold until the next call. */
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

  /** Offers what is left; `isEqual`: in equal parts, not by guarantees. */
  run(isEqual: boolean): void {
    for (let k = 0; k < this.#to; k++) {
      const queue = this.#order[k] as number
      this.#rank(queue)
      this.#insert(this.#order, queue, k)
    }
    while (this.#from < this.#to && this.#isLeft()) this.#round(isEqual)
  }

  /** Offers to all that are equally under-served. Those that take nothing are done, the others go where they belong then. */
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
        if (accepted > rest - given) accepted = rest - given // parts rounded up may be more than there is: the last ones have what is left
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

  /** Lists those up to `next` that took something, ranked by what they have now, and counts out the others; returns how many are listed. */
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

  /** Puts the first `size` that took something among the queues from `next` on; the order begins where the room before these begins. */
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

  /** Puts a queue where it belongs among the first `size` of a list. */
  #insert(list: Int32Array<ArrayBuffer>, queue: number, size: number): void {
    let at = size
    if (size > SHORT) {
      at = this.#place(list, queue, 0, size)
      list.copyWithin(at + 1, at, size)
    } else for (; at > 0 && this.#isAfter(list[at - 1] as number, queue); at--) list[at] = list[at - 1] as number
    list[at] = queue
  }

  /** The first position in [low, high) whose member comes after the queue; `high` if none does. Mostly it is one of the ends. */
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

  /** How many are equally under-served, from the first on. */
  #countFirst(): number {
    const { priority } = this.#columns
    const [order, ratio, from, end] = [this.#order, this.#ratio, this.#from, this.#to]
    const first = order[from] as number
    let to = from + 1
    while (to < end && ratio[order[to] as number] === ratio[first] && (!this.#hasPriorities || priority[order[to] as number] === priority[first])) to++
    return to - from
  }

  /** Siblings are served as at a decision: those below their guarantee first, by priority, then by what they have of it. */
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
    if (guaranteed === 0) this.#ratio[queue] = NO_GUARANTEE // a conditional value would be boxed here, which takes longer than the division
    else this.#ratio[queue] = (this.#share[queue] as number) / guaranteed
  }

  #isLeft(): boolean {
    const { width, divisors } = this.#columns
    for (let i = 0; i < width; i++) if ((this.left[i] as number) > 0 && divisors[i] !== Infinity) return true
    return false
  }
}

/**
 * Parts of amounts are rounded as Hadoop's calculators do: to the nearest with memory alone, up with all resources. Of what is
 * above 0 that is 1 at least: Hadoop counts MB, of which nobody misses one, and here a unit may be all that a task asks.
 */
export function rounded(amount: number, width: number): number {
  return width === 1 && amount >= 1 ? Math.floor(amount + 0.5) : Math.ceil(amount)
}

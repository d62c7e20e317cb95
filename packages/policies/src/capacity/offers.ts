/** Rank of queues without a guarantee: after all others. */
const NO_GUARANTEE = 0x7fffffff

/** Up to so many members are moved one by one, more in a block. */
const SHORT = 24

/**
 * Rounds in which what is left of some resources is offered to queues that want more: to the most under-served, all of them
 * at once, in proportion to their guarantees, until nothing is left or wanted. A queue that takes nothing is done.
 *
 * Queues are rows in the order of their ids; rows and vectors are columns by resource, `[resource * stride + row]`, that are
 * used again.
 *
 * Source: Hadoop 3, AbstractPreemptableResourceCalculator.computeFixpointAllocation.
 */
export class Offers {
  #rows = 0
  #stride = 0
  /** By row: the queue. */
  #queues = new Int32Array(0)
  /** What each has so far, the most it would have, and its guarantee. */
  #has = new Float64Array(0)
  #limit = new Float64Array(0)
  #own = new Float64Array(0)
  /** What is left to be offered. */
  readonly left: Float64Array
  readonly #width: number
  /** What the queues that are not done are guaranteed together. */
  readonly #active: Float64Array
  #divisors = new Float64Array(0)
  #priority = new Float64Array(0)
  #hasPriorities = false
  /** Dominant shares of the guarantee and of what the queue has, and what that is of the guarantee. */
  #guaranteedShare = new Float64Array(0)
  #share = new Float64Array(0)
  #ratio = new Float64Array(0)
  #hasGained = new Uint8Array(0)
  /** Rows that are not done, from `#from` on, the most under-served first; and those of the last round that took something. */
  #order = new Int32Array(0)
  #from = 0
  #gained = new Int32Array(0)

  constructor(width: number) {
    this.#width = width
    this.left = new Float64Array(width)
    this.#active = new Float64Array(width)
  }

  /** Starts anew, for no more than so many queues; `divisors`: the totals to divide by, Infinity where there is nothing. */
  begin(most: number, divisors: Float64Array<ArrayBuffer>): void {
    this.#divisors = divisors
    this.#active.fill(0)
    this.#hasPriorities = false
    this.#from = 0
    this.#rows = 0
    this.#stride = most
    if (most > this.#queues.length) this.#grow(most * 2)
  }

  /** Adds a queue with its vectors in columns by queue, `[queue * width + i]`. Ids ascend. */
  add(queue: number, has: Float64Array, limit: Float64Array, guaranteed: ArrayLike<number>, guaranteedShare: number, share: number, priority: number): void {
    const row = this.#rows++
    const stride = this.#stride
    const width = this.#width
    for (let i = 0, at = queue * width, to = row; i < width; i++, at++, to += stride) {
      const own = guaranteed[at] as number
      this.#has[to] = has[at] as number
      this.#limit[to] = limit[at] as number
      this.#own[to] = own
      this.#active[i] = (this.#active[i] as number) + own
    }
    this.#queues[row] = queue
    this.#guaranteedShare[row] = guaranteedShare
    this.#share[row] = share
    this.#rank(row)
    this.#priority[row] = priority
    if (priority !== 0) this.#hasPriorities = true
  }

  /** Offers what is left; `isEqual`: in equal parts, not by guarantees. */
  run(isEqual: boolean): void {
    for (let row = 0; row < this.#rows; row++) this.#insert(this.#order, row, row)
    while (this.#from < this.#rows && this.#isLeft()) this.#settle(this.#offer(isEqual))
  }

  /** Writes what the queues have now to a column by queue. */
  read(to: Float64Array): void {
    const width = this.#width
    for (let row = 0; row < this.#rows; row++)
      for (let i = 0, at = row; i < width; i++, at += this.#stride) to[(this.#queues[row] as number) * width + i] = this.#has[at] as number
  }

  /** Offers to all that are equally under-served; how many they are. */
  #offer(isEqual: boolean): number {
    const width = this.#width
    const count = this.#countFirst()
    const { left } = this
    const [stride, order, has, limit, own, share, hasGained] = [this.#stride, this.#order, this.#has, this.#limit, this.#own, this.#share, this.#hasGained]
    const from = this.#from
    const equal = this.#rows - from
    for (let k = from; k < from + count; k++) hasGained[order[k] as number] = 0
    for (let i = 0; i < width; i++) {
      const rest = left[i] as number
      const all = this.#active[i] as number
      if (rest <= 0 || (all === 0 && !isEqual)) continue
      const divisor = this.#divisors[i] as number
      let given = 0
      for (let k = from; k < from + count; k++) {
        const row = order[k] as number
        const at = i * stride + row
        const had = has[at] as number
        const room = (limit[at] as number) - had
        if (room <= 0) continue
        const offered = rounded(rest * (isEqual ? 1 / equal : (own[at] as number) / all), width)
        const accepted = offered < room ? offered : room
        if (accepted === 0) continue
        hasGained[row] = 1
        has[at] = had + accepted
        given += accepted
        const part = (had + accepted) / divisor
        if (part > (share[row] as number)) share[row] = part
      }
      left[i] = rest - given
    }
    return count
  }

  /** The first so many have been offered something: those that took none are done, the others go where they belong now. */
  #settle(count: number): void {
    const width = this.#width
    const order = this.#order
    const gained = this.#gained
    let size = 0
    for (let k = this.#from; k < this.#from + count; k++) {
      const row = order[k] as number
      if (this.#hasGained[row] === 1) {
        this.#rank(row)
        this.#insert(gained, row, size++)
      } else for (let i = 0, at = row; i < width; i++, at += this.#stride) this.#active[i] = (this.#active[i] as number) - (this.#own[at] as number)
    }
    this.#merge(size, this.#from + count)
  }

  /** Puts those that gained among the others, which start at `next`. */
  #merge(size: number, next: number): void {
    const order = this.#order
    let to = next - size
    this.#from = to
    for (let k = 0; k < size; k++) {
      const row = this.#gained[k] as number
      const end = this.#place(order, row, next, this.#rows)
      if (end - next > SHORT) order.copyWithin(to, next, end)
      else for (let i = next; i < end; i++) order[i - next + to] = order[i] as number
      to += end - next
      next = end
      order[to++] = row
    }
  }

  /** Puts a row where it belongs among the first `size` of a list. */
  #insert(list: Int32Array<ArrayBuffer>, row: number, size: number): void {
    const at = this.#place(list, row, 0, size)
    if (size - at > SHORT) list.copyWithin(at + 1, at, size)
    else for (let i = size; i > at; i--) list[i] = list[i - 1] as number
    list[at] = row
  }

  /** The first position in [low, high) whose member comes after the row; `high` if none does. Mostly it is one of the ends. */
  #place(list: Int32Array<ArrayBuffer>, row: number, low: number, high: number): number {
    if (low === high || this.#isAfter(list[low] as number, row)) return low
    if (!this.#isAfter(list[high - 1] as number, row)) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isAfter(list[middle] as number, row)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** How many are equally under-served, from the first on. */
  #countFirst(): number {
    const order = this.#order
    const from = this.#from
    const first = order[from] as number
    let to = from + 1
    while (to < this.#rows && this.#ratio[order[to] as number] === this.#ratio[first] && (!this.#hasPriorities || this.#priority[order[to] as number] === this.#priority[first])) to++
    return to - from
  }

  /** Siblings are served as at a decision: those below their guarantee first, by priority, then by what they have of it. */
  #isAfter(a: number, b: number): boolean {
    const first = this.#ratio[a] as number
    const second = this.#ratio[b] as number
    if (this.#hasPriorities && this.#priority[a] !== this.#priority[b] && first >= 1 === second >= 1) return (this.#priority[a] as number) < (this.#priority[b] as number)
    return first === second ? a > b : first > second
  }

  #rank(row: number): void {
    const guaranteed = this.#guaranteedShare[row] as number
    if (guaranteed === 0) this.#ratio[row] = NO_GUARANTEE
    else this.#ratio[row] = (this.#share[row] as number) / guaranteed
  }

  #isLeft(): boolean {
    for (let i = 0; i < this.#width; i++) if ((this.left[i] as number) > 0 && this.#divisors[i] !== Infinity) return true
    return false
  }

  /** Room for so many rows. */
  #grow(rows: number): void {
    const vectors = () => new Float64Array(rows * this.#width)
    const column = () => new Float64Array(rows)
    ;[this.#has, this.#limit, this.#own] = [vectors(), vectors(), vectors()]
    ;[this.#guaranteedShare, this.#share, this.#ratio, this.#priority] = [column(), column(), column(), column()]
    ;[this.#queues, this.#order, this.#gained] = [new Int32Array(rows), new Int32Array(rows), new Int32Array(rows)]
    this.#hasGained = new Uint8Array(rows)
  }
}

/** Parts of amounts are rounded as Hadoop's calculators do: to the nearest with memory alone, up with all resources. */
export function rounded(amount: number, width: number): number {
  return width === 1 ? Math.floor(amount + 0.5) : Math.ceil(amount)
}

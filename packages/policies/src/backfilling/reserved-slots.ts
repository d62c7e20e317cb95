import { grown, type NodeId, type Seconds } from '@sched/core'
import { bitsFor, countBits, countWhere, countWord, setBit, type NodeBits } from './node-bits.js'

/**
 * Which nodes are reserved when: time is divided into slots, within each of which the set of reserved nodes stays the same. The last slot has no end.
 * Source: `node_space` of Slurm's plug-in sched/backfill.
 */
export class ReservedSlots {
  /** How many slots there are. */
  count = 0
  readonly #words: number
  /** By slot: when it begins, which is when the one before it ends. */
  #begins = new Float64Array(64)
  /** `[slot * words + w]`: the nodes that nobody has reserved; and by slot how many these are. */
  #free: Int32Array
  #left = new Int32Array(64)
  readonly #all: NodeBits
  readonly #some: NodeBits
  readonly #isClosed: boolean

  /** `isClosed`: whether a run needs its nodes in the second in which it ends, too, so that no reservation may begin then (Slurm). */
  constructor(nodes: number, isClosed = false) {
    this.#isClosed = isClosed
    this.#all = bitsFor(nodes)
    for (let node = 0; node < nodes; node++) setBit(this.#all, node)
    this.#some = bitsFor(nodes)
    this.#words = this.#all.length
    this.#free = new Int32Array(64 * this.#words)
  }

  clear(begin: Seconds): void {
    this.count = 1
    this.#begins[0] = begin
    this.#free.set(this.#all)
    this.#left[0] = countBits(this.#all)
  }

  /**
   * The earliest time from `from` on from which at least `least` of the nodes in `allowed` are not reserved for `length` seconds, nor, where runs are closed,
   * by reservations that begin at the end of that; `Infinity` if there is none. Sets `usable` to these nodes. It is `from` or the beginning of a slot.
   */
  earliest(usable: NodeBits, allowed: NodeBits, least: number, from: Seconds, length: Seconds): Seconds {
    let time = from
    let first = this.#slotAt(from)
    usable.set(allowed)
    for (let i = first; i < this.count && this.#meets(time + length, i); i++) {
      if ((this.#left[i] as number) >= least && this.#limit(usable, i) >= least) continue
      first = this.#firstWith(usable, allowed, least, i)
      if (first === this.count) return Infinity
      time = this.#begins[first] as number
      i = Math.max(i, first - 1)
    }
    return time
  }

  /** Leaves in `usable` the nodes of `allowed` that a run of `length` seconds from `from` on may have, and returns how many these are. */
  during(usable: NodeBits, allowed: NodeBits, from: Seconds, length: Seconds): number {
    return this.between(usable, allowed, from, from + length)
  }

  /** The same for a run that ends at `end`. */
  between(usable: NodeBits, allowed: NodeBits, from: Seconds, end: Seconds): number {
    let left = -1
    usable.set(allowed)
    for (let i = this.#slotAt(from); i < this.count && left !== 0 && this.#meets(end, i); i++) left = this.#limit(usable, i)
    return left
  }

  /** When the slot after the one in which a time lies begins; `Infinity` in the last one. */
  after(time: Seconds): Seconds {
    const next = this.#slotAt(time) + 1
    return next < this.count ? (this.#begins[next] as number) : Infinity
  }

  /** Whether a run that ends at `end` meets a slot, unless it begins later. */
  #meets(end: Seconds, slot: number): boolean {
    const begin = this.#begins[slot] as number
    return this.#isClosed ? begin <= end : begin < end
  }

  /**
   * Whether there is no time up to `latest` from which at least `least` of the nodes in `allowed` that are ready then are not reserved for `length` seconds.
   * `ready`: by node, from when on. False may also mean that it is not known.
   */
  lacks(allowed: NodeBits, ready: Float64Array, least: number, latest: Seconds, length: Seconds): boolean {
    const some = this.#some
    for (let first = 0; first < this.count && (this.#begins[first] as number) <= latest; first++) {
      const end = (this.#begins[first] as number) + length
      some.set(allowed)
      let left = this.#left[first] as number
      for (let i = first; left >= least && i < this.count && (this.#begins[i] as number) < end; i++) left = this.#limit(some, i)
      if (left < least) continue
      const until = Math.min(latest, first + 1 < this.count ? (this.#begins[first + 1] as number) : Infinity)
      if (countWhere(some, (node) => (ready[node] as number) <= until) >= least) return false
    }
    return true
  }

  /** The first slot from which, up to and including slot `last`, at least so many nodes are free; one more than `last` if there is none. Sets `usable` to them. */
  #firstWith(usable: NodeBits, allowed: NodeBits, least: number, last: number): number {
    const some = this.#some
    some.set(allowed)
    let first = last + 1
    do {
      usable.set(some)
      if ((this.#left[first - 1] as number) < least || this.#limit(some, first - 1) < least) return first
      first--
    } while (first > 0)
    return first
  }

  /** Leaves those nodes that are free in the slot, and returns how many these are. */
  #limit(nodes: NodeBits, slot: number): number {
    const free = this.#free
    for (let w = 0, at = slot * this.#words; w < nodes.length; w++, at++) nodes[w] = (nodes[w] as number) & (free[at] as number)
    return countBits(nodes)
  }

  /**
   * The earliest time after `from` from which a node of `allowed` may be free to `to` that is not free all the
   * time from `from` to `to`; `Infinity`: there is none.
   */
  later(allowed: NodeBits, from: Seconds, to: Seconds): Seconds {
    const some = this.#some
    some.set(allowed)
    for (let i = this.#slotAt(from); i + 1 < this.count; i++) {
      const isBeyond = (this.#begins[i] as number) > to
      if (this.#frees(i + 1, allowed, i, some)) return this.#begins[i + 1] as number
      if (isBeyond) return i + 2 < this.count ? (this.#begins[i + 2] as number) : Infinity
      this.#limit(some, i)
    }
    return Infinity
  }

  /** Whether one of the nodes `allowed` is free in a slot, but not both in the slot before it and among `usable`. */
  #frees(slot: number, allowed: NodeBits, before: number, usable: NodeBits): boolean {
    const free = this.#free
    const words = this.#words
    for (let w = 0; w < words; w++)
      if (((free[slot * words + w] as number) & (allowed[w] as number) & ~((free[before * words + w] as number) & (usable[w] as number))) !== 0) return true
    return false
  }

  /** Whether one of the nodes is reserved at a time from `start` to before `end`. */
  overlaps(nodes: readonly NodeId[], start: Seconds, end: Seconds): boolean {
    const asked = this.#bitsOf(nodes)
    const words = this.#words
    for (let i = this.#slotAt(start); i < this.count && (this.#begins[i] as number) < end; i++)
      for (let w = 0; w < words; w++) if (((asked[w] as number) & ~(this.#free[i * words + w] as number)) !== 0) return true
    return false
  }

  /** When one of the nodes is reserved first, in a slot that begins after a time; `Infinity`: never. */
  firstAfter(nodes: readonly NodeId[], time: Seconds): Seconds {
    const asked = this.#bitsOf(nodes)
    const words = this.#words
    for (let i = this.#slotAt(time) + 1; i < this.count; i++)
      for (let w = 0; w < words; w++) if (((asked[w] as number) & ~(this.#free[i * words + w] as number)) !== 0) return this.#begins[i] as number
    return Infinity
  }

  reserve(nodes: readonly NodeId[], start: Seconds, end: Seconds): void {
    this.#put(nodes, start, end, false)
  }

  /** Gives back nodes that were reserved, by one reservation, all the time from `start` to `end`. */
  release(nodes: readonly NodeId[], start: Seconds, end: Seconds): void {
    this.#put(nodes, start, end, true)
  }

  #put(nodes: readonly NodeId[], start: Seconds, end: Seconds, isFree: boolean): void {
    const first = this.#cut(Math.max(start, this.#begins[0] as number))
    const last = end === Infinity ? this.count : this.#cut(end)
    const these = this.#bitsOf(nodes)
    let from = 0
    let to = this.#words
    while (from < to && these[from] === 0) from++
    while (to > from && these[to - 1] === 0) to--
    for (let i = first; i < last; i++) this.#left[i] = (this.#left[i] as number) + this.#change(i, these, from, to, isFree)
  }

  /** Makes the nodes that are in the words `from` to `to - 1` of a set free in a slot, or not, and returns how many more are free then. */
  #change(slot: number, these: NodeBits, from: number, to: number, isFree: boolean): number {
    const free = this.#free
    let more = 0
    for (let w = from, at = slot * this.#words + from; w < to; w++, at++) {
      const before = free[at] as number
      const changed = (these[w] as number) & (isFree ? ~before : before)
      free[at] = before ^ changed
      more += countWord(changed)
    }
    return isFree ? more : -more
  }

  /** The set of these nodes, valid until the next call. */
  #bitsOf(nodes: readonly NodeId[]): NodeBits {
    this.#some.fill(0)
    for (const node of nodes) setBit(this.#some, node)
    return this.#some
  }

  /** The slot in which a time lies; the first one for what is before it. */
  #slotAt(time: Seconds): number {
    let low = 0
    let high = this.count
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#begins[middle] as number) <= time) low = middle
      else high = middle
    }
    return low
  }

  /** The index of the slot that begins at a time; a slot is split where none begins there. */
  #cut(time: Seconds): number {
    const at = this.#slotAt(time)
    if (this.#begins[at] === time) return at
    if (this.count === this.#begins.length) {
      this.#begins = grown(this.#begins, this.count + 1)
      this.#left = grown(this.#left, this.count + 1)
      this.#free = grown(this.#free, this.#begins.length * this.#words)
    }
    const words = this.#words
    this.#begins.copyWithin(at + 1, at, this.count)
    this.#left.copyWithin(at + 1, at, this.count)
    this.#free.copyWithin((at + 1) * words, at * words, this.count * words)
    this.#begins[at + 1] = time
    this.count++
    return at + 1
  }
}

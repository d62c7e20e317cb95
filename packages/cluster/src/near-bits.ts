import type { ClusterModel } from './model.js'

/**
 * Which stages may have an unplaced task near a group of nodes: one bit per stage for each group of each level, the bits of a group side by side. A
 * scan over all jobs for one node reads them from a few cache lines, whereas the jobs' own lists would cost one cache miss per job. A set bit is a
 * hint (the lists decide); a clear bit is certain.
 */
export class NearBits {
  readonly levels: number
  /** Each group of each level has a row of words. `[node * levels + level]` is the start of the row of the node's group. */
  readonly #rowAt: Int32Array
  #words = 1
  /** `[row + slot / 32]`: one bit per slot. */
  #bits: Int32Array
  readonly #free: number[] = []
  #slots = 0

  constructor({ groups, groupNames, nodes }: ClusterModel) {
    const levels = groups.length
    this.levels = levels
    this.#rowAt = new Int32Array(nodes * levels)
    let rows = 0
    for (let level = 0; level < levels; level++) {
      for (let node = 0; node < nodes; node++) this.#rowAt[node * levels + level] = rows + ((groups[level] as Int32Array)[node] as number)
      rows += (groupNames[level] as readonly string[]).length
    }
    this.#bits = new Int32Array(rows)
  }

  /** Allocates a slot for a stage whose blocks are on these nodes. */
  take(nodes: Int32Array): number {
    const slot = this.#free.pop() ?? this.#slots++
    if (slot >> 5 >= this.#words) this.#widen()
    this.restore(slot, nodes, 0, nodes.length)
    return slot
  }

  giveBack(slot: number, nodes: Int32Array): void {
    for (let level = 0; level < this.levels; level++) for (let i = 0; i < nodes.length; i++) this.clear(nodes[i] as number, level, slot)
    this.#free.push(slot)
  }

  /** The innermost level from `from` to `to` at which the stage may have a task near the node; -1 if there is none. */
  nearest(node: number, slot: number, from: number, to: number): number {
    const { levels } = this
    const word = slot >> 5
    const bit = 1 << (slot & 31)
    const last = to < levels ? to : levels - 1
    for (let level = from; level <= last; level++)
      if (((this.#bits[(this.#rowAt[node * levels + level] as number) + word] as number) & bit) !== 0) return level
    return -1
  }

  /** Notes that the stage has no task near the node's group. */
  clear(node: number, level: number, slot: number): void {
    const at = (this.#rowAt[node * this.levels + level] as number) + (slot >> 5)
    this.#bits[at] = (this.#bits[at] as number) & ~(1 << (slot & 31))
  }

  /** Notes that a task of the stage is unplaced again: sets the bits for its replicas, entries `from` to `to - 1` of `nodes`. */
  restore(slot: number, nodes: Int32Array, from: number, to: number): void {
    const { levels } = this
    const rowAt = this.#rowAt
    const bits = this.#bits
    const word = slot >> 5
    const bit = 1 << (slot & 31)
    for (let i = from; i < to; i++) {
      const first = (nodes[i] as number) * levels
      for (let level = 0; level < levels; level++) {
        const at = (rowAt[first + level] as number) + word
        bits[at] = (bits[at] as number) | bit
      }
    }
  }

  #widen(): void {
    const narrow = this.#bits
    const words = this.#words * 2
    this.#bits = new Int32Array(narrow.length * 2)
    for (let at = 0; at < narrow.length; at++) this.#bits[Math.floor(at / this.#words) * words + (at % this.#words)] = narrow[at] as number
    for (let at = 0; at < this.#rowAt.length; at++) this.#rowAt[at] = (this.#rowAt[at] as number) * 2
    this.#words = words
  }
}

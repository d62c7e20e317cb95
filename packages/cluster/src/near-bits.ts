import type { ClusterModel } from './model.js'

/**
 * Which stages may have an unplaced task near a group of nodes: per level and group one bit per stage, the stages of a
 * group side by side. A scan over the jobs of one node reads them from a few cache lines, where asking each job's own
 * lists would miss the cache once per job. A set bit is a hint (the lists decide), a clear one is certain.
 */
export class NearBits {
  readonly #groups: readonly Int32Array[]
  #words = 1
  /** `[level][group * words + slot / 32]`. */
  #bits: Int32Array[]
  readonly #free: number[] = []
  #slots = 0

  constructor(model: ClusterModel) {
    this.#groups = model.groups
    this.#bits = model.groupNames.map((names) => new Int32Array(names.length))
  }

  /** A slot for a stage whose blocks are on these nodes. */
  take(nodes: Int32Array): number {
    const slot = this.#free.pop() ?? this.#slots++
    if (slot >> 5 >= this.#words) this.#widen()
    for (let level = 0; level < this.#groups.length; level++) for (let i = 0; i < nodes.length; i++) this.#mark(level, nodes[i] as number, slot)
    return slot
  }

  giveBack(slot: number, nodes: Int32Array): void {
    for (let level = 0; level < this.#groups.length; level++)
      for (let i = 0; i < nodes.length; i++) this.clear(level, (this.#groups[level] as Int32Array)[nodes[i] as number] as number, slot)
    this.#free.push(slot)
  }

  has(level: number, group: number, slot: number): boolean {
    return (((this.#bits[level] as Int32Array)[group * this.#words + (slot >> 5)] as number) & (1 << (slot & 31))) !== 0
  }

  clear(level: number, group: number, slot: number): void {
    const bits = this.#bits[level] as Int32Array
    const at = group * this.#words + (slot >> 5)
    bits[at] = (bits[at] as number) & ~(1 << (slot & 31))
  }

  /** A task of the stage is unplaced again: its replicas `from` to `to - 1` count. */
  restore(slot: number, nodes: Int32Array, from: number, to: number): void {
    for (let level = 0; level < this.#groups.length; level++) for (let i = from; i < to; i++) this.#mark(level, nodes[i] as number, slot)
  }

  #mark(level: number, node: number, slot: number): void {
    const bits = this.#bits[level] as Int32Array
    const at = ((this.#groups[level] as Int32Array)[node] as number) * this.#words + (slot >> 5)
    bits[at] = (bits[at] as number) | (1 << (slot & 31))
  }

  #widen(): void {
    const words = this.#words * 2
    this.#bits = this.#bits.map((bits) => {
      const wider = new Int32Array(bits.length * 2)
      for (let at = 0; at < bits.length; at++) wider[Math.floor(at / this.#words) * words + (at % this.#words)] = bits[at] as number
      return wider
    })
    this.#words = words
  }
}

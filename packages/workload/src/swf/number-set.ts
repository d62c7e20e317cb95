const block = 4096 // numbers per bitmap: 512 bytes

/** A set of whole numbers of at least 0. Numbers that come in order cost about a bit and a few ns each. */
export class NumberSet {
  readonly #blocks = new Map<number, Uint32Array>()
  #current = -1
  #bits = new Uint32Array(0)

  /** Adds a number; false if it was there already. */
  add(number: number): boolean {
    const index = Math.floor(number / block)
    if (index !== this.#current) this.#bits = this.#blockAt((this.#current = index))
    const at = number - index * block
    const bit = 1 << (at & 31)
    const word = this.#bits[at >>> 5]!
    if ((word & bit) !== 0) return false
    this.#bits[at >>> 5] = word | bit
    return true
  }

  #blockAt(index: number): Uint32Array<ArrayBuffer> {
    let bits = this.#blocks.get(index) as Uint32Array<ArrayBuffer> | undefined
    if (bits === undefined) this.#blocks.set(index, (bits = new Uint32Array(block / 32)))
    return bits
  }
}

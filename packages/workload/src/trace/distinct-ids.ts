const block = 1024 // ids per block of the bitmap: 128 bytes, about the cost of one string in a Set

/**
 * A set of ids that takes about one bit for each of `job0`, `job1`, ...: ids that are a prefix and a number of up to 9 digits are kept in a bitmap
 * per prefix, in blocks. Other ids are kept as strings.
 */
export class DistinctIds {
  readonly #numbered = new Map<string, Map<number, Uint32Array>>()
  readonly #others = new Set<string>()
  #prefix = ''
  #current = -1
  #bits: Uint32Array | undefined

  /** Adds an id; false if it was there already. */
  add(id: string): boolean {
    const from = numberStart(id)
    if (from === -1) return this.#others.size !== this.#others.add(id).size
    const bits = this.#block(id, from, true)!
    return mark(bits, suffix(id, from) % block)
  }

  has(id: string): boolean {
    const from = numberStart(id)
    if (from === -1) return this.#others.has(id)
    const at = suffix(id, from) % block
    return (((this.#block(id, from, false)?.[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1
  }

  /** The bitmap block of an id. The latest block is remembered, because ids mostly come in order. */
  #block(id: string, from: number, make: boolean): Uint32Array | undefined {
    const index = Math.floor(suffix(id, from) / block)
    if (index === this.#current && from === this.#prefix.length && id.startsWith(this.#prefix)) return this.#bits
    const prefix = id.slice(0, from)
    const blocks = this.#numbered.get(prefix) ?? new Map<number, Uint32Array>()
    let bits = blocks.get(index)
    if (bits === undefined) {
      if (!make) return undefined
      bits = new Uint32Array(block / 32)
      this.#numbered.set(prefix, blocks.set(index, bits))
    }
    this.#prefix = prefix
    this.#current = index
    return (this.#bits = bits)
  }
}

/** Start of the number at the end of an id; -1 if there is none, or if it has more than 9 digits or leading zeros. */
function numberStart(id: string): number {
  let at = id.length
  while (at > 0 && isDigit(id.charCodeAt(at - 1))) at--
  const digits = id.length - at
  return digits === 0 || digits > 9 || (digits > 1 && id.charCodeAt(at) === 48) ? -1 : at
}

/** The number that the id ends with, from position `from` on. */
function suffix(id: string, from: number): number {
  let value = 0
  for (let i = from; i < id.length; i++) value = value * 10 + id.charCodeAt(i) - 48
  return value
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Sets a bit; false if it was set already. */
function mark(bits: Uint32Array, at: number): boolean {
  const word = bits[at >>> 5]!
  const bit = 1 << (at & 31)
  if ((word & bit) !== 0) return false
  bits[at >>> 5] = word | bit
  return true
}

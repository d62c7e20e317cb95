/**
 * Hands out contiguous blocks of column indices and takes them back. Sizes are rounded up to a quarter of a power of
 * two (at most 25 % waste), so that blocks of ended jobs fit later ones.
 */
export class Blocks {
  #end = 0
  /** Free blocks of up to `SMALL` indices by size, since single ids come and go with every task; larger ones by size. */
  readonly #small: number[][] = Array.from({ length: SMALL + 1 }, () => [])
  readonly #large = new Map<number, number[]>()

  /** One past the highest index handed out so far: what columns must hold. */
  get end(): number {
    return this.#end
  }

  take(size: number): number {
    const rounded = roundUp(size)
    const at = this.#free(rounded).pop()
    if (at !== undefined) return at
    const start = this.#end
    this.#end += rounded
    return start
  }

  giveBack(at: number, size: number): void {
    this.#free(roundUp(size)).push(at)
  }

  #free(rounded: number): number[] {
    if (rounded <= SMALL) return this.#small[rounded] as number[]
    let list = this.#large.get(rounded)
    if (list === undefined) this.#large.set(rounded, (list = []))
    return list
  }
}

const SMALL = 8

function roundUp(size: number): number {
  if (size <= SMALL) return size
  const quarter = 1 << (29 - Math.clz32(size - 1))
  return Math.ceil(size / quarter) * quarter
}

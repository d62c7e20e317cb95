import { grown } from '@sched/core'

/**
 * Allocates contiguous blocks of column indices and takes them back. Sizes above 8 are rounded up to a quarter of a power of two (at most 25 %
 * waste), so that blocks of ended jobs fit later ones.
 */
export class Blocks {
  #end = 0
  /** Stack of free single indices: one comes and goes with every task. */
  #ones = new Int32Array(16)
  #free = 0
  /** Free blocks by size: up to `SMALL` in a list, larger ones in a map. */
  readonly #small: number[][] = Array.from({ length: SMALL + 1 }, () => [])
  readonly #large = new Map<number, number[]>()

  /** One past the highest index handed out so far: the size that columns must have. */
  get end(): number {
    return this.#end
  }

  take(size: number): number {
    if (size === 1 && this.#free > 0) return this.#ones[--this.#free] as number
    const rounded = roundUp(size)
    const at = size === 1 ? undefined : this.#blocks(rounded).pop()
    if (at !== undefined) return at
    const start = this.#end
    this.#end += rounded
    return start
  }

  giveBack(at: number, size: number): void {
    if (size !== 1) return void this.#blocks(roundUp(size)).push(at)
    if (this.#free === this.#ones.length) this.#ones = grown(this.#ones, this.#free + 1)
    this.#ones[this.#free++] = at
  }

  #blocks(rounded: number): number[] {
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

/**
 * Hands out contiguous blocks of column indices and takes them back. Sizes are rounded up to a quarter of a power of
 * two (at most 25 % waste), so that blocks of ended jobs fit later ones.
 */
export class Blocks {
  #end = 0
  readonly #free = new Map<number, number[]>()

  /** One past the highest index handed out so far: what columns must hold. */
  get end(): number {
    return this.#end
  }

  take(size: number): number {
    const rounded = roundUp(size)
    const at = this.#free.get(rounded)?.pop()
    if (at !== undefined) return at
    const start = this.#end
    this.#end += rounded
    return start
  }

  giveBack(at: number, size: number): void {
    const rounded = roundUp(size)
    const list = this.#free.get(rounded)
    if (list === undefined) this.#free.set(rounded, [at])
    else list.push(at)
  }
}

function roundUp(size: number): number {
  if (size <= 8) return size
  const quarter = 2 ** (29 - Math.clz32(size - 1))
  return Math.ceil(size / quarter) * quarter
}

/** A column of at least `needed` entries with the old contents; grown by half so that growth is rare. */
export function grown<Column extends Int32Array | Float64Array | Uint8Array>(column: Column, needed: number): Column {
  if (column.length >= needed) return column
  const larger = new (column.constructor as new (length: number) => Column)(Math.max(16, needed, Math.ceil(column.length * 1.5)))
  larger.set(column)
  return larger
}

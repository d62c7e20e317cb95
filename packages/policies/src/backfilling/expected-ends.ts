import type { Seconds } from '@sched/core'

/** An entry has two numbers side by side, which move together: the expected end of a piece, and the piece. */
const ENTRY = 2

/** A chunk has room for 2^BITS entries: more would cost more to move, fewer more to find, and most machines run no more pieces than two chunks hold. */
const BITS = 7
const ROOM = 1 << BITS

/** With at most so many chunks it is as quick to look at each entry. */
const FEW = 4

class Chunk {
  readonly entries = new Float64Array(ROOM * ENTRY)
  size = 0
  /** By resource, what its pieces hold, once somebody has asked and as long as `isSummed`. */
  #sums: Float64Array | undefined
  isSummed = false

  get latest(): Seconds {
    return this.entries[(this.size - 1) * ENTRY] as number
  }

  sum(held: Float64Array, width: number): Float64Array {
    const sums = (this.#sums ??= new Float64Array(width))
    if (this.isSummed) return sums
    this.isSummed = true
    sums.fill(0)
    for (let i = 0; i < this.size; i++) {
      const piece = (this.entries[i * ENTRY + 1] as number) * width
      for (let r = 0; r < width; r++) sums[r] = (sums[r] as number) + (held[piece + r] as number)
    }
    return sums
  }

  /** The number of entries that do not come after (end, piece). */
  place(end: Seconds, piece: number): number {
    const { entries } = this
    let low = 0
    let high = this.size
    while (low < high) {
      const middle = (low + high) >> 1
      if (isUpTo(entries, middle, end, piece)) low = middle + 1
      else high = middle
    }
    return low
  }

  insert(at: number, end: Seconds, piece: number): void {
    const { entries } = this
    this.isSummed = false
    const from = at * ENTRY
    for (let i = this.size++ * ENTRY - 1; i >= from; i -= ENTRY) {
      entries[i + ENTRY] = entries[i] as number
      entries[i + ENTRY - 1] = entries[i - 1] as number
    }
    entries[from] = end
    entries[from + 1] = piece
  }

  removeAt(at: number): void {
    const { entries } = this
    this.isSummed = false
    const to = --this.size * ENTRY
    for (let i = at * ENTRY; i < to; i += ENTRY) {
      entries[i] = entries[i + ENTRY] as number
      entries[i + 1] = entries[i + ENTRY + 1] as number
    }
  }

  /** Moves the second half to a new chunk. */
  split(): Chunk {
    const half = new Chunk()
    const left = this.size >> 1
    half.entries.set(this.entries.subarray(left * ENTRY, this.size * ENTRY))
    half.size = this.size - left
    this.size = left
    this.isSummed = false
    return half
  }
}

const isUpTo = (entries: Float64Array, at: number, end: Seconds, piece: number): boolean => {
  const other = entries[at * ENTRY] as number
  return other < end || (other === end && (entries[at * ENTRY + 1] as number) <= piece)
}

/**
 * Pieces in ascending order of their expected ends, equal ones by their numbers. They lie in chunks, so that a piece comes or goes in a time that hardly
 * grows with how many there are, also where all end together or never. To be read from position 0 by `after` up to `to`, or a chunk at once, of which it
 * is remembered what its pieces hold.
 */
export class ExpectedEnds {
  /** In order, none empty. A position is the index of a chunk, and in the lowest `BITS` bits that of an entry. */
  readonly #chunks: Chunk[] = []

  get to(): number {
    return this.#chunks.length << BITS
  }

  /** Whether there are so many that looking at each takes longer than looking at chunks. */
  get areMany(): boolean {
    return this.#chunks.length > FEW
  }

  after(at: number): number {
    return (at & (ROOM - 1)) + 1 < (this.#chunks[at >> BITS] as Chunk).size ? at + 1 : ((at >> BITS) + 1) << BITS
  }

  endAt(at: number): Seconds {
    return (this.#chunks[at >> BITS] as Chunk).entries[(at & (ROOM - 1)) * ENTRY] as number
  }

  pieceAt(at: number): number {
    return (this.#chunks[at >> BITS] as Chunk).entries[(at & (ROOM - 1)) * ENTRY + 1] as number
  }

  /** Whether a chunk begins at a position, which may be `to`. */
  beginsChunk(at: number): boolean {
    return (at & (ROOM - 1)) === 0 && at < this.to
  }

  /** The position after a chunk that begins at one. */
  afterChunk(at: number): number {
    return at + ROOM
  }

  /** The latest end in the chunk that begins at a position. */
  latestIn(at: number): Seconds {
    return (this.#chunks[at >> BITS] as Chunk).latest
  }

  /** By resource, what the pieces in the chunk hold that begins at a position. `held`: by piece, `[piece * width + resource]`; who changes it there says so (`changed`). */
  sumsIn(at: number, held: Float64Array, width: number): Float64Array {
    return (this.#chunks[at >> BITS] as Chunk).sum(held, width)
  }

  /** A piece that was added with this end holds something else than before. */
  changed(piece: number, end: Seconds): void {
    const chunk = this.#chunks[this.#chunkOf(end, piece)] as Chunk
    chunk.isSummed = false
  }

  /** Whether a piece ends at that time. */
  has(end: Seconds): boolean {
    const chunk = this.#chunks[this.#chunkOf(end, Infinity)]
    const at = (chunk?.place(end, Infinity) ?? 0) - 1
    return at >= 0 && chunk?.entries[at * ENTRY] === end
  }

  add(piece: number, end: Seconds): void {
    const chunks = this.#chunks
    const index = this.#chunkOf(end, piece)
    let chunk = (chunks[index] ??= new Chunk())
    if (chunk.size === ROOM) {
      const half = chunk.split()
      chunks.splice(index + 1, 0, half)
      if (isUpTo(half.entries, 0, end, piece)) chunk = half
    }
    chunk.insert(chunk.place(end, piece), end, piece)
  }

  /** Removes a piece that was added with this end. */
  remove(piece: number, end: Seconds): void {
    const index = this.#chunkOf(end, piece)
    const chunk = this.#chunks[index] as Chunk
    chunk.removeAt(chunk.place(end, piece) - 1)
    if (chunk.size === 0) this.#chunks.splice(index, 1)
  }

  /** The last chunk that begins with (end, piece) or before it, or else the first. */
  #chunkOf(end: Seconds, piece: number): number {
    const chunks = this.#chunks
    let low = 0
    let high = chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (isUpTo((chunks[middle] as Chunk).entries, 0, end, piece)) low = middle
      else high = middle - 1
    }
    return low
  }
}

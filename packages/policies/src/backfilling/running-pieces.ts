import { grown, type Seconds, type TaskId } from '@sched/core'

const NONE = -1

/** An entry of the list has two numbers side by side, which move together: the expected end of a piece, and the piece. */
const ENTRY = 2
const END = 0
const PIECE = 1

/**
 * What runs in a lane, sorted by expected end. A piece is what was started together: a rigid job, or one task of a job that is
 * no gang. Its expected end is its start plus the estimate, and moves only when the piece outlives it.
 *
 * Entries `from` to `to - 1` are sorted by end; equal ends stand in no particular order, so a reader must treat them
 * alike. The list has room at both ends, so that an insertion or a removal moves only the shorter side.
 */
export class RunningPieces {
  readonly width: number
  from = 0
  to = 0
  /** What a piece holds, `[piece * width + resource]`. */
  held: Float64Array
  #entries = new Float64Array(64 * ENTRY)
  /** Expected end by piece: as planned at its start, and as it is now. */
  #planned = new Float64Array(64)
  #end = new Float64Array(64)
  #begun = new Float64Array(64)
  #tasks = new Int32Array(64)
  #free: number[] = []
  #used = 0
  /** By task: its piece, -1 for one that is in none. */
  #pieceOf = new Int32Array(64).fill(NONE)

  constructor(width: number) {
    this.width = width
    this.held = new Float64Array(64 * width)
  }

  /** The expected end of the piece at index `at`, from `from` to `to - 1`; below, the piece. */
  endAt(at: number): Seconds {
    return this.#entries[at * ENTRY + END] as number
  }
  pieceAt(at: number): number {
    return this.#entries[at * ENTRY + PIECE] as number
  }

  /** Makes a piece without tasks that is expected to end at `end`. */
  begin(now: Seconds, end: Seconds): number {
    const piece = this.#free.pop() ?? this.#used++
    if (piece >= this.#end.length) this.#grow()
    for (let r = 0; r < this.width; r++) this.held[piece * this.width + r] = 0
    this.#planned[piece] = end
    this.#end[piece] = end
    this.#begun[piece] = now
    this.#tasks[piece] = 0
    this.#insert(piece, end)
    return piece
  }

  /** Adds a task to a piece. The caller adds its demand to `held`. */
  join(task: TaskId, piece: number): void {
    if (task >= this.#pieceOf.length) this.#pieceOf = grown(this.#pieceOf, task + 1, NONE)
    this.#pieceOf[task] = piece
    this.#tasks[piece] = (this.#tasks[piece] as number) + 1
  }

  /** The piece of a task that is in one. */
  pieceOf(task: TaskId): number {
    return this.#pieceOf[task] as number
  }

  has(task: TaskId): boolean {
    return (this.#pieceOf[task] ?? NONE) !== NONE
  }

  endOf(piece: number): Seconds {
    return this.#end[piece] as number
  }

  /** Whether a piece is expected to end at that time. */
  hasEnd(end: Seconds): boolean {
    const at = this.#place(end) - 1
    return at >= this.from && this.endAt(at) === end
  }

  tasksOf(piece: number): number {
    return this.#tasks[piece] as number
  }

  /** A task has left its piece; the caller takes its demand from `held`. The last one ends the piece. */
  leave(task: TaskId, piece: number): void {
    this.#pieceOf[task] = NONE
    const left = (this.#tasks[piece] as number) - 1
    this.#tasks[piece] = left
    if (left > 0) return
    this.#remove(piece)
    this.#free.push(piece)
  }

  /**
   * A piece that has outlived its expected end, or -1. With `isWhole` everything that ends now has left already, so a piece of an earlier start
   * whose expected end is now has outlived it, too.
   */
  overdue(now: Seconds, isWhole: boolean): number {
    for (let at = this.from; at < this.to && this.endAt(at) <= now; at++) {
      const piece = this.pieceAt(at)
      if (this.endAt(at) < now || (isWhole && (this.#begun[piece] as number) < now)) return piece
    }
    return -1
  }

  /**
   * Moves the expected end of an overdue piece to the first of `planned + step x (1, 3, 7, 15, ...)` that is not before now, or with `isWhole` after
   * now: each time the piece outlives its end, it gets twice the extension that it got before.
   */
  extend(piece: number, now: Seconds, step: Seconds, isWhole: boolean): void {
    let end = this.#planned[piece] as number
    for (let more = step; end < now || (isWhole && end === now); more *= 2) end += more
    this.#put(piece, end)
  }

  /** Moves the expected end of a piece to a later time; its planned end stays. */
  postpone(piece: number, end: Seconds): void {
    if (end > (this.#end[piece] as number)) this.#put(piece, end)
  }

  /** Plans the end of a piece anew. */
  move(piece: number, end: Seconds): void {
    this.#planned[piece] = end
    this.#put(piece, end)
  }

  #put(piece: number, end: Seconds): void {
    this.#remove(piece)
    this.#end[piece] = end
    this.#insert(piece, end)
  }

  #insert(piece: number, end: Seconds): void {
    const at = this.#place(end)
    if (this.from > 0 && at - this.from < this.to - at) {
      this.#moveDown(this.from--, at)
      return this.#set(at - 1, piece, end)
    }
    if (this.to * ENTRY === this.#entries.length) return this.#insertWithRoom(piece, end)
    this.#moveUp(at, this.to++)
    this.#set(at, piece, end)
  }

  #remove(piece: number): void {
    const at = this.#find(piece)
    if (at - this.from < this.to - at) this.#moveUp(this.from++, at)
    else this.#moveDown(at + 1, this.to--)
  }

  #set(at: number, piece: number, end: Seconds): void {
    const entries = this.#entries
    entries[at * ENTRY + END] = end
    entries[at * ENTRY + PIECE] = piece
  }

  /** Moves the entries `from` to `to - 1` up by one. */
  #moveUp(from: number, to: number): void {
    const entries = this.#entries
    for (let i = to * ENTRY - 1; i >= from * ENTRY; i -= ENTRY) {
      entries[i + ENTRY] = entries[i] as number
      entries[i + ENTRY - 1] = entries[i - 1] as number
    }
  }

  #moveDown(from: number, to: number): void {
    const entries = this.#entries
    for (let i = from * ENTRY; i < to * ENTRY; i += ENTRY) {
      entries[i - ENTRY] = entries[i] as number
      entries[i - ENTRY + 1] = entries[i + 1] as number
    }
  }

  /** The index of the first entry that ends later than `end`. */
  #place(end: Seconds): number {
    const entries = this.#entries
    let low = this.from
    let high = this.to
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle * ENTRY] as number) <= end) low = middle + 1
      else high = middle
    }
    return low
  }

  #find(piece: number): number {
    const entries = this.#entries
    const end = this.#end[piece] as number
    let low = this.from
    let high = this.to
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle * ENTRY] as number) < end) low = middle + 1
      else high = middle
    }
    while (entries[low * ENTRY + PIECE] !== piece) low++
    return low
  }

  /** Inserts where the column has no room at its end: all entries move to the front, of a larger column if they are many. */
  #insertWithRoom(piece: number, end: Seconds): void {
    const { from, to } = this
    const size = to - from
    const entries = 2 * size * ENTRY > this.#entries.length ? new Float64Array(2 * this.#entries.length) : this.#entries
    entries.set(this.#entries.subarray(from * ENTRY, to * ENTRY))
    this.#entries = entries
    this.from = 0
    this.to = size
    this.#insert(piece, end)
  }

  #grow(): void {
    const size = this.#end.length * 2
    this.held = grown(this.held, size * this.width)
    this.#planned = grown(this.#planned, size)
    this.#end = grown(this.#end, size)
    this.#begun = grown(this.#begun, size)
    this.#tasks = grown(this.#tasks, size)
  }
}

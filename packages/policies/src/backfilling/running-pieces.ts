import { grown, type Seconds, type TaskId } from '@sched/core'

const NONE = -1

/**
 * What runs in a lane, by expected end. A piece is what was started together: a rigid job, or one task of a job that is
 * no gang. Its expected end is its start plus the estimate, and moves only when the piece outlives it.
 *
 * Positions 0 to `count - 1` of `ends` and `pieces` are sorted by end; equal ends stand in no particular order, so a
 * reader must treat them alike.
 */
export class RunningPieces {
  readonly width: number
  count = 0
  ends = new Float64Array(64)
  pieces = new Int32Array(64)
  /** What a piece holds, `[piece * width + resource]`. */
  held: Float64Array
  /** Expected end by piece: as planned at its start, and as it stands. */
  #planned = new Float64Array(64)
  #end = new Float64Array(64)
  #tasks = new Int32Array(64)
  #free: number[] = []
  #used = 0
  /** By task: its piece, -1 for one that is in none. */
  #pieceOf = new Int32Array(64).fill(NONE)

  constructor(width: number) {
    this.width = width
    this.held = new Float64Array(64 * width)
  }

  /** A new piece without tasks, expected to end at `end`. */
  begin(end: Seconds): number {
    const piece = this.#free.pop() ?? this.#used++
    if (piece >= this.#end.length) this.#grow()
    for (let r = 0; r < this.width; r++) this.held[piece * this.width + r] = 0
    this.#planned[piece] = end
    this.#end[piece] = end
    this.#tasks[piece] = 0
    this.#insert(piece, end)
    return piece
  }

  /** Counts a task to a piece. The caller adds its demand to `held`. */
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

  /** The first piece that has outlived its expected end, or -1. */
  overdue(now: Seconds): number {
    return this.count > 0 && (this.ends[0] as number) < now ? (this.pieces[0] as number) : -1
  }

  /**
   * Moves the expected end of an overdue piece to the first of `planned + step x (1, 3, 7, 15, ...)` not before now: each
   * time it outlives its end, it is given twice the time it was given before.
   */
  extend(piece: number, now: Seconds, step: Seconds): void {
    let end = this.#planned[piece] as number
    for (let more = step; end < now; more *= 2) end += more
    this.#put(piece, end)
  }

  /** Moves the expected end of a piece that has outlived the planned one. */
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
    const { ends, pieces } = this
    let at = this.count++
    while (at > 0 && (ends[at - 1] as number) > end) {
      ends[at] = ends[at - 1] as number
      pieces[at] = pieces[at - 1] as number
      at--
    }
    ends[at] = end
    pieces[at] = piece
  }

  #remove(piece: number): void {
    const { ends, pieces } = this
    const last = --this.count
    let at = this.#find(piece)
    for (; at < last; at++) {
      ends[at] = ends[at + 1] as number
      pieces[at] = pieces[at + 1] as number
    }
  }

  #find(piece: number): number {
    const { ends, pieces } = this
    const end = this.#end[piece] as number
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) < end) low = middle + 1
      else high = middle
    }
    while (pieces[low] !== piece) low++
    return low
  }

  #grow(): void {
    const size = this.#end.length * 2
    this.ends = grown(this.ends, size)
    this.pieces = grown(this.pieces, size)
    this.held = grown(this.held, size * this.width)
    this.#planned = grown(this.#planned, size)
    this.#end = grown(this.#end, size)
    this.#tasks = grown(this.#tasks, size)
  }
}

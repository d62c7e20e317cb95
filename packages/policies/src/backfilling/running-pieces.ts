import { grown, type Seconds, type TaskId } from '@sched/core'
import { ExpectedEnds } from './expected-ends.js'

const NONE = -1

/**
 * What runs in a lane, sorted by expected end. A piece is what was started together: a rigid job, or one task of a job that is
 * no gang. Its expected end is its start plus the estimate, and moves only when the piece outlives it.
 * Equal ends say nothing about the order of pieces, so a reader must treat them alike.
 */
export class RunningPieces {
  readonly width: number
  readonly ends = new ExpectedEnds()
  /** What a piece holds, `[piece * width + resource]`. */
  held: Float64Array
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

  /** Makes a piece without tasks that is expected to end at `end`. */
  begin(now: Seconds, end: Seconds): number {
    const piece = this.#free.pop() ?? this.#used++
    if (piece >= this.#end.length) this.#grow()
    for (let r = 0; r < this.width; r++) this.held[piece * this.width + r] = 0
    this.#planned[piece] = end
    this.#end[piece] = end
    this.#begun[piece] = now
    this.#tasks[piece] = 0
    this.ends.add(piece, end)
    return piece
  }

  /** Adds a task to a piece. The caller adds its demand to `held`. */
  join(task: TaskId, piece: number): void {
    if (task >= this.#pieceOf.length) this.#pieceOf = grown(this.#pieceOf, task + 1, NONE)
    this.#pieceOf[task] = piece
    const tasks = (this.#tasks[piece] as number) + 1
    this.#tasks[piece] = tasks
    if (tasks > 1) this.ends.changed(piece, this.#end[piece] as number)
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
    return this.ends.has(end)
  }

  tasksOf(piece: number): number {
    return this.#tasks[piece] as number
  }

  /** A task has left its piece; the caller takes its demand from `held`. The last one ends the piece. */
  leave(task: TaskId, piece: number): void {
    this.#pieceOf[task] = NONE
    const left = (this.#tasks[piece] as number) - 1
    this.#tasks[piece] = left
    if (left > 0) return this.ends.changed(piece, this.#end[piece] as number)
    this.ends.remove(piece, this.#end[piece] as number)
    this.#free.push(piece)
  }

  /**
   * Adds to the amounts, of which some lack something (are below 0), what the pieces in whole chunks give back, from the earliest on and as long as some lack
   * something even then. Returns the position after them.
   */
  addWhileLacking(amounts: Float64Array): number {
    const { ends, held, width } = this
    let at = 0
    while (ends.beginsChunk(at) && ends.latestIn(at) < Infinity) {
      const sums = ends.sumsIn(at, held, width)
      let isEnough = true
      for (let r = 0; r < width; r++) if ((amounts[r] as number) + (sums[r] as number) < 0) isEnough = false
      if (isEnough) break
      for (let r = 0; r < width; r++) amounts[r] = (amounts[r] as number) + (sums[r] as number)
      at = ends.afterChunk(at)
    }
    return at
  }

  /** Adds to the amounts what the pieces from a position on give back by a time. */
  addUntil(amounts: Float64Array, time: Seconds, from = 0): void {
    const { ends, held, width } = this
    const { to } = ends
    for (let at = from; at < to && ends.endAt(at) <= time; ) {
      const isWhole = ends.beginsChunk(at) && ends.latestIn(at) <= time
      const column = isWhole ? ends.sumsIn(at, held, width) : held
      const first = isWhole ? 0 : ends.pieceAt(at) * width
      for (let r = 0; r < width; r++) amounts[r] = (amounts[r] as number) + (column[first + r] as number)
      at = isWhole ? ends.afterChunk(at) : ends.after(at)
    }
  }

  /**
   * A piece that has outlived its expected end, or -1. With `isWhole` everything that ends now has left already, so a piece of an earlier start
   * whose expected end is now has outlived it, too.
   */
  overdue(now: Seconds, isWhole: boolean): number {
    const { ends } = this
    for (let at = 0; at < ends.to && ends.endAt(at) <= now; at = ends.after(at)) {
      const piece = ends.pieceAt(at)
      if (ends.endAt(at) < now || (isWhole && (this.#begun[piece] as number) < now)) return piece
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
    this.ends.remove(piece, this.#end[piece] as number)
    this.#end[piece] = end
    this.ends.add(piece, end)
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

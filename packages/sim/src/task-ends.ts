import { grown } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

const NONE = -1

/**
 * Ends of tasks as events. Tasks that start in a row and end at the same time, as tasks of one job often do, share an event; they end in the order of
 * their starts, as separate events would.
 */
export class TaskEnds {
  readonly #queue: EventQueue
  readonly #isShared: boolean
  /** By run, two numbers: its event, and the next run that ends in the same event. */
  #rows = new Int32Array(128)
  /** The run added last, and its end; NaN if no other run may join its event. */
  #last = NONE
  #lastEnd = NaN
  /** Number of runs that end in the event of another run; if 0, no row need be read. */
  #joined = 0

  /** `isShared` false: every end has its own event. */
  constructor(queue: EventQueue, isShared: boolean) {
    this.#queue = queue
    this.#isShared = isShared
  }

  add(run: number, end: number): void {
    if (2 * run + 1 >= this.#rows.length) this.#rows = grown(this.#rows, 2 * run + 2)
    this.#rows[2 * run + 1] = NONE
    if (end === this.#lastEnd) {
      this.#joined++
      this.#rows[2 * this.#last + 1] = run
      this.#rows[2 * run] = this.#rows[2 * this.#last] as number
    } else {
      this.#rows[2 * run] = this.#queue.push(end, EventKind.TaskEnd, run)
      if (this.#isShared) this.#lastEnd = end
    }
    this.#last = run
  }

  /** Cancels the end of a run. */
  cancel(run: number): void {
    const event = this.#rows[2 * run] as number
    const first = this.#queue.subjectOf(event)
    const next = this.#rows[2 * run + 1] as number
    this.#lastEnd = NaN
    if (run !== first || next !== NONE) this.#joined--
    if (run !== first) {
      let before = first
      while (this.#rows[2 * before + 1] !== run) before = this.#rows[2 * before + 1] as number
      this.#rows[2 * before + 1] = next
    } else if (next === NONE) this.#queue.cancel(event)
    else this.#queue.setSubject(event, next)
  }

  /** Notes that the event of an instant has fired: no run may join it any more. */
  fired(now: number): void {
    if (now === this.#lastEnd) this.#lastEnd = NaN
  }

  /** The next run in the event that has fired, -1 after the last. Call it once per run. */
  after(run: number): number {
    if (this.#joined === 0) return NONE
    const next = this.#rows[2 * run + 1] as number
    if (next !== NONE) this.#joined--
    return next
  }
}

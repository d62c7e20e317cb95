import { grown } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

const NONE = -1

/**
 * Ends of tasks as events. Tasks that start one after the other and end together, as the tasks of one job often do, are
 * one event; they end in the order in which they started, as events of their own would fire.
 */
export class TaskEnds {
  readonly #queue: EventQueue
  readonly #isShared: boolean
  /** By run, two numbers: its event, and the run that ends after it in the same event. */
  #rows = new Int32Array(128)
  /** The run that was added last, and when it ends; NaN when no other may join its event. */
  #last = NONE
  #lastEnd = NaN
  /** Runs that end after another in its event: where there are none no row need be read. */
  #joined = 0

  /** `isShared` false: every end is an event of its own. */
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

  /** Takes the end of a run back. */
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

  /** The event of an instant has fired: nothing may join it any more. */
  fired(now: number): void {
    if (now === this.#lastEnd) this.#lastEnd = NaN
  }

  /** The run that ends after another in the event that has fired, -1 after the last; asked once of each. */
  after(run: number): number {
    if (this.#joined === 0) return NONE
    const next = this.#rows[2 * run + 1] as number
    if (next !== NONE) this.#joined--
    return next
  }
}

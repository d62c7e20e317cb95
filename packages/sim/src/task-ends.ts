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
  /** By run: its event; the run that ends after it, in the same event. */
  #events = new Int32Array(64)
  #nexts = new Int32Array(64)
  /** The run that was added last, and when it ends; NaN when no other may join its event. */
  #last = NONE
  #lastEnd = NaN

  /** `isShared` false: every end is an event of its own. */
  constructor(queue: EventQueue, isShared: boolean) {
    this.#queue = queue
    this.#isShared = isShared
  }

  add(run: number, end: number): void {
    if (run >= this.#events.length) {
      this.#events = grown(this.#events, run + 1)
      this.#nexts = grown(this.#nexts, run + 1)
    }
    this.#nexts[run] = NONE
    if (end === this.#lastEnd) {
      this.#nexts[this.#last] = run
      this.#events[run] = this.#events[this.#last] as number
    } else {
      this.#events[run] = this.#queue.push(end, EventKind.TaskEnd, run)
      if (this.#isShared) this.#lastEnd = end
    }
    this.#last = run
  }

  /** Takes the end of a run back. */
  cancel(run: number): void {
    const event = this.#events[run] as number
    const first = this.#queue.subjectOf(event)
    const next = this.#nexts[run] as number
    this.#lastEnd = NaN
    if (run !== first) {
      let before = first
      while (this.#nexts[before] !== run) before = this.#nexts[before] as number
      this.#nexts[before] = next
    } else if (next === NONE) this.#queue.cancel(event)
    else this.#queue.setSubject(event, next)
  }

  /** The event of an instant has fired: nothing may join it any more. */
  fired(now: number): void {
    if (now === this.#lastEnd) this.#lastEnd = NaN
  }

  /** The run that ends after another in the same event, -1 after the last. */
  after(run: number): number {
    return this.#nexts[run] as number
  }
}

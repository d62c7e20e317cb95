import type { Work } from '@sched/cluster'
import type { Seconds } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { SimulationOptions } from './options.js'

/** The engine's side of running event by event. */
export interface EventsHost {
  /** Submits the jobs of the workload that are due, with a pass after each. */
  arrive(): void
  fire(kind: EventKind, subject: number): void
  pass(): void
}

/** Runs the instants of a cluster without heartbeats with a pass after every event: see `SimulationOptions.passPerEvent`. */
export class EventByEvent {
  /** Kind of the events that submit jobs which have waited for others. */
  readonly submits: EventKind
  readonly #queue: EventQueue
  readonly #work: Work
  readonly #host: EventsHost
  readonly #submitsFirst: boolean

  constructor(first: NonNullable<SimulationOptions['passPerEvent']>, queue: EventQueue, work: Work, host: EventsHost) {
    this.#submitsFirst = first === 'submits-first'
    this.submits = this.#submitsFirst ? EventKind.SubmitFirst : EventKind.Submit
    this.#queue = queue
    this.#work = work
    this.#host = host
  }

  /** Handles everything in an instant, including what its events start and end in the same instant. */
  instant(time: Seconds): void {
    const queue = this.#queue
    const host = this.#host
    if (this.#submitsFirst) host.arrive()
    while (queue.next === time && queue.pop()) {
      if (queue.kind === EventKind.Submit) {
        this.#submitAll(time)
        continue
      }
      if (queue.kind > EventKind.Submit) host.arrive()
      const goesOn = this.#goesOn(time)
      host.fire(queue.kind, queue.subject)
      if (!goesOn) host.pass()
    }
    host.arrive()
    host.pass()
  }

  /** Whether this task end and the next event are ends of one gang: such ends count as one event. */
  #goesOn(time: Seconds): boolean {
    const queue = this.#queue
    const work = this.#work
    if (queue.kind !== EventKind.TaskEnd || queue.next !== time || queue.nextKind !== EventKind.TaskEnd) return false
    const [task, next] = [work.runTask(queue.subject), work.runTask(queue.nextSubject)]
    return work.jobOf(task) === work.jobOf(next) && work.gangOf(task) === work.gangOf(next) && work.inGang(task) && work.inGang(next)
  }

  /**
   * Submits jobs, with a pass after each: first those of the workload, then those that have waited for others. Ends of tasks that these passes start,
   * and that end at once, come after them.
   */
  #submitAll(time: Seconds): void {
    const queue = this.#queue
    const waited: number[] = []
    do waited.push(queue.subject)
    while (queue.next === time && queue.nextKind === EventKind.Submit && queue.pop())
    this.#host.arrive()
    for (const subject of waited) {
      this.#host.fire(EventKind.Submit, subject)
      this.#host.pass()
    }
  }
}

import type { Work } from '@sched/cluster'
import type { Seconds } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { SimulationOptions } from './options.js'

/** What is done at an event. */
export interface EventsHost {
  /** Jobs of the workload that are due are submitted, each with a pass. */
  arrive(): void
  fire(kind: EventKind, subject: number): void
  pass(): void
}

/** Instants of a cluster without heartbeats with a pass after every event: see `SimulationOptions.passPerEvent`. */
export class EventByEvent {
  /** Of events at which jobs that have waited for others are submitted. */
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

  /** All that happens in an instant, what it starts and ends in it included. */
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

  /** Whether the event that comes is an end of the gang of which one comes after it: together these are one event. */
  #goesOn(time: Seconds): boolean {
    const queue = this.#queue
    const work = this.#work
    if (queue.kind !== EventKind.TaskEnd || queue.next !== time || queue.nextKind !== EventKind.TaskEnd) return false
    const [task, next] = [work.runTask(queue.subject), work.runTask(queue.nextSubject)]
    return work.jobOf(task) === work.jobOf(next) && work.gangOf(task) === work.gangOf(next) && work.inGang(task) && work.inGang(next)
  }

  /** Each with a pass: jobs of the workload, then those that have waited for others, before the ends of what these passes start and ends at once. */
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

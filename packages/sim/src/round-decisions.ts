import type { DraftSink } from '@sched/cluster'
import type { JobId, LaneId, Reason, Seconds, TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { Observers } from './observers.js'
import type { TaskRuns } from './task-runs.js'

/** The engine's side of carrying out what rounds decide. */
interface DecisionsHost {
  readonly now: Seconds
  /** A round gives a job up. */
  abandon(job: JobId): void
}

/** Carries out what the rounds of a run decide. */
export class RoundDecisions implements DraftSink {
  readonly #runs: TaskRuns
  readonly #observers: Observers
  readonly #queue: EventQueue
  readonly #host: DecisionsHost
  /** The times at which policies want a round, of which one event each is in the queue. */
  readonly #wakes = new Set<Seconds>()

  constructor(runs: TaskRuns, observers: Observers, queue: EventQueue, host: DecisionsHost) {
    this.#runs = runs
    this.#observers = observers
    this.#queue = queue
    this.#host = host
  }

  start(tasks: readonly TaskId[], from: number): void {
    this.#runs.start(tasks, from, this.#host.now)
  }

  kill(task: TaskId, isSuspended: boolean): void {
    this.#runs.kill(task, this.#host.now, 'evicted', isSuspended)
  }

  abandon(job: JobId): void {
    this.#host.abandon(job)
  }

  reserve(job: JobId, start: Seconds): void {
    this.#observers.onReserve(job, start, this.#host.now)
  }

  get explained(): boolean {
    return this.#observers.explained
  }

  defer(job: JobId, lane: LaneId, reason: Reason, limit?: string, isPart?: boolean): void {
    this.#observers.onDefer(job, lane, reason, this.#host.now, limit, isPart)
  }

  wakeAt(time: Seconds): void {
    if (!(time > this.#host.now) || this.#wakes.has(time)) return
    this.#wakes.add(time)
    this.#queue.push(time, EventKind.Wake, 0)
  }

  /** The time has come. */
  woken(time: Seconds): void {
    this.#wakes.delete(time)
  }
}

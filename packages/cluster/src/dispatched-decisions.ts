import type { JobId, LaneId, Reason, Seconds, TaskId } from '@sched/core'
import type { DispatchedJobs } from './dispatched-jobs.js'
import type { DispatcherOptions } from './dispatcher-options.js'
import type { DraftSink } from './draft-sink.js'
import type { Starts } from './starts.js'
import type { ToldPromises } from './told-promises.js'
import type { WaitingJobs } from './waiting-jobs.js'
import type { Wakes } from './wakes.js'
import type { Work } from './work.js'

interface Parts {
  readonly work: Work
  readonly jobs: DispatchedJobs
  readonly starts: Starts
  readonly wakes: Wakes
  /** Absent: nobody asks why jobs wait. */
  readonly waiting: WaitingJobs | undefined
  readonly promised: DispatcherOptions['promised']
  /** Absent: nobody asks which promises no longer hold. */
  readonly told: ToldPromises | undefined
  now(): Seconds
}

/** Collects what the rounds of a dispatcher decide, to be carried out by its caller. */
export class DispatchedDecisions implements DraftSink {
  readonly explained: boolean
  readonly #it: Parts

  constructor(parts: Parts) {
    this.#it = parts
    this.explained = parts.waiting !== undefined
  }

  start(tasks: readonly TaskId[], from: number): void {
    if (from < tasks.length) this.#it.waiting?.started()
    for (const task of tasks.slice(from)) {
      this.#it.starts.start(task, this.#it.now())
      this.#it.told?.over(this.#it.work.jobOf(task))
    }
  }

  kill(task: TaskId, isSuspended: boolean): void {
    const { jobs, starts, work } = this.#it
    const job = work.jobOf(task)
    const isCancelled = jobs.isCancelled(job)
    if (isCancelled) jobs.killed(job)
    starts.stop(task, isSuspended && !isCancelled, this.#it.now()) // a task of a cancelled job would never resume
  }

  abandon(job: JobId): void {
    this.#it.starts.cancel(this.#it.work.name(job))
    this.#it.jobs.drop(job)
  }

  reserve(job: JobId, start: Seconds): void {
    this.#it.told?.made(job)
    this.#it.promised?.(this.#it.work.name(job), start)
  }

  defer(job: JobId, lane: LaneId, reason: Reason, limit?: string): void {
    this.#it.waiting?.say(job, lane, reason, limit)
  }

  wakeAt(time: Seconds): void {
    if (time > this.#it.now() && time < Infinity) this.#it.wakes.add(time)
  }
}

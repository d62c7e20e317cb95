import type { Work } from '@sched/cluster'
import type { JobId, Seconds, TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

/**
 * Masters of jobs that run: each is up some time after its start, and stays until all other tasks of its job have ended, so that its own
 * end is set only then.
 */
export class Masters {
  readonly #work: Work
  readonly #queue: EventQueue
  /** Sets the end of a run. */
  readonly #setEnd: (run: number, end: Seconds) => void
  /** By job: the event that its master is up. */
  readonly #starting = new Map<JobId, number>()
  /** Jobs whose master is about to end. */
  readonly #ending = new Set<JobId>()
  /** Jobs whose master has been up, and of which nothing else has started since: how often it was up. */
  readonly #unused = new Map<JobId, number>()

  constructor(work: Work, queue: EventQueue, setEnd: (run: number, end: Seconds) => void) {
    this.#work = work
    this.#queue = queue
    this.#setEnd = setEnd
  }

  /** A master starts, to be up at a time. */
  start(run: number, job: JobId, up: Seconds): void {
    this.#work.setRunEnd(run, Infinity)
    this.#starting.set(job, this.#queue.push(up, EventKind.Ready, job))
  }

  /** A master that starts is up from now on; returns false if the job has none that starts. */
  bringUp(job: JobId, now: Seconds): boolean {
    if (!this.#starting.delete(job)) return false
    this.#work.masterUp(job)
    this.#unused.set(job, (this.#unused.get(job) ?? 0) + 1)
    this.mayEnd(job, now)
    return true
  }

  /** Another task of the job starts, or the job is gone. */
  used(job: JobId): void {
    if (this.#unused.size > 0) this.#unused.delete(job)
  }

  /** Whether a master of the job that starts would be one more of which nothing came so far. */
  isUnused(job: JobId): boolean {
    return this.#unused.has(job)
  }

  /** Jobs whose master has come up more than once in vain: nothing else of them started before it was lost, or taken. */
  get inVain(): JobId[] {
    return [...this.#unused].flatMap(([job, times]) => (times > 1 ? [job] : []))
  }

  /** Tasks of the job have ended, or are given up: its master ends with the last. */
  mayEnd(job: JobId, now: Seconds): void {
    const work = this.#work
    if (!work.isMasterAlone(job) || this.#ending.has(job)) return
    this.#ending.add(job)
    this.#setEnd(work.taskRun[work.stageFirst[work.jobFirstStage[job] as number] as number] as number, now)
  }

  /** The master has ended, or is killed; true where its end was set. */
  stopped(task: TaskId): boolean {
    const job = this.#work.jobOf(task)
    const event = this.#starting.get(job)
    if (event !== undefined) this.#queue.cancel(event)
    this.#starting.delete(job)
    return this.#ending.delete(job)
  }
}

import type { Work } from '@sched/cluster'
import type { JobId, Seconds, TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

/**
 * Running masters of jobs. A master is up some time after its start and stays until all other tasks of its job have ended; only then its own end is
 * set.
 */
export class Masters {
  readonly #work: Work
  readonly #queue: EventQueue
  /** Lets a run end when its end is due, which is set. */
  readonly #addEnd: (run: number) => void
  /** By job: the event at which its master is up. */
  readonly #starting = new Map<JobId, number>()
  /** Jobs whose master is about to end. */
  readonly #ending = new Set<JobId>()
  /** Jobs whose master has been up while no other task of them has started since, with the number of times it came up. */
  readonly #unused = new Map<JobId, number>()

  constructor(work: Work, queue: EventQueue, addEnd: (run: number) => void) {
    this.#work = work
    this.#queue = queue
    this.#addEnd = addEnd
  }

  /** Starts a master that will be up at the time `up`. */
  start(run: number, job: JobId, up: Seconds): void {
    this.#work.setRunEnd(run, Infinity)
    this.#starting.set(job, this.#queue.push(up, EventKind.Ready, job))
  }

  /** Marks the starting master of a job as up; false if the job has no starting master. */
  bringUp(job: JobId, now: Seconds): boolean {
    if (!this.#starting.delete(job)) return false
    this.#work.masterUp(job)
    this.#unused.set(job, (this.#unused.get(job) ?? 0) + 1)
    this.mayEnd(job, now)
    return true
  }

  /** Notes that another task of the job starts, or that the job is gone. */
  used(job: JobId): void {
    if (this.#unused.size > 0) this.#unused.delete(job)
  }

  /** Whether earlier masters of the job have come up without any other task starting. */
  isUnused(job: JobId): boolean {
    return this.#unused.has(job)
  }

  /** Jobs whose master has come up more than once without another task of the job starting before it was lost or preempted. */
  get inVain(): JobId[] {
    return [...this.#unused].flatMap(([job, times]) => (times > 1 ? [job] : []))
  }

  /** Ends the master of a job if all other tasks have ended or were given up. */
  mayEnd(job: JobId, now: Seconds): void {
    const work = this.#work
    if (!work.isMasterAlone(job) || this.#ending.has(job)) return
    this.#ending.add(job)
    const run = work.taskRun[work.stageFirst[work.jobFirstStage[job] as number] as number] as number
    work.setRunEnd(run, now)
    this.#addEnd(run)
  }

  /** Forgets a master that has ended or is killed; true if its end was set. */
  stopped(task: TaskId): boolean {
    const job = this.#work.jobOf(task)
    const event = this.#starting.get(job)
    if (event !== undefined) this.#queue.cancel(event)
    this.#starting.delete(job)
    return this.#ending.delete(job)
  }
}

import { SchedError, type JobId } from '@sched/core'
import type { CellState } from './cell-state.js'
import { loseSuspended } from './interruptions.js'
import type { ToldPromises } from './told-promises.js'
import type { WaitingJobs } from './waiting-jobs.js'
import type { Work } from './work.js'

/** The jobs that a dispatcher has in its system, by name, and which of them are cancelled: of these nothing more starts. */
export class DispatchedJobs {
  readonly #work: Work
  readonly #cell: CellState
  readonly #waiting: WaitingJobs | undefined
  readonly #told: ToldPromises | undefined
  readonly #byName = new Map<string, JobId>()
  readonly #cancelled = new Set<JobId>()
  /** Cancelled jobs of which this round has killed tasks. */
  readonly #killed = new Set<JobId>()

  constructor(work: Work, cell: CellState, waiting: WaitingJobs | undefined, told: ToldPromises | undefined) {
    this.#waiting = waiting
    this.#told = told
    this.#work = work
    this.#cell = cell
  }

  get byName(): ReadonlyMap<string, JobId> {
    return this.#byName
  }

  /** The job of that name. Throws `UNKNOWN_NAME`. */
  named(name: string): JobId {
    const job = this.#byName.get(name)
    if (job === undefined) throw new SchedError('UNKNOWN_NAME', `no job in the system is called "${name}".`, {}, 'It was never submitted, or has ended.')
    return job
  }

  add(name: string, job: JobId): void {
    this.#byName.set(name, job)
  }

  isCancelled(job: JobId): boolean {
    return this.#cancelled.has(job)
  }

  /** Stops starting tasks of a job. It leaves when the last of those that run has ended. */
  cancel(job: JobId): void {
    this.#cancelled.add(job)
    this.drop(job)
  }

  /** Takes away what waits of a job, with what is suspended; the job leaves at once if nothing of it runs. */
  drop(job: JobId): void {
    loseSuspended(this.#work, this.#cell, (task) => this.#work.jobOf(task) === job)
    if (this.#work.drop(job)) this.leave(job)
  }

  /** A job of which nothing is left leaves. */
  leave(job: JobId): void {
    this.#cancelled.delete(job)
    this.#waiting?.leave(job)
    this.#told?.over(job)
    this.#byName.delete(this.#work.name(job))
    this.#work.remove(job)
  }

  /** Notes that the round has killed a task of a cancelled job. */
  killed(job: JobId): void {
    this.#killed.add(job)
  }

  /** Drops killed tasks of cancelled jobs, so that they do not start again. Jobs that the policy has given up in this round have left already. */
  dropKilled(): void {
    if (this.#killed.size === 0) return
    for (const job of this.#killed) if (this.isCancelled(job)) this.drop(job)
    this.#killed.clear()
  }
}

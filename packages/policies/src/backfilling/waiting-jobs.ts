import type { Env, JobId, Round, Seconds, WorkListener } from '@sched/core'
import type { ArrayThrottles } from './array-throttles.js'
import type { Licenses } from './licenses.js'
import { MinPriorities } from './min-priorities.js'
import type { NodeReservations } from './node-reservations.js'
import type { ReadReplanOptions } from './replan-options.js'
import type { RigidJobs } from './rigid-jobs.js'

/** What holds jobs back besides room. */
interface HeldBackBy {
  readonly throttles: ArrayThrottles
  readonly licenses: Licenses | undefined
  /** Absent where no nodes are kept for some jobs. */
  readonly reservations: NodeReservations | undefined
}

/** The jobs that wait, as both of Slurm's schedulers see them: in which order they come, what holds them back, and which of them may keep others back. */
export class WaitingJobs implements WorkListener {
  readonly licenses: Licenses | undefined
  readonly #jobs: RigidJobs
  readonly #work: Env['work']
  readonly #throttles: ArrayThrottles
  readonly #reservations: NodeReservations | undefined
  readonly #minPriorities: MinPriorities
  readonly #minAge: Seconds
  /** Whether a job has come that is a task of an array; until then arrays cost nothing. */
  #hasArrays = false

  constructor(jobs: RigidJobs, { work }: Pick<Env, 'work'>, options: ReadReplanOptions, { throttles, licenses, reservations }: HeldBackBy) {
    this.#jobs = jobs
    this.#work = work
    this.#throttles = throttles
    this.licenses = licenses
    this.#reservations = reservations
    this.#minPriorities = new MinPriorities(work, options)
    this.#minAge = options.bf_min_age_reserve
  }

  onSubmit(job: JobId): void {
    this.#hasArrays ||= this.#work.array(job) !== ''
  }

  get hasArrays(): boolean {
    return this.#hasArrays
  }

  get hasReservations(): boolean {
    return this.#reservations !== undefined
  }

  /** The array of a job; '': it is in none. */
  arrayOf(job: JobId): string {
    return this.#hasArrays ? this.#work.array(job) : ''
  }

  /** The reservation that a job names; '': none. */
  reservationOf(job: JobId): string {
    return this.#reservations?.has(job) === true ? this.#work.reservation(job) : ''
  }

  /** Reads jobs in order into an empty queue, at most `most`. */
  read(round: Round, queue: JobId[], most: number): void {
    this.#jobs.read(round, queue, this.#reservations === undefined ? most : Infinity)
    this.#reservations?.putFirst(queue, most)
  }

  /** Whether as many jobs of the array run as it allows. */
  isThrottled(job: JobId): boolean {
    return this.#throttles.isFull(job)
  }

  /** The limit that holds a waiting job back, by Slurm's name for it. */
  limitOf(job: JobId, now: Seconds): string | undefined {
    if (this.#throttles.isFull(job)) return 'JobArrayTaskLimit'
    if (this.#reservations?.isClosed(job, now) === true) return 'Reservation'
    return this.licenses?.has(job) === false ? 'Licenses' : undefined
  }

  /** Whether the job has waited long enough (`bf_min_age_reserve`) and has a high enough priority to keep others back. */
  mayReserve(job: JobId, { now, work, lane }: Round): boolean {
    const priority = this.#minPriorities.of(job)
    return now - work.submitted(job) >= this.#minAge && (priority === 0 || this.#jobs.priority(job, lane) >= priority)
  }
}

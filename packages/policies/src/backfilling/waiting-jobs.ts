import type { Env, JobId, Order, Round, Seconds, WorkListener } from '@sched/core'
import type { ArrayThrottles } from './array-throttles.js'
import type { Licenses } from './licenses.js'
import { MinPriorities } from './min-priorities.js'
import type { NodeReservations } from './node-reservations.js'
import type { PlacesInQueue } from './places-in-queue.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import type { ReadReplanOptions } from './replan-options.js'
import type { RigidJobs } from './rigid-jobs.js'

/** What holds jobs back besides room. */
interface HeldBackBy {
  readonly throttles: ArrayThrottles
  readonly licenses: Licenses | undefined
  /** Absent where no nodes are kept for some jobs. */
  readonly reservations: NodeReservations | undefined
  /** The queues of jobs that may start in several, and by what the order lists these in each. */
  readonly queues: QueuesOfJobs
  readonly scoreIn: Order['scoreIn']
}

/** The jobs that wait, as both of Slurm's schedulers see them: in which order they come, what holds them back, and which of them may keep others back. */
export class WaitingJobs implements WorkListener {
  readonly licenses: Licenses | undefined
  readonly #jobs: RigidJobs
  readonly #work: Env['work']
  readonly #throttles: ArrayThrottles
  readonly #reservations: NodeReservations | undefined
  readonly #queues: QueuesOfJobs
  readonly #scoreIn: Order['scoreIn']
  readonly #minPriorities: MinPriorities
  readonly #minAge: Seconds
  /** Whether a job has come that is a task of an array; until then arrays cost nothing. */
  #hasArrays = false

  constructor(jobs: RigidJobs, { work }: Pick<Env, 'work'>, options: ReadReplanOptions, { throttles, licenses, reservations, queues, scoreIn }: HeldBackBy) {
    this.#jobs = jobs
    this.#work = work
    this.#throttles = throttles
    this.licenses = licenses
    this.#reservations = reservations
    this.#queues = queues
    this.#scoreIn = scoreIn
    this.#minPriorities = new MinPriorities(work, options, queues)
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

  /** The array of a job, in the queue where nodes are looked for if it may start in several; '': it is in none. */
  arrayOf(job: JobId): string {
    const array = this.#hasArrays ? this.#work.array(job) : ''
    const place = array === '' ? undefined : this.#queues.place(job)
    return place === undefined ? array : `${array} in ${place}`
  }

  /** The reservation that a job names; '': none. */
  reservationOf(job: JobId): string {
    return this.#reservations?.has(job) === true ? this.#work.reservation(job) : ''
  }

  /** Reads the places of jobs in order, at most `most`. */
  read(round: Round, places: PlacesInQueue, most: number): void {
    const areSeveral = this.#queues.areSeveral
    places.clear()
    this.#jobs.read(round, places.jobs, this.#reservations === undefined && !areSeveral ? most : Infinity)
    this.#reservations?.putFirst(places.jobs)
    if (areSeveral) places.spread(this.#queues, round.work, round.lane, { score: this.#scoreIn, first: (job) => this.#reservations?.has(job) === true })
    places.cut(most)
  }

  /** Comes to a place: `queue`, if its job may start in several. Whether the job still waits for it, and none of its tasks has started in another one. */
  comeTo(job: JobId, queue: string | undefined, { work, lane }: Round): boolean {
    if (queue === undefined) return true
    this.#queues.seek(job, queue)
    return work.unplaced(job, lane) > 0 && this.#queues.placesOf(job)?.includes(queue) === true
  }

  /** Whether limits keep the job from starting in the queue of its place alone. */
  isBarred(job: JobId, queue: string | undefined, { mayStartIn }: Round): boolean {
    return queue !== undefined && mayStartIn?.(job, queue) === false
  }

  /** The queue by whose limits a place of the job counts. */
  queueOf(job: JobId): string {
    return this.#queues.of(job)
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
    return now - work.submitted(job) >= this.#minAge && (priority === 0 || this.#jobs.priority(job, lane, this.#queues.place(job)) >= priority)
  }
}

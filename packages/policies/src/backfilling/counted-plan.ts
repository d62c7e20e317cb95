import type { JobId, Round, Seconds, ShapeId } from '@sched/core'
import type { Licenses } from './licenses.js'
import { Profile } from './profile.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { planRunning, type Windows } from './windows.js'

/** A plan of one lane that is made from nothing in every pass, and in which jobs are placed one after another. */
export interface Plan {
  /** How many times at which something changes it knows, the present with them. */
  readonly entries: number
  /** Those of them at which a reservation begins or ends, with the present. */
  readonly records: number
  begin(round: Round): void
  /** Where nodes have names: those on which tasks of this shape may run are out of sight. */
  close?(shape: ShapeId): void
  /** Where nodes have names: a job has come that shares its nodes with those of its user alone. */
  separateUsers?(): void
  /** Whether the job could start now on nodes that are too far apart for it. */
  isFar?(job: JobId): boolean
  /** The earliest start of the job's next piece, not before a time, default now; `Infinity` if there is none up to `latest`. It needs room until its end, or for `most` seconds. */
  earliest(job: JobId, latest: Seconds, notBefore?: Seconds, most?: Seconds): Seconds
  /** Reserves what was found last, for a time of the caller's choice. */
  reserve(job: JobId, start: Seconds, end: Seconds): void
  /** Starts the piece as it was found; false when it cannot after all, and it then has a reservation from now on. */
  start(job: JobId, round: Round): boolean
}

/** A plan by amounts over the whole cluster. */
export class CountedPlan implements Plan {
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #profile: Profile
  readonly #licenses: Licenses | undefined
  /** When reservations begin and end. */
  readonly #times = new Set<Seconds>()

  constructor(lane: RigidLane, jobs: RigidJobs, windows: Windows, licenses: Licenses | undefined) {
    this.#jobs = jobs
    this.#licenses = licenses
    this.#lane = lane
    this.#windows = windows
    this.#profile = new Profile(lane.width)
  }

  get entries(): number {
    return this.#profile.last - this.#profile.first + 1
  }

  begin({ now }: Round): void {
    planRunning(this.#profile, this.#lane, this.#windows, now)
    this.#licenses?.begin(now)
    this.#times.clear()
  }

  get records(): number {
    return this.#times.size + 1
  }

  earliest(job: JobId, latest: Seconds, notBefore = -Infinity, most = Infinity): Seconds {
    const { length, demand, width } = this.#lane
    const seconds = Math.min(length[job] as number, most)
    const isFromNow = notBefore <= (this.#profile.times[this.#profile.first] as number)
    let start = isFromNow ? this.#profile.earliest(seconds, demand, job * width) : this.#profile.earliestFrom(notBefore, seconds, demand, job * width)
    while (this.#licenses !== undefined && start <= latest) {
      const free = this.#licenses.earliest(job, start, seconds)
      if (free === start) break
      start = free <= latest ? this.#profile.earliestFrom(free, seconds, demand, job * width) : free
    }
    return start <= latest ? start : Infinity
  }

  reserve(job: JobId, start: Seconds, end: Seconds): void {
    this.#take(job, start, end)
    this.#times.add(start).add(end)
    this.#licenses?.reserve(job, start, end)
  }

  start(job: JobId, round: Round): boolean {
    const end = round.now + (this.#lane.length[job] as number)
    const hasLicenses = this.#licenses?.has(job) !== false
    this.#take(job, round.now, end)
    this.#licenses?.start(job, round.now, end)
    return hasLicenses && this.#jobs.start(job, round)
  }

  #take(job: JobId, start: Seconds, end: Seconds): void {
    this.#profile.take(start, end, this.#lane.demand, job * this.#lane.width)
  }
}

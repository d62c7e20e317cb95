import type { JobId, Round, Seconds } from '@sched/core'
import { Profile } from './profile.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { planRunning, type Windows } from './windows.js'

/** Planned length for an estimate of 0, in seconds: a reservation of no length would keep nothing free for its job. */
export const A_SECOND = 1

/** A plan of one lane that a pass makes from scratch, and into which it puts one job after another. */
export interface PassPlan {
  /** Takes in what runs now, and windows. */
  begin(round: Round): void
  /** Whether the job's next piece may start now beside what is planned, if need be for the least that it may run. */
  fitsNow(job: JobId): boolean
  /** The earliest start of the piece, from `notBefore` (default now) on, that what is planned leaves; `Infinity` if there is none. */
  earliest(job: JobId, notBefore?: Seconds): Seconds
  /** Reserves the start that was found last. */
  reserve(job: JobId, start: Seconds): void
  /** When after a time the next reservation begins on a node that is idle until then; `Infinity` if there is none. Absent: nodes are not known. */
  nextReservation?(time: Seconds): Seconds
  /** Starts the piece that fits now, for as long as it has room; false, and nothing is planned, when it finds no nodes after all. */
  start(job: JobId, round: Round): boolean
}

/** The earliest start of the piece in the plan at which rules about the time of day let the job start, too; `Infinity` if there is none. */
export function earliestAllowed(job: JobId, plan: PassPlan, { mayStartFrom }: Round): Seconds {
  for (let start = plan.earliest(job); ; ) {
    const from = start === Infinity ? start : (mayStartFrom?.(job, start) ?? start)
    if (from === start || from === Infinity) return from
    start = plan.earliest(job, from)
  }
}

/** A plan of amounts over the whole cluster. */
export class AmountsPlan implements PassPlan {
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #profile: Profile
  readonly #margin: Seconds
  /** What the piece asks that is being started. */
  readonly #asked: Float64Array

  /** `margin`: seconds by which planned lengths are more than estimates. */
  constructor(lane: RigidLane, jobs: RigidJobs, windows: Windows, margin: Seconds) {
    this.#margin = margin
    this.#lane = lane
    this.#jobs = jobs
    this.#windows = windows
    this.#profile = new Profile(lane.width)
    this.#asked = new Float64Array(lane.width)
  }

  begin({ now }: Round): void {
    planRunning(this.#profile, this.#lane, this.#windows, now)
  }

  fitsNow(job: JobId): boolean {
    const { shortest, demand, width } = this.#lane
    return this.#profile.fitsNow(shortest[job] as number, demand, job * width)
  }

  earliest(job: JobId, notBefore?: Seconds): Seconds {
    const { demand, width } = this.#lane
    return this.#profile.earliest(this.#lengthOf(job), demand, job * width, notBefore)
  }

  reserve(job: JobId, start: Seconds): void {
    const { demand, width } = this.#lane
    this.#profile.take(start, start + this.#lengthOf(job), demand, job * width)
  }

  start(job: JobId, round: Round): boolean {
    const { demand, length, width, areShorter } = this.#lane
    const full = length[job] as number
    const seconds = areShorter ? Math.min(full, this.#profile.roomLasts(demand, job * width)) : full
    const end = round.now + seconds
    this.#asked.set(demand.subarray(job * width, (job + 1) * width)) // once it has started what the job asks is its next piece
    if (!this.#jobs.start(job, round, undefined, seconds < full ? seconds - this.#margin : Infinity)) return false
    this.#profile.take(round.now, end, this.#asked, 0)
    return true
  }

  #lengthOf(job: JobId): Seconds {
    return (this.#lane.length[job] as number) || A_SECOND
  }
}

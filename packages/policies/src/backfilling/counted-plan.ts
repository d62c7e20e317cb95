import type { JobId, NodeId, Round, Seconds } from '@sched/core'
import type { Licenses } from './licenses.js'
import { Profile } from './profile.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { runTime, WHOLE, type RunTime } from './time-limits.js'
import { planRunning, type Windows } from './windows.js'

/** A plan of one lane. Every pass makes it from scratch and places jobs in it one after another. */
export interface Plan {
  /** Number of times in the plan at which something changes, including now. */
  readonly entries: number
  /** Number of those times at which a reservation begins or ends, including now. */
  readonly records: number
  begin(round: Round): void
  /** In a plan of named nodes: hides all nodes with this label. */
  close?(label: string): void
  /** In a plan of named nodes: a job has come that shares nodes only with jobs of its own user. */
  separateUsers?(): void
  /** Whether reservations of nodes, or windows, leave the job too little from now on, whatever runs. */
  isReserved(job: JobId): boolean
  /** In a plan of named nodes: whether the job may not have as many as it needs in its queue, or of this too few are left that are neither down nor closed. */
  isTooSmall?(job: JobId): boolean
  /** Whether the job could start now, but only on nodes that are too far apart for it. */
  isFar?(job: JobId): boolean
  /**
   * The earliest start of the job's next piece from `notBefore` (default now) to `latest`; `Infinity` if there is none. The piece must have room until
   * its expected end, or for `most` seconds if that is less.
   */
  earliest(job: JobId, latest: Seconds, notBefore?: Seconds, most?: Seconds): Seconds
  /**
   * In a plan of named nodes: finds the nodes that the job may have from now on for its run, or `most` seconds,
   * whoever runs there; and whether one is among them.
   */
  look?(job: JobId, most?: Seconds): void
  mayHave?(node: NodeId): boolean
  /** In a plan of named nodes: the most nodes that the tasks of the job which start together may be on. */
  mostNodes?(job: JobId): number
  /** In a plan of named nodes: takes these, one per task that starts together, for the place that was found last, as if `earliest` had found it now. */
  find?(job: JobId, places: readonly NodeId[]): void
  /**
   * In a plan of named nodes: whether limits allow the job fewer nodes (`Round.nodesOf`): than those that were found last, for a start `now`, for one `later`,
   * or than it asks for, where none were found (`none`).
   */
  isOnTooMany?(job: JobId, found: 'now' | 'later' | 'none'): boolean
  /** In a plan of named nodes: takes in what runs, after jobs have started that the plan did not start, in the place of others. */
  takeIn?(): void
  /** Reserves the place that `earliest` found last, from `start` to `end`. */
  reserve(job: JobId, start: Seconds, end: Seconds): void
  /** Whether nodes that were reserved have free processors now; of amounts, whether anything was reserved and processors are free. */
  keepsIdle(): boolean
  /**
   * Starts the piece at the place that `earliest` found last, to run for its planned length or as `time` says. False when it cannot start after all; it then
   * has a reservation from now on.
   */
  start(job: JobId, round: Round, time?: RunTime): boolean
}

/** A plan by amounts over the whole cluster. */
export class CountedPlan implements Plan {
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #profile: Profile
  /** What windows leave if nothing runs, and whether it is made. */
  readonly #idle: Profile
  #hasIdle = false
  readonly #licenses: Licenses | undefined
  /** The times at which reservations begin or end. */
  readonly #times = new Set<Seconds>()

  constructor(lane: RigidLane, jobs: RigidJobs, windows: Windows, licenses: Licenses | undefined) {
    this.#jobs = jobs
    this.#licenses = licenses
    this.#lane = lane
    this.#windows = windows
    this.#profile = new Profile(lane.width)
    this.#idle = new Profile(lane.width)
  }

  get entries(): number {
    return this.#profile.last - this.#profile.first + 1
  }

  begin({ now }: Round): void {
    this.#hasIdle = false
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
    let start = this.#profile.earliest(seconds, demand, job * width, notBefore)
    while (this.#licenses !== undefined && start <= latest) {
      const free = this.#licenses.earliest(job, start, seconds)
      if (free === start) break
      start = free <= latest ? this.#profile.earliest(seconds, demand, job * width, free) : free
    }
    return start <= latest ? start : Infinity
  }

  isReserved(job: JobId): boolean {
    const { length, demand, width, capacity } = this.#lane
    if (!this.#lane.fitsIn(capacity, job)) return false // nodes are away
    const now = this.#profile.times[this.#profile.first] as number
    if (!this.#hasIdle) {
      this.#idle.reset(now, capacity)
      this.#windows.takeFrom(this.#idle, this.#lane)
      this.#hasIdle = true
    }
    return this.#idle.earliest(length[job] as number, demand, job * width, now) > now
  }

  reserve(job: JobId, start: Seconds, end: Seconds): void {
    this.#take(job, start, end)
    this.#times.add(start).add(end)
    this.#licenses?.reserve(job, start, end)
  }

  keepsIdle(): boolean {
    return this.#times.size > 0 && (this.#lane.free[this.#lane.processors] as number) > 0
  }

  start(job: JobId, round: Round, time = WHOLE): boolean {
    const { length, demand, width } = this.#lane
    const full = length[job] as number
    const seconds = time === WHOLE ? full : runTime(full, time, () => this.#profile.roomLasts(demand, job * width))
    const end = round.now + seconds
    const hasLicenses = this.#licenses?.has(job) !== false
    this.#take(job, round.now, end)
    this.#licenses?.start(job, round.now, end)
    return hasLicenses && this.#jobs.start(job, round, undefined, seconds < full ? seconds : Infinity)
  }

  #take(job: JobId, start: Seconds, end: Seconds): void {
    this.#profile.take(start, end, this.#lane.demand, job * this.#lane.width)
  }
}

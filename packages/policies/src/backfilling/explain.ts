import { None, Reason, type JobId, type Round } from '@sched/core'
import type { Window } from './options.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/**
 * Gives every job that still waits its reason: no room now, room that the placement keeps from it, or a reservation, which is a window's
 * where it is the first. Done only when somebody listens, since it looks at the whole queue.
 */
export class Explanations {
  readonly #jobs: RigidJobs
  readonly #windows: readonly Window[]
  readonly #isDelayed: (job: JobId, round: Round) => boolean
  readonly #waiting: JobId[] = []

  /** `isDelayed`: whether a job is kept waiting that has room, for nodes nearer to each other. */
  constructor(jobs: RigidJobs, windows: readonly Window[], isDelayed: (job: JobId, round: Round) => boolean = (job, round) => jobs.isDelayed(job, round)) {
    this.#isDelayed = isDelayed
    this.#jobs = jobs
    this.#windows = windows
  }

  /** `kept`: why a job waits for which there is room; `limit`: which limit holds it back, if any does. */
  give(round: Round, lane: RigidLane, head: JobId | None, kept: Reason = Reason.Reservation, limit?: (job: JobId) => string | undefined): void {
    if (!round.explained || head === None) return
    this.#waiting.length = 0
    this.#jobs.read(round, this.#waiting)
    const ofHead = this.#windows.some(({ to }) => to > round.now) ? Reason.Reservation : Reason.NoRoom
    for (const job of this.#waiting) {
      const held = limit?.(job)
      if (held === undefined) round.defer(job, !lane.fitsIn(lane.free, job) ? Reason.NoRoom : this.#isDelayed(job, round) ? Reason.Locality : job === head ? ofHead : kept)
      else round.defer(job, Reason.Limit, held)
    }
  }
}

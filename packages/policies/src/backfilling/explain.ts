import { None, Reason, type JobId, type Round } from '@sched/core'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/**
 * Gives every job that still waits its reason: no room now, or room that a reservation keeps from it. Done only when
 * somebody listens, since it looks at the whole queue.
 */
export class Explanations {
  readonly #jobs: RigidJobs
  readonly #waiting: JobId[] = []

  constructor(jobs: RigidJobs) {
    this.#jobs = jobs
  }

  /** `kept`: why a job waits for which there is room; `limit`: which limit holds it back, if any does. */
  give(round: Round, lane: RigidLane, head: JobId | None, kept: Reason = Reason.Reservation, limit?: (job: JobId) => string | undefined): void {
    if (!round.explained || head === None) return
    this.#waiting.length = 0
    this.#jobs.read(round, this.#waiting)
    for (const job of this.#waiting) {
      const held = limit?.(job)
      if (held === undefined) round.defer(job, job !== head && lane.fitsIn(lane.free, job) ? kept : Reason.NoRoom)
      else round.defer(job, Reason.Limit, held)
    }
  }
}

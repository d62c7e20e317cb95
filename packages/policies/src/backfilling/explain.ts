import { None, Reason, type JobId, type KeptBack, type Round } from '@sched/core'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import type { Window } from './windows.js'

/**
 * Tells why each job still waits: there is no room now, its placement keeps the room from it, or a reservation does (for the first job the
 * reservation is a window). It looks at the whole queue, and so runs only when somebody listens.
 */
export class Explanations {
  readonly #jobs: RigidJobs
  readonly #windows: readonly Window[]
  readonly #keptBack: (job: JobId, round: Round) => KeptBack | undefined
  readonly #waiting: JobId[] = []

  /** `keptBack`: why a job that has room by amounts waits because of the nodes it would get. */
  constructor(jobs: RigidJobs, windows: readonly Window[], keptBack: (job: JobId, round: Round) => KeptBack | undefined = (job, round) => jobs.keptBack(job, round)) {
    this.#keptBack = keptBack
    this.#jobs = jobs
    this.#windows = windows
  }

  /** `kept`: the reason of a job for which there is room; `limit`: the name of the limit that holds a job back, if any does. */
  give(round: Round, lane: RigidLane, head: JobId | None, kept: Reason = Reason.Reservation, limit?: (job: JobId) => string | undefined): void {
    if (!round.explained || head === None) return
    this.#waiting.length = 0
    this.#jobs.read(round, this.#waiting)
    const ofHead = this.#windows.some(({ to }) => to > round.now) ? Reason.Reservation : Reason.NoRoom
    for (const job of this.#waiting) {
      const held = limit?.(job)
      if (held !== undefined) round.defer(job, Reason.Limit, held)
      else if (!lane.fitsIn(lane.free, job)) round.defer(job, Reason.NoRoom)
      else {
        const { reason, limit: rules } = this.#keptBack(job, round) ?? { reason: job === head ? ofHead : kept }
        round.defer(job, reason, rules)
      }
    }
  }
}

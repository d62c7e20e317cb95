import { None, type JobId, type Round } from '@sched/core'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/** Starts the first job in order, again and again, while there is room for it; returns the first that must wait, or `None`. */
export function startHeads(round: Round, jobs: RigidJobs, lane: RigidLane, mayStart: (job: JobId) => boolean = ANY): JobId | None {
  for (;;) {
    const head = jobs.head(round)
    if (head === None || !lane.fitsIn(lane.free, head) || !mayStart(head) || !jobs.start(head, round)) return head
  }
}

const ANY = () => true


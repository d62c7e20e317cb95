import { None, type JobId, type Round } from '@sched/core'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'

/**
 * Starts the first job in order, again and again, while there is room for it; returns the first that must wait, or `None`. `mayStart`: what besides room
 * lets a job start; `start` starts it, on the nodes that the placement chooses unless it names others.
 */
export function startHeads(round: Round, jobs: RigidJobs, lane: RigidLane, mayStart: (job: JobId) => boolean = ANY, start?: (job: JobId) => boolean): JobId | None {
  for (;;) {
    const head = jobs.head(round)
    if (head === None || !lane.fitsIn(lane.free, head) || !mayStart(head) || !(start === undefined ? jobs.start(head, round) : start(head))) return head
  }
}

const ANY = () => true


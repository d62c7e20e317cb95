import { None, type JobId } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'

/** Of waiting jobs that ask the same for as long the last one that came by. */
export class Alike {
  readonly #lane: RigidLane
  /** By a number that is the same for jobs that are alike, and seldom for others. */
  readonly #last = new Map<number, JobId>()

  constructor(lane: RigidLane) {
    this.#lane = lane
  }

  clear(): void {
    this.#last.clear()
  }

  /** The one that came by before, or `None`; from now on it is this job. */
  replace(job: JobId): JobId | None {
    const number = this.#numberOf(job)
    const other = this.#last.get(number)
    this.#last.set(number, job)
    return other !== undefined && this.#areAlike(job, other) ? other : None
  }

  #numberOf(job: JobId): number {
    const { width, demand, length } = this.#lane
    let number = length[job] as number
    for (let r = 0; r < width; r++) number = 31 * number + (demand[job * width + r] as number)
    return number
  }

  #areAlike(job: JobId, other: JobId): boolean {
    const { width, demand, length } = this.#lane
    if (length[job] !== length[other]) return false
    for (let r = 0; r < width; r++) if (demand[job * width + r] !== demand[other * width + r]) return false
    return true
  }
}

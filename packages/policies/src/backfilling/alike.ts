import { None, type JobId } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'

/** Finds, for a waiting job, the last job before it that asks for the same amounts for the same time. */
export class Alike {
  readonly #lane: RigidLane
  /** By a hash of length and amounts: equal for jobs that are alike, seldom equal for others. */
  readonly #last = new Map<number, JobId>()

  constructor(lane: RigidLane) {
    this.#lane = lane
  }

  clear(): void {
    this.#last.clear()
  }

  /** The last job like this one, or `None`; this job takes its place. */
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

import type { Round } from '@sched/core'
import type { VolcanoLane } from './lane.js'
import type { VolcanoJob } from './queue.js'
import type { Hindrance } from './standstill.js'

/** So many tasks of a job, and no more, could start in free room and within the bounds of its queue, which are fewer than it needs. */
export class StartsFree implements Hindrance {
  readonly #job: VolcanoJob
  readonly #started: number
  readonly #lane: VolcanoLane

  constructor(job: VolcanoJob, started: number, lane: VolcanoLane) {
    this.#job = job
    this.#started = started
    this.#lane = lane
  }

  holds(round: Round): boolean {
    return this.#lane.startsFree(this.#job, round) === this.#started
  }
}

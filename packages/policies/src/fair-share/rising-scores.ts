import type { Env, JobId, LaneId, WorkListener } from '@sched/core'

/** Scores of jobs that stay as high as they have been while the job waited: all are looked at in every version, also where no order is asked for. */
export class RisingScores implements WorkListener {
  readonly #env: Env
  readonly #scoreOf: (job: JobId, lane: LaneId) => number
  /** By lane: jobs with the highest score of each so far. */
  readonly #highest: readonly Map<JobId, number>[]
  #version = NaN
  /** Whether a job has come that nobody has looked at. */
  #areNew = false

  constructor(scoreOf: (job: JobId, lane: LaneId) => number, env: Env) {
    this.#env = env
    this.#scoreOf = scoreOf
    this.#highest = env.cluster.lanes.map(() => new Map<JobId, number>())
  }

  /** The highest score of a job so far, its present one included. */
  of(job: JobId, lane: LaneId): number {
    const highest = this.#highest[lane] as Map<JobId, number>
    const score = Math.max(highest.get(job) ?? -Infinity, this.#scoreOf(job, lane))
    highest.set(job, score)
    return score
  }

  /** Looks at all jobs that wait, where it is another version than before or there are new ones. */
  raise(version: number): void {
    if (version === this.#version && !this.#areNew) return
    this.#version = version
    this.#areNew = false
    for (const [lane, highest] of this.#highest.entries())
      for (const job of highest.keys()) if (this.#env.work.unplaced(job, lane as LaneId) > 0) this.of(job, lane as LaneId)
  }

  onReady(job: JobId, lane: LaneId): void {
    const highest = this.#highest[lane] as Map<JobId, number>
    if (highest.has(job)) return
    highest.set(job, -Infinity)
    this.#areNew = true
  }

  onFinish(job: JobId): void {
    for (const highest of this.#highest) highest.delete(job)
  }
}

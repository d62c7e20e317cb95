import { rememberedJobs, type Env, type JobId, type LaneId, type WorkListener } from '@sched/core'

interface RisingMemory {
  /** By lane: the highest score of each job so far. */
  readonly highest: readonly (readonly (readonly [job: string, score: number])[])[]
  /** The last version of scores that was looked at; null: none was. */
  readonly version: number | null
  readonly areNew: boolean
}

/** Scores that never fall while a job waits. All waiting jobs are looked at in every version of the scores, even if no order is read then. */
export class RisingScores implements WorkListener {
  readonly #env: Env
  readonly #scoreOf: (job: JobId, lane: LaneId) => number
  /** By lane: the highest score of each waiting job so far. */
  readonly #highest: readonly Map<JobId, number>[]
  #version = NaN
  /** Whether a job has come that was not looked at yet. */
  #areNew = false

  constructor(scoreOf: (job: JobId, lane: LaneId) => number, env: Env) {
    this.#env = env
    this.#scoreOf = scoreOf
    this.#highest = env.cluster.lanes.map(() => new Map<JobId, number>())
  }

  /** The highest score of a job so far, including its present one. */
  of(job: JobId, lane: LaneId): number {
    const highest = this.#highest[lane] as Map<JobId, number>
    const score = Math.max(highest.get(job) ?? -Infinity, this.#scoreOf(job, lane))
    highest.set(job, score)
    return score
  }

  /** Looks at all waiting jobs, if the version is another one than before or there are new jobs. */
  raise(version: number): void {
    if (version === this.#version && !this.#areNew) return
    this.#version = version
    this.#areNew = false
    for (const [lane, highest] of this.#highest.entries())
      for (const job of highest.keys()) if (this.#env.work.unplaced(job, lane as LaneId) > 0) this.of(job, lane as LaneId)
  }

  memory(): RisingMemory {
    const { work } = this.#env
    const highest = this.#highest.map((scores) => [...scores].filter(([, score]) => score > -Infinity).map(([job, score]) => [work.name(job), score] as const))
    return { highest, version: Number.isNaN(this.#version) ? null : this.#version, areNew: this.#areNew }
  }

  recall(memory: unknown): void {
    const { highest, version, areNew } = memory as RisingMemory
    this.#version = version ?? NaN
    this.#areNew = areNew
    for (const [lane, scores] of highest.entries())
      for (const [job, score] of rememberedJobs(scores, this.#env.work)) this.#highest[lane]?.set(job, score)
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

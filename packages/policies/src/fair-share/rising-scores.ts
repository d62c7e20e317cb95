import { rememberedJobs, type Env, type JobId, type LaneId, type WorkListener } from '@sched/core'

interface RisingMemory {
  /** By lane: the highest score of each job so far. */
  readonly highest: readonly (readonly (readonly [job: string, score: number])[])[]
  /** The same of jobs in each of several queues. */
  readonly places: readonly (readonly (readonly [job: string, queue: string, score: number])[])[]
  /** The last version of scores that was looked at; null: none was. */
  readonly version: number | null
  readonly areNew: boolean
}

/** Scores that never fall while a job waits. All waiting jobs are looked at in every version of the scores, even if no order is read then. */
export class RisingScores implements WorkListener {
  readonly #env: Env
  readonly #scoreOf: (job: JobId, lane: LaneId, queue?: string) => number
  /** By lane: the highest score of each waiting job so far. */
  readonly #highest: readonly Map<JobId, number>[]
  /** By lane: the same of jobs that have scores in several queues, by queue. */
  readonly #places: readonly Map<JobId, Map<string, number>>[]
  #version = NaN
  /** Whether a job has come that was not looked at yet. */
  #areNew = false

  constructor(scoreOf: (job: JobId, lane: LaneId, queue?: string) => number, env: Env) {
    this.#env = env
    this.#scoreOf = scoreOf
    this.#highest = env.cluster.lanes.map(() => new Map<JobId, number>())
    this.#places = env.cluster.lanes.map(() => new Map<JobId, Map<string, number>>())
  }

  /** The highest score of a job so far, including its present one; in this one of several queues, if one is given. */
  of(job: JobId, lane: LaneId, queue?: string): number {
    if (queue !== undefined) return this.#inQueue(job, lane, queue)
    const highest = this.#highest[lane] as Map<JobId, number>
    const score = Math.max(highest.get(job) ?? -Infinity, this.#scoreOf(job, lane))
    highest.set(job, score)
    return score
  }

  #inQueue(job: JobId, lane: LaneId, queue: string): number {
    const highest = this.#placesOf(job, lane)
    const score = Math.max(highest.get(queue) ?? -Infinity, this.#scoreOf(job, lane, queue))
    highest.set(queue, score)
    return score
  }

  #placesOf(job: JobId, lane: LaneId): Map<string, number> {
    const places = this.#places[lane] as Map<JobId, Map<string, number>>
    let highest = places.get(job)
    if (highest === undefined) places.set(job, (highest = new Map<string, number>()))
    return highest
  }

  /** Looks at all waiting jobs, if the version is another one than before or there are new jobs. */
  raise(version: number): void {
    if (version === this.#version && !this.#areNew) return
    this.#version = version
    this.#areNew = false
    for (const [lane, highest] of this.#highest.entries())
      for (const job of highest.keys()) {
        if (this.#env.work.unplaced(job, lane as LaneId) === 0) continue
        this.of(job, lane as LaneId)
        for (const queue of this.#places[lane]?.get(job)?.keys() ?? []) this.of(job, lane as LaneId, queue)
      }
  }

  memory(): RisingMemory {
    const { work } = this.#env
    const highest = this.#highest.map((scores) => [...scores].filter(([, score]) => score > -Infinity).map(([job, score]) => [work.name(job), score] as const))
    const places = this.#places.map((jobs) => [...jobs].flatMap(([job, scores]) => [...scores].map(([queue, score]) => [work.name(job), queue, score] as const)))
    return { highest, places, version: Number.isNaN(this.#version) ? null : this.#version, areNew: this.#areNew }
  }

  recall(memory: unknown): void {
    const { highest, places, version, areNew } = memory as RisingMemory
    const { work } = this.#env
    this.#version = version ?? NaN
    this.#areNew = areNew
    for (const [lane, scores] of highest.entries())
      for (const [job, score] of rememberedJobs(scores, work)) this.#highest[lane]?.set(job, score)
    for (const [lane, scores] of places.entries())
      for (const [job, queue, score] of rememberedJobs(scores, work)) this.#placesOf(job, lane as LaneId).set(queue, score)
  }

  onReady(job: JobId, lane: LaneId): void {
    const highest = this.#highest[lane] as Map<JobId, number>
    if (highest.has(job)) return
    highest.set(job, -Infinity)
    this.#areNew = true
  }

  onFinish(job: JobId): void {
    for (const highest of this.#highest) highest.delete(job)
    for (const places of this.#places) places.delete(job)
  }
}

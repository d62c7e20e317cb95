import type { Env, JobId, LaneId, WorkListener } from '@sched/core'

/** Passes on which jobs wait, except those that are hidden for a while: for whom it passes on, these do not wait. */
export class ShownJobs implements WorkListener {
  readonly #env: Env
  readonly #told: WorkListener
  readonly #isHidden: (job: JobId, lane: LaneId) => boolean
  /** By lane: jobs with tasks to place, and those of them that `told` knows. */
  readonly #waiting: readonly Set<JobId>[]
  readonly #known: readonly Set<JobId>[]

  constructor(env: Env, told: WorkListener, isHidden: (job: JobId, lane: LaneId) => boolean) {
    this.#env = env
    this.#told = told
    this.#isHidden = isHidden
    this.#waiting = env.cluster.lanes.map(() => new Set())
    this.#known = env.cluster.lanes.map(() => new Set())
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.add(job)
    this.tell(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (!this.#isHidden(job, lane)) this.#told.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.delete(job)
    this.tell(job, lane)
  }

  onFinish(job: JobId): void {
    for (const jobs of [...this.#waiting, ...this.#known]) jobs.delete(job)
  }

  /** To be called when a job is hidden, or is no more. */
  tell(job: JobId, lane: LaneId): void {
    const known = this.#known[lane] as Set<JobId>
    const waits = this.#waiting[lane]?.has(job) === true && !this.#isHidden(job, lane) && this.#env.work.unplaced(job, lane) > 0
    if (waits === known.has(job)) return
    if (waits) {
      known.add(job)
      this.#told.onReady?.(job, lane)
    } else {
      known.delete(job)
      this.#told.onDrained?.(job, lane)
    }
  }
}

import { grown, type Env, type JobId, type LaneId, type WorkListener } from '@sched/core'

/** Passes on which jobs wait, except those that are hidden for a while: for whom it passes on, these do not wait. */
export class ShownJobs implements WorkListener {
  readonly #env: Env
  readonly #told: WorkListener
  readonly #isHidden: (job: JobId, lane: LaneId) => boolean
  /**
   * By lane and job: whether it has tasks to place, and whether `told` knows so. Columns and not sets: a few jobs that are hidden and shown again at every
   * turn would leave chains of deleted entries in a set of all that wait, and have it copied again and again.
   */
  readonly #waiting: readonly Flags[]
  readonly #known: readonly Flags[]

  constructor(env: Env, told: WorkListener, isHidden: (job: JobId, lane: LaneId) => boolean) {
    this.#env = env
    this.#told = told
    this.#isHidden = isHidden
    this.#waiting = env.cluster.lanes.map(() => new Flags())
    this.#known = env.cluster.lanes.map(() => new Flags())
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.set(job, true)
    this.tell(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (!this.#isHidden(job, lane)) this.#told.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.set(job, false)
    this.tell(job, lane)
  }

  onFinish(job: JobId): void {
    for (let lane = 0; lane < this.#known.length; lane++) {
      this.#waiting[lane]?.set(job, false)
      this.#known[lane]?.set(job, false)
    }
  }

  /** To be called when a job is hidden, or is no more. */
  tell(job: JobId, lane: LaneId): void {
    const known = this.#known[lane] as Flags
    const waits = this.#waiting[lane]?.has(job) === true && !this.#isHidden(job, lane) && this.#env.work.unplaced(job, lane) > 0
    if (waits === known.has(job)) return
    known.set(job, waits)
    if (waits) this.#told.onReady?.(job, lane)
    else this.#told.onDrained?.(job, lane)
  }
}

/** One bit of information about each job. */
class Flags {
  #column = new Uint8Array(0)

  has(job: JobId): boolean {
    return this.#column[job] === 1
  }

  set(job: JobId, value: boolean): void {
    if (job >= this.#column.length) this.#column = grown(this.#column, job + 1)
    this.#column[job] = value ? 1 : 0
  }
}

import { grown, type JobId, type JobSpec, type Observer, type Seconds, type StartRow, type WorkView } from '@sched/core'

/** Promised starts, and whether they were kept. */
export interface PromisesResult {
  /** Number of calls of `reserve`. A job may be promised a start many times; the earliest counts. */
  readonly promises: number
  /** Jobs that were promised a start before their first task started. */
  readonly jobs: number
  /** Jobs that started later than promised, or had not started by the promised time when they ended without a start or the run ended. */
  readonly broken: number
  /** Mean lateness of broken promises, seconds; 0 if none is broken. */
  readonly meanLateness: Seconds
  /** Largest lateness, seconds; 0 if none is broken. */
  readonly maxLateness: Seconds
  /** Jobs that started earlier than their first promise. */
  readonly early: number
  /** Mean time by which the promised jobs that started did so before their first promise, seconds; negative if they started later. */
  readonly meanAhead: Seconds
}

/** Compares promised with actual starts: a reservation says that a job starts no later than a given time. */
export const promises = (): Promises => new Promises()

const NEVER = Infinity
const STARTED = -1

export class Promises implements Observer {
  #work!: WorkView
  /** By job: its earliest promise; `NEVER` before the first, `STARTED` once its first task has started. */
  #promised = new Float64Array(0)
  /** By job: its first promise. */
  #first = new Float64Array(0)
  #promises = 0
  #early = 0
  #started = 0
  #ahead = NaN
  #jobs = 0
  #broken = 0
  #lateness = NaN
  #latest = NaN

  constructor() {
    this.#ahead = this.#lateness = this.#latest = 0
  }

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(job: JobId, _spec: JobSpec): void {
    if (job >= this.#promised.length) {
      this.#promised = grown(this.#promised, job + 1)
      this.#first = grown(this.#first, job + 1)
    }
    this.#promised[job] = NEVER
  }

  onReserve(job: JobId, start: Seconds): void {
    const promised = this.#promised[job] as number
    this.#promises++
    if (promised === STARTED) return
    if (promised === NEVER) {
      this.#jobs++
      this.#first[job] = start
    }
    if (start < promised) this.#promised[job] = start
  }

  onTasksStart({ job }: StartRow, now: Seconds): void {
    const promised = this.#promised[job] as number
    if (promised === STARTED) return
    this.#promised[job] = STARTED
    if (promised !== NEVER) this.#keep((this.#first[job] as number) - now)
    if (now > promised) this.#break(now - promised)
  }

  /** An abandoned job may end without a start. */
  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#miss(job, now)
  }

  onRunEnd(now: Seconds): void {
    for (const job of this.#work.jobs()) this.#miss(job, now)
  }

  result(): PromisesResult {
    return {
      promises: this.#promises,
      jobs: this.#jobs,
      broken: this.#broken,
      meanLateness: this.#broken === 0 ? 0 : this.#lateness / this.#broken,
      maxLateness: this.#latest,
      early: this.#early,
      meanAhead: this.#started === 0 ? 0 : this.#ahead / this.#started,
    }
  }

  #keep(ahead: Seconds): void {
    this.#started++
    this.#ahead += ahead
    if (ahead > 0) this.#early++
  }

  #miss(job: JobId, now: Seconds): void {
    const promised = this.#promised[job] as number
    if (promised !== STARTED && now > promised) this.#break(now - promised)
  }

  #break(lateness: Seconds): void {
    this.#broken++
    this.#lateness += lateness
    if (lateness > this.#latest) this.#latest = lateness
  }
}

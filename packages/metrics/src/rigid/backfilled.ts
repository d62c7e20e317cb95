import { grown, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskId } from '@sched/core'
import { counts, wholeRun, type Period } from '../period.js'

/** Jobs that overtook an earlier one. */
export interface BackfilledResult {
  /** Jobs that started while a job submitted before them was still waiting; starts of one instant are taken together. */
  readonly jobs: number
  /** These as a fraction of the jobs that started, in [0, 1]. */
  readonly share: number
}

/**
 * Counts jobs that overtook another: after all starts of the instant in which the job starts, a job submitted earlier still waits. Order of
 * submission counts whatever the policy's order is, so an order other than that of submission overtakes without backfilling.
 */
export const backfilled = (period?: Period): Backfilled => new Backfilled(period)

export class Backfilled implements Observer {
  readonly #period: Period
  /** By job in the system: its submission number; -1 for a job that does not wait. */
  #number = new Float64Array(0)
  #submitted = 0
  /** By submission number minus `#dropped`: whether the job still waits. */
  #waits: boolean[] = []
  #dropped = 0
  /** Index in `#waits` of the first waiting job. */
  #head = 0
  #counted = new Set<JobId>()
  /** Submission numbers of jobs that started at `#instant`. */
  #starts: number[] = []
  #instant = NaN
  #jobs = 0
  #started = 0

  constructor(period = wholeRun) {
    this.#period = period
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#number = grown(this.#number, job + 1)
    this.#number[job] = this.#submitted++
    this.#waits.push(true)
    if (counts(this.#period, now)) this.#counted.add(job)
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    const number = this.#number[job] as number
    if (number < 0) return
    this.#advance(now)
    this.#leave(job, number)
    if (!this.#counted.delete(job)) return
    this.#started++
    this.#starts.push(number)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#counted.delete(job)
    if ((this.#number[job] as number) >= 0) this.#leave(job, this.#number[job] as number)
  }

  onRunEnd(): void {
    this.#settle()
  }

  result(): BackfilledResult {
    return { jobs: this.#jobs, share: this.#jobs / this.#started }
  }

  #leave(job: JobId, number: number): void {
    this.#number[job] = -1
    this.#waits[number - this.#dropped] = false
  }

  #advance(now: Seconds): void {
    if (now === this.#instant) return
    this.#settle()
    this.#instant = now
  }

  #settle(): void {
    if (this.#starts.length === 0) return
    const first = this.#firstWaiting()
    for (const number of this.#starts) if (number > first) this.#jobs++
    this.#starts.length = 0
  }

  #firstWaiting(): number {
    while (this.#head < this.#waits.length && !(this.#waits[this.#head] as boolean)) this.#head++
    const first = this.#dropped + this.#head
    if (this.#head > 1024 && this.#head * 2 > this.#waits.length) {
      this.#waits = this.#waits.slice(this.#head) // memory follows the jobs since the first that waits
      this.#dropped += this.#head
      this.#head = 0
    }
    return first
  }
}

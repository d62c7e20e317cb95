import type { Env, JobId, LaneId, TaskId, WorkListener, WorkView } from '@sched/core'
import type { Supply } from '../disciplines/cluster-amounts.js'

/**
 * Limits on the running jobs of an array (`--array=0-99%4`, ArrayTaskThrottle). A job counts as running from its first claim until it
 * holds nothing more. All running jobs of the array count, whatever limit each of them states.
 *
 * Source: Slurm, `job_array_start_test`, which both of its schedulers ask before they look for nodes. Deviation: a job that is suspended does
 * not count.
 */
export class ArrayThrottles implements WorkListener, Supply {
  readonly #work: WorkView
  /** Running tasks of each job that is in an array. */
  readonly #tasks = new Map<JobId, number>()
  /** Number of running jobs of each array. */
  readonly #running = new Map<string, number>()
  /** Whether any job has come that states a limit. */
  #hasAny = false

  constructor({ work }: Pick<Env, 'work'>) {
    this.#work = work
  }

  /** Whether as many jobs of the array run as this job's limit allows; false once the job runs itself. */
  isFull(job: JobId): boolean {
    if (!this.#hasAny || this.#tasks.has(job)) return false
    return (this.#running.get(this.#work.array(job)) ?? 0) >= this.#work.arrayThrottle(job)
  }

  /** Whether no job has come that states a limit. */
  get isEmpty(): boolean {
    return !this.#hasAny
  }

  suffice(job: JobId): boolean {
    return !this.isFull(job)
  }

  sufficeFor(task: TaskId): boolean {
    return !this.isFull(this.#work.jobOf(task))
  }

  onSubmit(job: JobId): void {
    this.#hasAny ||= this.#work.arrayThrottle(job) < Infinity
  }

  onClaim(job: JobId, _lane: LaneId): void {
    this.#change(job, 1)
  }

  onRelease(job: JobId, _lane: LaneId): void {
    this.#change(job, -1)
  }

  #change(job: JobId, by: 1 | -1): void {
    const array = this.#work.array(job)
    if (array === '') return
    const tasks = (this.#tasks.get(job) ?? 0) + by
    if (tasks === 0) this.#tasks.delete(job)
    else this.#tasks.set(job, tasks)
    const isWhole = by > 0 ? tasks === 1 : tasks === 0
    if (!isWhole) return
    const running = (this.#running.get(array) ?? 0) + by
    if (running === 0) this.#running.delete(array)
    else this.#running.set(array, running)
  }
}

import type { Work } from '@sched/cluster'
import type { JobId, Seconds, TaskId } from '@sched/core'
import type { Avoidance } from './avoid/avoidance.js'
import type { Failures } from './failures.js'
import type { TaskRunsOptions } from './task-runs-options.js'

/** How tasks are stopped. */
interface Stops {
  /** Frees what a running task holds, and releases it. */
  free(task: TaskId): void
  /** Stops a released task that has not ended by itself. */
  kill(task: TaskId, now: Seconds): void
  /** Handles a released task that has. */
  killed(task: TaskId, now: Seconds): void
}

/** Runs that have ended in this instant with a failure of their task, and jobs that fail. */
export class FailedRuns {
  /** Present if nodes are avoided after failures. */
  readonly avoidance: Avoidance | undefined
  readonly #work: Work
  readonly #failures: Failures | undefined
  readonly #host: TaskRunsOptions['host']
  readonly #stops: Stops
  readonly #runs: number[] = []

  constructor({ work, failures, host, avoidance }: Pick<TaskRunsOptions, 'work' | 'failures' | 'host' | 'avoidance'>, stops: Stops) {
    this.#work = work
    this.#failures = failures
    this.#host = host
    this.#stops = stops
    this.avoidance = avoidance?.((job, now) => this.#failJob(job, now))
  }

  add(run: number): void {
    this.#runs.push(run)
  }

  get areAny(): boolean {
    return this.#runs.length > 0
  }

  /**
   * Handles failed tasks. Each is pending again, together with the running tasks of its gang if too few are left; or its job fails, and everything of
   * it stops.
   */
  handle(now: Seconds): void {
    const work = this.#work
    const failures = this.#failures as Failures
    const ended = this.#runs.splice(0)
    for (const failed of ended) {
      if (!failures.has(failed)) continue // it was stopped by another failure
      const task = work.runTask(failed)
      const job = work.jobOf(task)
      const isLast = failures.failed(failed, job, work.originalOf(task))
      if (!isLast) this.avoidance?.failed(work.originalOf(task), work.runNode(failed), now)
      for (const each of [...(isLast ? work.startedOf(job) : work.stoppedWith(task))]) {
        const run = work.taskRun[each] as number
        this.#stops.free(each)
        if (!ended.includes(run)) this.#stops.kill(each, now)
        else {
          if (run !== failed) failures.stopped(run, job, work.originalOf(each), work.runNode(run), 0)
          this.#stops.killed(each, now)
        }
      }
      if (isLast) this.#host.jobFailed(job)
    }
  }

  /** Everything of a job stops, which has failed. */
  #failJob(job: JobId, now: Seconds): void {
    for (const task of [...this.#work.startedOf(job)]) {
      this.#stops.free(task)
      this.#stops.kill(task, now)
    }
    this.#host.jobFailed(job)
  }
}

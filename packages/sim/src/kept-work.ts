import type { Work } from '@sched/cluster'
import type { JobId, Seconds, TaskId } from '@sched/core'
import type { Checkpoints } from './checkpoints.js'
import type { TaskStart } from './task-start.js'

/** What is kept of the work of tasks that stop before they are done: by suspension, and by checkpoints if tasks make any. In seconds of work. */
export class KeptWork {
  readonly #work: Work
  readonly #checkpoints: Checkpoints | undefined

  constructor(work: Work, checkpoints: Checkpoints | undefined) {
    this.#work = work
    this.#checkpoints = checkpoints
  }

  /** What a task that starts has left of `alone`, the time that it takes from its beginning, with what its checkpoints take. */
  rest({ job, stage }: TaskStart, task: TaskId, alone: Seconds): Seconds {
    if (this.#checkpoints === undefined || stage.phases !== undefined) return Math.max(0, alone - this.#work.worked(task))
    return this.#checkpoints.start(job, task, alone)
  }

  /** What is kept of a task that is suspended `ran` after it started or resumed, minus what was kept before. */
  suspend(task: TaskId, job: JobId, ran: Seconds): Seconds {
    this.#work.suspended.ran(task, ran)
    return this.#hasCheckpoints(task, job) ? (this.#checkpoints as Checkpoints).keep(job, task, ran) : ran
  }

  /** The same for one that will start again. */
  stop(task: TaskId, job: JobId, ran: Seconds, isPreempted: boolean): Seconds {
    const before = this.#work.worked(task)
    this.#work.suspended.forget(task)
    return this.#hasCheckpoints(task, job) ? (this.#checkpoints as Checkpoints).cut(job, task, ran, isPreempted) : -before
  }

  /** Forgets an attempt that will not go on. Returns what was kept of it. */
  retire(task: TaskId, job: JobId): Seconds {
    return this.#hasCheckpoints(task, job) ? (this.#checkpoints as Checkpoints).retire(job, task) : 0
  }

  /** What a suspended task loses that will start anew: what it has not saved. */
  lose(task: TaskId, job: JobId): Seconds {
    return this.#hasCheckpoints(task, job) ? (this.#checkpoints as Checkpoints).lose(job, task) : this.#work.worked(task)
  }

  /** A task is done. */
  done(task: TaskId, job: JobId): void {
    this.#checkpoints?.done(job, task)
  }

  /** Forgets what is known under a job id that is about to be reused. */
  forget(job: JobId): void {
    this.#checkpoints?.forget(job)
  }

  #hasCheckpoints(task: TaskId, job: JobId): boolean {
    return this.#checkpoints !== undefined && this.#work.spec(job).stages[this.#work.stageOf(task)]?.phases === undefined
  }
}

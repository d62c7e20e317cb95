import { WrappedRound, type JobId, type NodeId, type Round, type TaskId } from '@sched/core'

/** A round in which only some jobs start. */
export class OnlyRound extends WrappedRound {
  #may!: (job: JobId) => boolean

  of(round: Round, may: (job: JobId) => boolean): Round {
    this.inner = round
    this.#may = may
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.#may(job) && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#may(this.work.jobOf(task)) && this.inner.claim(task, node)
  }
}

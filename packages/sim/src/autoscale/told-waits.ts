import type { JobId, ScaledGroup } from '@sched/core'
import type { WaitingTasks } from './waiting-tasks.js'

const AT_MAXIMUM = 'autoscaler at its maximum'
const NO_GROUP = 'no group grows for it'
const EXPENDABLE = 'priority below the cutoff'

/** What the autoscaler says of jobs that wait for room, at one look: of several of its tasks what it says first. */
export class ToldWaits {
  readonly #why = new Map<JobId, string>()

  /** A job waits for nodes of a group that were asked for. */
  onTheWay(job: JobId, { name }: ScaledGroup): void {
    this.#say(job, `${name === undefined ? 'new nodes' : `nodes of ${name}`} on their way`)
  }

  /** No nodes are asked for; `mayTake`: whether nodes of any group would take such a task. */
  refused(waiting: readonly WaitingTasks[], mayTake: (task: WaitingTasks) => boolean): void {
    for (const each of waiting) this.#say(each.job, mayTake(each) ? AT_MAXIMUM : NO_GROUP)
  }

  /** Jobs for which no nodes are asked for, since their priority is too low. */
  expendable(jobs: readonly JobId[]): void {
    for (const job of jobs) this.#say(job, EXPENDABLE)
  }

  [Symbol.iterator](): Iterator<[JobId, string]> {
    return this.#why.entries()
  }

  #say(job: JobId, why: string): void {
    if (!this.#why.has(job)) this.#why.set(job, why)
  }
}

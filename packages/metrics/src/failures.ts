import type { ClusterView, EndRow, JobId, LaneId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { Losses, type Evictions } from './preemption.js'

/** Counts tasks that failed by themselves, with others of their gang, or with their job, and the work lost with them. */
export const failures = (): FailureMetrics => new FailureMetrics()

export class FailureMetrics implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  readonly #lost = new Losses()

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onTasksEnd(row: EndRow): void {
    if (row.how === 'failed') this.#lost.take(row, this.#cluster, this.#work)
  }

  onWorkLost(task: TaskId, _job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds): void {
    if (how === 'failed') this.#lost.takeSuspended(task, lane, seconds, this.#cluster, this.#work)
  }

  /** `undefined` if no task failed. */
  result(): Evictions | undefined {
    const result = this.#lost.result()
    return result.tasks === 0 ? undefined : result
  }
}

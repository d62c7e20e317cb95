import type { ClusterView, EndRow, JobId, LaneId, Observer, Seconds, StartRow, TaskEnd, TaskId, WorkView } from '@sched/core'
import { Losses, type Evictions } from './preemption.js'

/** Copies of slow tasks, and what they cost. */
export interface SpeculationResult {
  /** Copies that started. */
  readonly copies: number
  /** Copies that were done before their tasks. */
  readonly won: number
  /** Attempts, tasks or their copies, that were stopped because the other one was done, and their work, which was in vain. */
  readonly superseded: Evictions
}

/** Counts copies of tasks, and the work of attempts that were stopped because another one of their task was done. */
export const speculation = (): SpeculationMetrics => new SpeculationMetrics()

export class SpeculationMetrics implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  #copies = 0
  #won = 0
  readonly #superseded = new Losses()

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onTasksStart({ count, tasks }: StartRow): void {
    this.#copies += this.#copiesIn(tasks, count)
  }

  onTasksEnd(row: EndRow): void {
    if (row.how === 'done') this.#won += this.#copiesIn(row.tasks, row.count)
    else if (row.how === 'superseded') this.#superseded.take(row, this.#cluster, this.#work)
  }

  /** Adds work that was kept of a task which does not run; it counted when it was stopped. */
  onWorkLost(task: TaskId, _job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds): void {
    if (how === 'superseded') this.#superseded.add(task, lane, seconds, this.#cluster, this.#work)
  }

  #copiesIn(tasks: readonly TaskId[], count: number): number {
    if (!this.#work.areCopies) return 0
    let copies = 0
    for (let i = 0; i < count; i++) if (this.#work.isCopy(tasks[i] as TaskId)) copies++
    return copies
  }

  /** `undefined` if no copy started. */
  result(): SpeculationResult | undefined {
    return this.#copies === 0 ? undefined : { copies: this.#copies, won: this.#won, superseded: this.#superseded.result() }
  }
}

import type { ClusterView, EndRow, JobId, LaneId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { naturalOrder } from './natural-order.js'

/** Work thrown away by evictions, with nodes, or by tasks that failed. */
export interface Evictions {
  /** Number of tasks that were taken from their nodes; one that is taken twice counts twice. */
  readonly tasks: number
  /** Seconds that the tasks had run, less those whose work they had saved. */
  readonly taskSeconds: Seconds
  /** The same times each task's demand, by resource: slot seconds. Only resources that were lost. */
  readonly lost: Readonly<Record<string, number>>
}

/** Tasks that were killed for others, and the time lost. */
export interface PreemptionResult extends Evictions {
  /** Queues that lost tasks, by name. */
  readonly queues: readonly ({ readonly queue: string } & Evictions)[]
}

/** Tasks evicted and the work lost with them, by the queue that lost them. Tasks that were lost or failed are not counted. */
export const preemption = (): Preemption => new Preemption()

export class Preemption implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  readonly #all = new Losses()
  readonly #queues = new Map<string, Losses>()

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onTasksEnd(row: EndRow): void {
    if (row.how !== 'evicted') return
    this.#all.take(row, this.#cluster, this.#work)
    this.#queueOf(row.job).take(row, this.#cluster, this.#work)
  }

  /** Of a job that was suspended, which counted as evicted then, and is given up. */
  onWorkLost(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds): void {
    if (how !== 'evicted') return
    for (const losses of [this.#all, this.#queueOf(job)]) losses.add(task, lane, seconds, this.#cluster, this.#work)
  }

  #queueOf(job: JobId): Losses {
    const name = this.#work.queueName(this.#work.queue(job))
    let queue = this.#queues.get(name)
    if (queue === undefined) this.#queues.set(name, (queue = new Losses()))
    return queue
  }

  result(): PreemptionResult {
    const queues = [...this.#queues].sort(([a], [b]) => naturalOrder(a, b))
    return { ...this.#all.result(), queues: queues.map(([queue, losses]) => ({ queue, ...losses.result() })) }
  }
}

/** Tasks that ended before they were done, added up. */
export class Losses {
  #tasks = 0
  #taskSeconds = 0
  readonly #lost = new Map<string, number>()

  take({ lane, count, tasks, started, stopped, saved }: EndRow, cluster: ClusterView, work: WorkView): void {
    const seconds = stopped - started - saved
    this.#tasks += count
    for (let i = 0; i < count; i++) this.add(tasks[i] as TaskId, lane, seconds, cluster, work)
  }

  /** A suspended task is taken that had so much work behind it. */
  takeSuspended(task: TaskId, lane: LaneId, seconds: Seconds, cluster: ClusterView, work: WorkView): void {
    this.#tasks++
    this.add(task, lane, seconds, cluster, work)
  }

  /** Work of a task that is counted already, or need not be. */
  add(task: TaskId, lane: LaneId, seconds: Seconds, cluster: ClusterView, work: WorkView): void {
    this.#taskSeconds += seconds
    const shape = work.shapeOf(task)
    for (const resource of cluster.lanes[lane]?.resources ?? []) {
      const amount = work.demand(shape, resource) * seconds
      const name = cluster.resources[resource] as string
      if (amount > 0) this.#lost.set(name, (this.#lost.get(name) ?? 0) + amount)
    }
  }

  result(): Evictions {
    const lost = [...this.#lost].sort(([a], [b]) => naturalOrder(a, b))
    return { tasks: this.#tasks, taskSeconds: this.#taskSeconds, lost: Object.fromEntries(lost) }
  }
}

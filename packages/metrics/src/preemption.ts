import type { ClusterView, EndRow, JobId, LaneId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { naturalOrder } from './natural-order.js'

/** Work lost by evictions, with nodes, or by failed tasks. */
export interface Evictions {
  /** Number of tasks taken from their nodes; a task counts each time. */
  readonly tasks: number
  /** Seconds that these tasks had run, minus the seconds of work that they had saved. */
  readonly taskSeconds: Seconds
  /** These seconds times each task's demand, by resource: slot seconds, for example. Only resources with a loss. */
  readonly lost: Readonly<Record<string, number>>
}

/** Tasks that were preempted, and the work lost. */
export interface PreemptionResult extends Evictions {
  /** Queues that lost tasks, by name. */
  readonly queues: readonly ({ readonly queue: string } & Evictions)[]
}

/** Counts evicted tasks and the work lost with them, by the queue that lost them. Tasks that were lost or failed do not count. */
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

  /** Adds the work of a suspended task whose job is given up; the task counted as evicted when it was suspended. */
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

/** Sums over tasks that ended before they were done. */
export class Losses {
  #tasks = 0
  #taskSeconds = 0
  readonly #lost = new Map<string, number>()

  take({ lane, count, tasks, started, stopped, saved }: EndRow, cluster: ClusterView, work: WorkView): void {
    const seconds = stopped - started - saved
    this.#tasks += count
    for (let i = 0; i < count; i++) this.add(tasks[i] as TaskId, lane, seconds, cluster, work)
  }

  /** Counts a suspended task that is lost with that much work. */
  takeSuspended(task: TaskId, lane: LaneId, seconds: Seconds, cluster: ClusterView, work: WorkView): void {
    this.#tasks++
    this.add(task, lane, seconds, cluster, work)
  }

  /** Adds lost work of a task that is counted already. */
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

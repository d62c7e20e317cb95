import type { ClusterView, EndRow, JobId, LaneId, Observer, ResourceId, Seconds, TaskId, WorkView } from '@sched/core'
import { naturalOrder } from './natural-order.js'

/** Work thrown away by evictions. */
export interface Evictions {
  readonly tasks: number
  /** Seconds that the evicted tasks had run. */
  readonly taskSeconds: Seconds
  /** The same times each task's demand, by resource: slot seconds. Only resources that were lost. */
  readonly lost: Readonly<Record<string, number>>
}

export interface PreemptionResult extends Evictions {
  /** Queues that lost tasks, by name. */
  readonly queues: readonly ({ readonly queue: string } & Evictions)[]
}

/** Tasks evicted and the work lost with them, by the queue that lost them. Failed tasks are not counted. */
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

  onTasksEnd({ job, lane, count, tasks, how, started, stopped }: EndRow): void {
    if (how === 'evicted') for (let i = 0; i < count; i++) this.#evicted(tasks[i] as TaskId, job, lane, stopped - started)
  }

  result(): PreemptionResult {
    const queues = [...this.#queues].sort(([a], [b]) => naturalOrder(a, b))
    return { ...this.#all.result(), queues: queues.map(([queue, losses]) => ({ queue, ...losses.result() })) }
  }

  #evicted(task: TaskId, job: JobId, lane: LaneId, seconds: Seconds): void {
    const name = this.#work.queueName(this.#work.queue(job))
    let queue = this.#queues.get(name)
    if (queue === undefined) this.#queues.set(name, (queue = new Losses()))
    for (const losses of [this.#all, queue]) {
      losses.tasks++
      losses.taskSeconds += seconds
      for (const resource of this.#cluster.lanes[lane]?.resources ?? [])
        losses.add(this.#cluster.resources[resource] as string, this.#amount(task, resource) * seconds)
    }
  }

  #amount(task: TaskId, resource: ResourceId): number {
    return this.#work.demand(this.#work.shapeOf(task), resource)
  }
}

class Losses {
  tasks = 0
  taskSeconds = 0
  readonly #lost = new Map<string, number>()

  add(resource: string, amount: number): void {
    if (amount > 0) this.#lost.set(resource, (this.#lost.get(resource) ?? 0) + amount)
  }

  result(): Evictions {
    const lost = [...this.#lost].sort(([a], [b]) => naturalOrder(a, b))
    return { tasks: this.tasks, taskSeconds: this.taskSeconds, lost: Object.fromEntries(lost) }
  }
}

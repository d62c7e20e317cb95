import type { ClusterView, EndRow, JobId, LaneId, NodeId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { Losses, type Evictions } from './preemption.js'

/** Outages of nodes, and what they cost. */
export interface OutagesResult {
  /** Number of outages; outages of one node that overlap count as one. */
  readonly outages: number
  /** Seconds that nodes were down, summed over nodes. */
  readonly nodeSeconds: Seconds
  /** Fraction of the time of all nodes in which they were up, in [0, 1]. */
  readonly availability: number
  /** Tasks lost with failing nodes, and the work lost with them. */
  readonly lost: Evictions
}

/** Measures outages of nodes, and what was lost with them. */
export const outages = (): OutageMetrics => new OutageMetrics()

export class OutageMetrics implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  readonly #since = new Map<NodeId, Seconds>()
  readonly #lost = new Losses()
  #count = 0
  #nodeSeconds = 0
  #end: Seconds = 0

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onNode(node: NodeId, up: boolean, now: Seconds): void {
    if (this.#cluster.autoscale !== undefined) return // nodes that are not asked for are no outages, and there are no others
    if (up) return this.#back(node, now)
    this.#count++
    this.#since.set(node, now)
  }

  onTasksEnd(row: EndRow): void {
    if (row.how === 'lost') this.#lost.take(row, this.#cluster, this.#work)
  }

  onWorkLost(task: TaskId, _job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds): void {
    if (how === 'lost') this.#lost.takeSuspended(task, lane, seconds, this.#cluster, this.#work)
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
    for (const node of [...this.#since.keys()]) this.#back(node, now)
  }

  /** `undefined` if no node went down. */
  result(): OutagesResult | undefined {
    if (this.#count === 0) return undefined
    const all = this.#cluster.nodes * this.#end
    return { outages: this.#count, nodeSeconds: this.#nodeSeconds, availability: all > 0 ? 1 - this.#nodeSeconds / all : NaN, lost: this.#lost.result() }
  }

  #back(node: NodeId, now: Seconds): void {
    this.#nodeSeconds += now - (this.#since.get(node) as Seconds)
    this.#since.delete(node)
  }
}

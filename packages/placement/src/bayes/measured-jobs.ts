import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import type { NodeAt } from './activity.js'
import type { ClusterShape, Plan } from './plan.js'
import { planOf, rackLayout, type RackLayout } from './rack-layout.js'

/** The measurements of one job in a run: a sample to learn from, once it is labelled. */
export interface MeasuredJob {
  /** Id of the job in the workload. */
  readonly job: string
  /** Tasks of its first stage that were done, by rack and node. */
  readonly plan: Plan
  /** Bytes that each pair of nodes in different racks exchanged, both directions together, in the order of the ids of the nodes. */
  readonly pairs: readonly (readonly [a: NodeAt, b: NodeAt, bytes: number])[]
  /** Bytes fetched from the same node. */
  readonly local: number
  /** Bytes fetched from another node of the same rack. */
  readonly rack: number
  /** Bytes fetched from other racks. */
  readonly cross: number
}

/**
 * An observer that measures jobs and calls `onJob` as each ends: on which nodes its first stage ran and what it fetched. Bytes are known only if the run has a
 * network. Bytes fetched by tasks that were killed count too, since they were moved.
 */
export function measuredJobs(onJob: (job: MeasuredJob, cluster: ClusterShape) => void): Observer {
  return new Measuring(onJob)
}

interface Counts {
  readonly tasks: Map<NodeId, number>
  /** Bytes by pair of nodes, with the key `lower node * nodes + higher node`. */
  readonly pairs: Map<number, number>
  local: number
  rack: number
  cross: number
}

class Measuring implements Observer {
  readonly #onJob: (job: MeasuredJob, cluster: ClusterShape) => void
  readonly #counts: (Counts | undefined)[] = []
  #work!: WorkView
  #layout!: RackLayout

  constructor(onJob: (job: MeasuredJob, cluster: ClusterShape) => void) {
    this.#onJob = onJob
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    this.#layout = rackLayout(cluster)
  }

  onSubmit(job: JobId): void {
    this.#counts[job] = { tasks: new Map(), pairs: new Map(), local: 0, rack: 0, cross: 0 }
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, node: NodeId): void {
    if (this.#work.stageOf(task) === 0) addTo(this.#counts[job]?.tasks, node, 1)
  }

  onTaskEnd(task: TaskId, job: JobId, _lane: LaneId, node: NodeId, how: TaskEnd): void {
    if (how !== 'done' && this.#work.stageOf(task) === 0) addTo(this.#counts[job]?.tasks, node, -1)
  }

  onFetch(job: JobId, from: NodeId, to: NodeId, bytes: number): void {
    const counts = this.#counts[job]
    if (counts === undefined) return
    const { rackOf } = this.#layout
    if (from === to) counts.local += bytes
    else if (rackOf[from] === rackOf[to]) counts.rack += bytes
    else {
      counts.cross += bytes
      addTo(counts.pairs, Math.min(from, to) * rackOf.length + Math.max(from, to), bytes)
    }
  }

  onJobEnd(job: JobId, { id }: JobSpec, _now: Seconds): void {
    const counts = this.#counts[job]
    this.#counts[job] = undefined
    if (counts === undefined) return
    const { tasks, local, rack, cross } = counts
    const plan = planOf(this.#layout, (node) => tasks.get(node) ?? 0)
    this.#onJob({ job: id, plan, pairs: this.#pairs(counts), local, rack, cross }, this.#layout.shape)
  }

  #pairs({ pairs }: Counts): MeasuredJob['pairs'] {
    const nodes = this.#layout.rackOf.length
    return [...pairs].sort(([a], [b]) => a - b).map(([key, bytes]) => [this.#at(Math.floor(key / nodes) as NodeId), this.#at((key % nodes) as NodeId), bytes] as const)
  }

  #at(node: NodeId): NodeAt {
    const rack = this.#layout.rackOf[node] as number
    return [rack, this.#layout.racks[rack]?.indexOf(node) ?? 0]
  }
}

function addTo<Key>(counts: Map<Key, number> | undefined, key: Key, by: number): void {
  counts?.set(key, (counts.get(key) ?? 0) + by)
}

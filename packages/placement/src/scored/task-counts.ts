import type { ClusterView, JobId, NodeId, TaskId, WorkListener } from '@sched/core'

/** Tasks in a rack. */
export interface InRack {
  total: number
  /** The number of tasks by node; only nodes that have any. */
  readonly onNode: Map<NodeId, number>
}

/** Running tasks by group (a job, a user, a queue), rack and node, kept by the hooks of a placement: of its scheduler's jobs alone. */
export class TaskCounts {
  readonly hooks: WorkListener
  /** Another count, kept in a way of its own: it is told after each task has been counted here. */
  watcher: ((job: JobId, task: TaskId, node: NodeId, by: 1 | -1) => void) | undefined
  readonly #cluster: ClusterView
  /** Per group: racks with tasks. */
  readonly #counts = new Map<number, Map<number, InRack>>()

  constructor(cluster: ClusterView, groupOf: (job: JobId) => number = (job) => job) {
    this.#cluster = cluster
    this.hooks = {
      onClaim: (job, _lane, task, node) => {
        this.#count(groupOf(job), node, 1)
        this.watcher?.(job, task, node, 1)
      },
      onRelease: (job, _lane, task, node) => {
        this.#count(groupOf(job), node, -1)
        this.watcher?.(job, task, node, -1)
      },
    }
  }

  onNode(group: number, node: NodeId): number {
    return this.#counts.get(group)?.get(rackOf(this.#cluster, node))?.onNode.get(node) ?? 0
  }

  inRack(group: number, node: NodeId): number {
    return this.#counts.get(group)?.get(rackOf(this.#cluster, node))?.total ?? 0
  }

  /** The racks with tasks of a group; `undefined` if there are none. */
  racks(group: number): ReadonlyMap<number, Readonly<InRack>> | undefined {
    return this.#counts.get(group)
  }

  #count(group: number, node: NodeId, by: 1 | -1): void {
    let racks = this.#counts.get(group)
    if (racks === undefined) this.#counts.set(group, (racks = new Map<number, InRack>()))
    const rack = rackOf(this.#cluster, node)
    let counts = racks.get(rack)
    if (counts === undefined) racks.set(rack, (counts = { total: 0, onNode: new Map() }))
    counts.total += by
    const here = (counts.onNode.get(node) ?? 0) + by
    if (here === 0) counts.onNode.delete(node)
    else counts.onNode.set(node, here)
    if (counts.total === 0) racks.delete(rack)
    if (racks.size === 0) this.#counts.delete(group)
  }
}

/** The nodes of each rack, lowest first, by rack. */
export function nodesByRack(cluster: ClusterView): NodeId[][] {
  const racks: NodeId[][] = []
  for (let node = 0 as NodeId; node < cluster.nodes; node++) (racks[rackOf(cluster, node)] ??= []).push(node)
  return racks
}

/** On a cluster without racks the node stands for its own. */
export const rackOf = (cluster: ClusterView, node: NodeId): number => cluster.group(Math.min(1, cluster.levels - 1), node)

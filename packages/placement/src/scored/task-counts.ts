import type { ClusterView, JobId, NodeId, WorkListener } from '@sched/core'

/** Running tasks by group (a job, a user, a queue), node and rack, kept by the hooks of a placement: of its scheduler's jobs alone. */
export class TaskCounts {
  readonly hooks: WorkListener
  readonly #cluster: ClusterView
  /** Per group: tasks by node, and by rack as `-1 - rack`. */
  readonly #counts = new Map<number, Map<number, number>>()

  constructor(cluster: ClusterView, groupOf: (job: JobId) => number = (job) => job) {
    this.#cluster = cluster
    this.hooks = {
      onClaim: (job, _lane, _task, node) => this.#count(groupOf(job), node, 1),
      onRelease: (job, _lane, _task, node) => this.#count(groupOf(job), node, -1),
    }
  }

  onNode(group: number, node: NodeId): number {
    return this.#counts.get(group)?.get(node) ?? 0
  }

  inRack(group: number, node: NodeId): number {
    return this.#counts.get(group)?.get(this.#rackOf(node)) ?? 0
  }

  #count(group: number, node: NodeId, by: 1 | -1): void {
    let counts = this.#counts.get(group)
    if (counts === undefined) this.#counts.set(group, (counts = new Map<number, number>()))
    for (const place of [node, this.#rackOf(node)]) {
      const count = (counts.get(place) ?? 0) + by
      if (count === 0) counts.delete(place)
      else counts.set(place, count)
    }
    if (counts.size === 0) this.#counts.delete(group)
  }

  /** On a cluster without racks the node stands for its own. */
  #rackOf(node: NodeId): number {
    return -1 - this.#cluster.group(Math.min(1, this.#cluster.levels - 1), node)
  }
}

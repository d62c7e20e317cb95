import type { ClusterView, NodeId } from '@sched/core'

/** The number of nodes that are up, which alone YARN's schedulers count as nodes of the cluster (ClusterNodeTracker.nodeCount). */
export class NodesUp {
  count = 0
  readonly #cluster: ClusterView

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
    this.refresh()
  }

  /** Counts anew, after a node went down or came up. */
  refresh(): void {
    this.count = 0
    for (let node = 0; node < this.#cluster.nodes; node++) if (this.#cluster.up(node as NodeId)) this.count++
  }
}

import type { ClusterView, ResourceId } from '@sched/core'

/**
 * Notices changes of a cluster's capacity. Scores relative to the capacity change for all nodes when one goes down or comes back, while the cluster's log of
 * changes tells only of that node.
 */
export class SeenCapacity {
  readonly #seen: number[] = []

  /** Whether the cluster has another capacity of any resource than at the last call. */
  hasChanged(cluster: ClusterView): boolean {
    let hasChanged = false
    for (let r = 0 as ResourceId; r < cluster.resources.length; r++) {
      const capacity = cluster.capacity(r)
      hasChanged ||= this.#seen[r] !== capacity
      this.#seen[r] = capacity
    }
    return hasChanged
  }
}

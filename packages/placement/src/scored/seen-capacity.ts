import type { ClusterView, ResourceId } from '@sched/core'

/** What a cluster had of each resource when it was looked at last: scores that are parts of it change for all nodes when one goes or comes back. */
export class SeenCapacity {
  readonly #seen: number[] = []

  /** Whether it has more or less of a resource than when this was asked last. */
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

import type { ClusterView, NodeId, ResourceId } from '@sched/core'

/**
 * Nodes by the amounts in use on them, least first: by memory, or the first resource, then by the others; ties by id. A heap: only the first node may change,
 * and `renew` then puts it where it belongs.
 *
 * Source: Hadoop 3, ResourceUsageMultiNodeLookupPolicy, which sorts anew at an interval.
 */
export class LeastUsedNodes {
  readonly #cluster: ClusterView
  readonly #resources: readonly ResourceId[]
  readonly #heap: NodeId[]

  /** `resources`: the resources in the order in which they are compared. */
  constructor(nodes: readonly NodeId[], cluster: ClusterView, resources: readonly ResourceId[]) {
    this.#cluster = cluster
    this.#resources = resources
    this.#heap = [...nodes].sort((a, b) => this.#compare(a, b))
  }

  get first(): NodeId | undefined {
    return this.#heap[0]
  }

  /** Removes the first node. */
  drop(): void {
    const last = this.#heap.pop()
    if (this.#heap.length === 0 || last === undefined) return
    this.#heap[0] = last
    this.renew()
  }

  /** Puts the first node where it belongs after the amounts in use on it have changed. */
  renew(): void {
    const heap = this.#heap
    const moved = heap[0] as NodeId
    let at = 0
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && this.#compare(heap[below + 1] as NodeId, heap[below] as NodeId) < 0) below++
      if (this.#compare(moved, heap[below] as NodeId) <= 0) break
      heap[at] = heap[below] as NodeId
      at = below
    }
    heap[at] = moved
  }

  #compare(a: NodeId, b: NodeId): number {
    for (const r of this.#resources) {
      const difference = this.#used(a, r) - this.#used(b, r)
      if (difference !== 0) return difference
    }
    return a - b
  }

  #used(node: NodeId, resource: ResourceId): number {
    return this.#cluster.total(node, resource) - this.#cluster.free(node, resource)
  }
}

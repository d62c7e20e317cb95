import type { ClusterView, NodeId, ResourceId, Seconds } from '@sched/core'

/**
 * What a framework has declined is not offered to it again for a while: the same node with at most the declined amount of every resource. With more
 * of any it is offered at once. As in Mesos, the unused part of a used offer counts as declined, too, and the time lasts at least until the next
 * offers are made.
 *
 * Source: Mesos, hierarchical allocator, RefusedOfferFilter. Deviation: for each node only the last refusal counts.
 */
export class Refusals {
  readonly #seconds: Seconds
  readonly #until: Float64Array
  /** Declined amounts, `[node * resources + resource]`. */
  readonly #declined: Float64Array
  readonly #width: number

  constructor({ nodes, resources }: ClusterView, seconds: Seconds, batch: Seconds) {
    this.#seconds = Math.max(seconds, batch)
    this.#width = resources.length
    this.#until = new Float64Array(nodes).fill(-Infinity)
    this.#declined = new Float64Array(nodes * this.#width)
  }

  /** Whether this amount on the node must not be offered now. */
  refuses(node: NodeId, offered: (resource: ResourceId) => number, now: Seconds): boolean {
    if ((this.#until[node] as number) < now) return false
    for (let r = 0; r < this.#width; r++) if (offered(r as ResourceId) > (this.#declined[node * this.#width + r] as number)) return false
    return true
  }

  /** Records the answer to an offer of these nodes; `stock` has what is left of it. */
  answer(nodes: readonly NodeId[], stock: ClusterView, now: Seconds): void {
    for (const node of nodes) {
      const left = stock.resources.map((_, r) => stock.free(node, r as ResourceId))
      if (left.every((amount) => amount === 0)) continue
      this.#until[node] = now + this.#seconds
      this.#declined.set(left, node * this.#width)
    }
  }
}

import type { ClusterView, NodeId, ResourceId, Seconds } from '@sched/core'

/**
 * What a framework has declined is not offered to it again for a while: a node with as much as it left there, or less of
 * every resource. With more it is offered at once. As in Mesos, also what it left of an offer that it used in part counts
 * as declined, and the while is long enough for the next offers to be made.
 *
 * Source: Mesos, hierarchical allocator, RefusedOfferFilter. Deviation: of a node the last refusal counts.
 */
export class Refusals {
  readonly #seconds: Seconds
  readonly #until: Float64Array
  /** What was declined, `[node * resources + resource]`. */
  readonly #declined: Float64Array
  readonly #width: number

  constructor({ nodes, resources }: ClusterView, seconds: Seconds, batch: Seconds) {
    this.#seconds = Math.max(seconds, batch)
    this.#width = resources.length
    this.#until = new Float64Array(nodes).fill(-Infinity)
    this.#declined = new Float64Array(nodes * this.#width)
  }

  /** Whether an offer of so much on the node is not to be made now. */
  refuses(node: NodeId, offered: (resource: ResourceId) => number, now: Seconds): boolean {
    if ((this.#until[node] as number) < now) return false
    for (let r = 0; r < this.#width; r++) if (offered(r as ResourceId) > (this.#declined[node * this.#width + r] as number)) return false
    return true
  }

  /** The offer of these nodes is answered; `stock` has what is left of it. */
  answer(nodes: readonly NodeId[], stock: ClusterView, now: Seconds): void {
    for (const node of nodes) {
      const left = stock.resources.map((_, r) => stock.free(node, r as ResourceId))
      if (left.every((amount) => amount === 0)) continue
      this.#until[node] = now + this.#seconds
      this.#declined.set(left, node * this.#width)
    }
  }
}

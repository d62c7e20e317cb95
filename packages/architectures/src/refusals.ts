import type { NodeId, Seconds } from '@sched/core'

/** Nodes that a framework has declined are not offered to it again for a while, whatever becomes free there. */
export class Refusals {
  readonly #seconds: Seconds
  readonly #until: Float64Array
  readonly #used = new Set<NodeId>()

  constructor(nodes: number, seconds: Seconds) {
    this.#seconds = seconds
    this.#until = new Float64Array(nodes)
  }

  refuses(node: NodeId, now: Seconds): boolean {
    return (this.#until[node] as number) > now
  }

  /** The framework uses something of the node. */
  use(node: NodeId): void {
    this.#used.add(node)
  }

  /** The offer of these nodes is answered. */
  answer(nodes: readonly NodeId[], now: Seconds): void {
    for (const node of nodes) if (!this.#used.has(node)) this.#until[node] = now + this.#seconds
    this.#used.clear()
  }
}

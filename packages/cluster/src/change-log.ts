import { portableLog2, type ChangeLog, type NodeId } from '@sched/core'

/** The nodes on which something changed lately, in a ring. */
export class NodeChanges implements ChangeLog {
  readonly kept: number
  count = 0
  readonly #nodes: Int32Array

  /** Room for four changes per node, as a power of two up to 4096: who is further behind looks at every node, which then costs less. */
  constructor(nodes: number) {
    this.kept = Math.min(4096, 2 ** Math.ceil(portableLog2(4 * Math.max(4, nodes))))
    this.#nodes = new Int32Array(this.kept)
  }

  node(change: number): NodeId {
    return this.#nodes[change & (this.kept - 1)] as NodeId
  }

  add(node: NodeId): void {
    this.#nodes[this.count++ & (this.kept - 1)] = node
  }

  /** Anything may have changed: readers must look at every node. */
  all(): void {
    this.count += this.kept + 1
  }
}

import { portableLog2, type ChangeLog, type NodeId } from '@sched/core'

/** The nodes on which something changed lately, in a ring buffer. */
export class NodeChanges implements ChangeLog {
  readonly kept: number
  count = 0
  readonly #nodes: Int32Array

  /**
   * Room for four changes per node, rounded up to a power of two, at most 4096. A reader that is further behind looks at every node, which is then
   * cheaper.
   */
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

  /** Tells readers to look at every node: anything may have changed. */
  all(): void {
    this.count += this.kept + 1
  }
}

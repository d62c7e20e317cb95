import type { ChangeLog, NodeId } from '@sched/core'

/** The nodes on which something changed lately, in a ring. */
export class NodeChanges implements ChangeLog {
  readonly kept = 4096
  count = 0
  readonly #nodes = new Int32Array(4096)

  node(change: number): NodeId {
    return this.#nodes[change % 4096] as NodeId
  }

  add(node: NodeId): void {
    this.#nodes[this.count++ % 4096] = node
  }

  /** Anything may have changed: readers must look at every node. */
  all(): void {
    this.count += this.kept + 1
  }
}

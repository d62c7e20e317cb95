import type { NodeId } from '@sched/core'

/** Nodes in the order in which they were first added. */
export class NodeList {
  /** The members are `nodes[0]` to `nodes[count - 1]`. */
  readonly nodes: Int32Array
  count = 0
  readonly #isMember: Uint8Array

  constructor(size: number) {
    this.nodes = new Int32Array(size)
    this.#isMember = new Uint8Array(size)
  }

  add(node: NodeId): void {
    if (this.#isMember[node] === 1) return
    this.#isMember[node] = 1
    this.nodes[this.count++] = node
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.#isMember[this.nodes[i] as number] = 0
    this.count = 0
  }

  sorted(): NodeId[] {
    return Array.from(this.nodes.slice(0, this.count).sort()) as NodeId[]
  }
}

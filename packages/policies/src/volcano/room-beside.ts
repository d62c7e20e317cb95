import type { NodeId, ResourceId, Round } from '@sched/core'
import type { Queue } from './queue.js'
import type { Hindrance } from './standstill.js'

/** The hindrance that no node with tasks of a queue has more free than before; if `isExact`, each has exactly as much. */
export class RoomBeside implements Hindrance {
  readonly #resources: readonly ResourceId[]
  readonly #nodes: readonly NodeId[]
  /** Free amounts, node by node. */
  readonly #free: readonly number[]
  readonly #isExact: boolean

  constructor({ tasksOn }: Queue, resources: readonly number[], isExact: boolean, { cluster }: Round) {
    this.#isExact = isExact
    this.#resources = resources as readonly ResourceId[]
    this.#nodes = [...tasksOn.keys()]
    this.#free = this.#nodes.flatMap((node) => this.#resources.map((r) => cluster.free(node, r)))
  }

  holds({ cluster, nodes }: Round): boolean {
    if (nodes.length === 1 && cluster.nodes > 1) return false // the list of nodes is reused and may hold another node now
    const width = this.#resources.length
    for (let i = 0; i < this.#free.length; i++) {
      const free = cluster.free(this.#nodes[Math.floor(i / width)] as NodeId, this.#resources[i % width] as ResourceId)
      const before = this.#free[i] as number
      if (free > before || (this.#isExact && free < before)) return false
    }
    return true
  }
}

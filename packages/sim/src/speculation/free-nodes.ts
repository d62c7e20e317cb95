import type { CellState } from '@sched/cluster'
import { None, type NodeId, type ShapeId } from '@sched/core'

/** Nodes that have room now for tasks of a shape; what is handed out counts as gone. They are looked up as far as they are needed. */
export class FreeNodes {
  /** Tasks that a node has still room for, by ascending node, of the nodes before `#next`. */
  readonly #room = new Map<NodeId, number>()
  #next = 0

  constructor(private readonly cell: CellState, private readonly shape: ShapeId) {}

  get areAny(): boolean {
    return this.#room.size > 0 || this.#look() !== None
  }

  /** Takes room on the lowest node that is not barred; returns whether there is any. */
  take(bars: ReadonlySet<NodeId>): boolean {
    for (const node of this.#room.keys()) if (this.#takeOn(node, bars)) return true
    for (let node = this.#look(); node !== None; node = this.#look()) if (this.#takeOn(node, bars)) return true
    return false
  }

  #takeOn(node: NodeId, bars: ReadonlySet<NodeId>): boolean {
    if (bars.has(node)) return false
    const room = this.#room.get(node) as number
    if (room > 1) this.#room.set(node, room - 1)
    else this.#room.delete(node)
    return true
  }

  /** Adds the next node with room; `None` if no other has any. */
  #look(): NodeId | None {
    const { cell, shape } = this
    const { lane } = cell.shapes.of(shape)
    for (let node = cell.nextWithRoom(lane, this.#next); node !== None; node = cell.nextWithRoom(lane, this.#next)) {
      this.#next = node + 1
      const room = cell.couldTake(shape, node)
      if (room === 0) continue
      this.#room.set(node, room)
      return node
    }
    this.#next = cell.nodes
    return None
  }
}

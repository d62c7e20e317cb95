import type { CellState } from '@sched/cluster'
import { None, type NodeId, type ShapeId } from '@sched/core'

/** Nodes that have room now for tasks of a shape; what is handed out counts as gone. */
export class FreeNodes {
  /** Tasks that a node has still room for, by ascending node. */
  readonly #room = new Map<NodeId, number>()

  constructor(cell: CellState, shape: ShapeId) {
    const { lane } = cell.shapes.of(shape)
    for (let node = cell.nextWithRoom(lane, 0); node !== None; node = cell.nextWithRoom(lane, node + 1)) {
      const room = cell.couldTake(shape, node)
      if (room > 0) this.#room.set(node, room)
    }
  }

  get areAny(): boolean {
    return this.#room.size > 0
  }

  /** Takes room on the lowest node that is not barred; returns whether there is any. */
  take(bars: ReadonlySet<NodeId>): boolean {
    for (const [node, room] of this.#room) {
      if (bars.has(node)) continue
      if (room > 1) this.#room.set(node, room - 1)
      else this.#room.delete(node)
      return true
    }
    return false
  }
}

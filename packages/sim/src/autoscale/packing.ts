import type { CellState } from '@sched/cluster'
import { None, type NodeId, type ResourceId, type ShapeId } from '@sched/core'

/** Tasks that are put onto a list of nodes one after another, each onto the first with room, without anything happening there. */
export class Packing {
  /** The nodes, in order. */
  readonly nodes: NodeId[] = []
  readonly #cell: CellState
  readonly #width: number
  /** By row and resource: what is free. */
  readonly #free: number[] = []
  /** By shape: no row before this one has room for it. */
  readonly #from = new Map<ShapeId, number>()

  constructor(cell: CellState) {
    this.#cell = cell
    this.#width = cell.resources.length
  }

  /** Adds a node behind the others, with what is free there, or with nothing on it. */
  add(node: NodeId, isEmpty = false): void {
    const cell = this.#cell
    this.nodes.push(node)
    for (let r = 0; r < this.#width; r++) this.#free.push(isEmpty ? cell.total(node, r as ResourceId) : cell.free(node, r as ResourceId))
  }

  /** Puts up to `count` tasks of a shape onto the nodes, at most one on each if they must be apart. Returns how many had room. */
  put(shape: ShapeId, count: number, isApart = false): number {
    let left = count
    for (let row = this.#from.get(shape) ?? 0; row < this.nodes.length && left > 0; row++) {
      while (left > 0 && this.#fits(shape, row)) {
        this.#move(shape, row, -1)
        left--
        if (isApart) break
      }
      if (left > 0 && !isApart) this.#from.set(shape, row + 1)
    }
    return count - left
  }

  /** The same, onto the last of the nodes alone. */
  putLast(shape: ShapeId, count: number): number {
    const row = this.nodes.length - 1
    let placed = 0
    for (; placed < count && this.#fits(shape, row); placed++) this.#move(shape, row, -1)
    return placed
  }

  /** Puts one task onto the first row that `isOpen` allows; returns the row, or `None`. */
  putOne(shape: ShapeId, isOpen: (row: number) => boolean): number {
    let lowest = -1
    for (let row = this.#from.get(shape) ?? 0; row < this.nodes.length; row++) {
      if (!this.#fits(shape, row)) continue
      if (lowest < 0) this.#from.set(shape, (lowest = row))
      if (!isOpen(row)) continue
      this.#move(shape, row, -1)
      return row
    }
    if (lowest < 0) this.#from.set(shape, this.nodes.length)
    return None
  }

  /** Takes a task away again. */
  takeBack(shape: ShapeId, row: number): void {
    this.#move(shape, row, 1)
    for (const [each, from] of this.#from) if (from > row) this.#from.set(each, row)
  }

  #fits(shape: ShapeId, row: number): boolean {
    const { shapes } = this.#cell
    const { resources, amounts, count } = shapes.of(shape)
    for (let i = 0; i < count; i++) if ((this.#free[row * this.#width + (resources[i] as number)] as number) < (amounts[i] as number)) return false
    return shapes.allows(shape, this.nodes[row] as NodeId)
  }

  #move(shape: ShapeId, row: number, sign: 1 | -1): void {
    const { resources, amounts, count } = this.#cell.shapes.of(shape)
    for (let i = 0; i < count; i++) {
      const at = row * this.#width + (resources[i] as number)
      this.#free[at] = (this.#free[at] as number) + sign * (amounts[i] as number)
    }
  }
}

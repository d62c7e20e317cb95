import type { CellState, Work } from '@sched/cluster'
import { None, type NodeId, type ResourceId, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import { Packing } from './packing.js'

/**
 * Nodes that could be removed: little of them is in use, and all that runs there would have room on other nodes, when what runs on the others that
 * could go has moved, too. Idle nodes are looked at first, then those that could go before, then others, each from the last node on.
 *
 * Source: Cluster Autoscaler, scale-down planner and eligibility. Deviations: of nodes with devices these count, and otherwise the resource of which
 * most is in use (processors and memory there); a node that must stay is looked at again the next time (there after five minutes); disruption
 * budgets do not count.
 */
export class UnneededNodes {
  /** By node: since when it could be removed. */
  readonly since = new Map<NodeId, Seconds>()
  readonly #cell: CellState
  readonly #work: Work

  constructor(cell: CellState, work: Work) {
    this.#cell = cell
    this.#work = work
  }

  forget(): void {
    this.since.clear()
  }

  isIdle(node: NodeId): boolean {
    return this.#heldOf(node).every((held) => held === 0)
  }

  /** Looks at the candidates, nodes that are up, and notes since when each could be removed. `up`: all nodes that are up. */
  update(candidates: readonly NodeId[], up: readonly NodeId[], threshold: number, now: Seconds): void {
    const unneeded = this.#find(candidates.filter((node) => this.#use(node) < threshold), up)
    for (const node of [...this.since.keys()]) if (!unneeded.has(node)) this.since.delete(node)
    for (const node of unneeded) if (!this.since.has(node)) this.since.set(node, now)
  }

  #find(candidates: readonly NodeId[], up: readonly NodeId[]): Set<NodeId> {
    const unneeded = new Set(candidates.filter((node) => this.isIdle(node)))
    const rest = candidates.filter((node) => !unneeded.has(node)).sort((a, b) => Number(this.since.has(b)) - Number(this.since.has(a)) || b - a)
    if (rest.length === 0) return unneeded
    const tasks = this.#tasksOn(new Set(rest))
    const packing = new Packing(this.#cell)
    for (const node of up) packing.add(node)
    /** By row: shapes that have moved there. */
    const moved = new Map<number, ShapeId[]>()
    const isOpen = (row: number) => !unneeded.has(packing.nodes[row] as NodeId)
    for (const node of rest) {
      const here = tasks.get(node) ?? []
      if (!this.#areAll(here, node) || here.some((task) => !this.#work.movable(this.#work.jobOf(task)))) continue
      const row = packing.nodes.indexOf(node)
      if (this.#move([...here.map((task) => this.#work.shapeOf(task)), ...(moved.get(row) ?? [])], row, packing, moved, isOpen)) unneeded.add(node)
    }
    return unneeded
  }

  /** Moves all shapes from a row to others, or none of them. */
  #move(shapes: readonly ShapeId[], from: number, packing: Packing, moved: Map<number, ShapeId[]>, isOpen: (row: number) => boolean): boolean {
    const rows: number[] = []
    for (const shape of shapes) {
      const row = packing.putOne(shape, (each) => each !== from && isOpen(each))
      if (row === None) {
        for (const [i, each] of rows.entries()) packing.takeBack(shapes[i] as ShapeId, each)
        return false
      }
      rows.push(row)
    }
    for (const [i, row] of rows.entries()) moved.set(row, [...(moved.get(row) ?? []), shapes[i] as ShapeId])
    return true
  }

  /** Whether these tasks hold all that is held on the node: what belongs to no job, or is not there yet, cannot be moved. */
  #areAll(tasks: readonly TaskId[], node: NodeId): boolean {
    const held = this.#heldOf(node)
    for (const task of tasks) {
      const { resources, amounts } = this.#cell.shapes.of(this.#work.shapeOf(task))
      for (const [i, r] of resources.entries()) held[r] = (held[r] as number) - (amounts[i] as number)
    }
    return held.every((amount) => amount === 0)
  }

  #tasksOn(nodes: ReadonlySet<NodeId>): Map<NodeId, TaskId[]> {
    const work = this.#work
    const tasks = new Map<NodeId, TaskId[]>()
    for (const job of work.jobs())
      for (const task of work.startedOf(job)) {
        const node = work.nodeOf(task) as NodeId
        if (!nodes.has(node)) continue
        const here = tasks.get(node)
        if (here === undefined) tasks.set(node, [task])
        else here.push(task)
      }
    return tasks
  }

  #heldOf(node: NodeId): number[] {
    const cell = this.#cell
    return cell.resources.map((_, r) => cell.total(node, r as ResourceId) - cell.free(node, r as ResourceId))
  }

  /** The fraction of the node in use, of the resource of which most is. */
  #use(node: NodeId): number {
    const cell = this.#cell
    const uses = this.#heldOf(node).map((held, r) => ({ use: held / cell.total(node, r as ResourceId), r })).filter(({ r }) => cell.total(node, r as ResourceId) > 0)
    const ofDevices = uses.filter(({ r }) => cell.shapes.isDevice(r))
    return Math.max(0, ...(ofDevices.length > 0 ? ofDevices : uses).map(({ use }) => use))
  }
}

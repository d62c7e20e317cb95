import type { CellState, Work } from '@sched/cluster'
import { None, type JobId, type NodeId, type ResourceId, type Seconds, type TaskId } from '@sched/core'
import type { PackedTask, Packing } from './packing.js'

/** By which nodes are unneeded. */
export interface UnneededSettings {
  readonly scaleDownUtilizationThreshold: number
  readonly scaleDownGpuUtilizationThreshold: number
  readonly unremovableNodeRecheckTimeout: Seconds
}

/**
 * Nodes that could be removed: little of them is in use, and all that runs there would have room on other nodes, when what runs on the others that
 * could go has moved, too. Tasks that wait and have room somewhere count as if they ran there. Idle nodes are looked at first, then those that could go
 * before, then others, each from the last node on; a node that has to stay is looked at again only after some time.
 *
 * Source: Cluster Autoscaler, scale-down planner, eligibility, and sorting of candidates. Deviations: of nodes with devices these count, and otherwise
 * the resource of which most is in use (processors and memory there); all nodes are looked at (a growing number there); disruption budgets do not count.
 */
export class UnneededNodes {
  /** By node: since when it could be removed. */
  readonly since = new Map<NodeId, Seconds>()
  readonly #cell: CellState
  readonly #work: Work
  readonly #settings: UnneededSettings
  /** Of the nodes that could be removed: those on which nothing is. */
  #idle = new Set<NodeId>()
  /** By node that had to stay: when it is looked at again. */
  readonly #again = new Map<NodeId, Seconds>()

  readonly #isExpendable: (job: JobId) => boolean

  /** `isExpendable`: whether the tasks of a job do not count, nor keep a node. */
  constructor(cell: CellState, work: Work, settings: UnneededSettings, isExpendable: (job: JobId) => boolean) {
    this.#isExpendable = isExpendable
    this.#cell = cell
    this.#work = work
    this.#settings = settings
  }

  /** Whether nothing is on a node that could be removed. */
  isIdle(node: NodeId): boolean {
    return this.#idle.has(node)
  }

  /** A node has gone. */
  forget(node: NodeId): void {
    this.since.delete(node)
    this.#again.delete(node)
  }

  /** When a node that had to stay is looked at again, the first of them; `Infinity`: none. */
  nextLook(): Seconds {
    let next = Infinity
    for (const time of this.#again.values()) next = Math.min(next, time)
    return next
  }

  /**
   * Notes since when each of the candidates could be removed. `packing`: all nodes that are up, with what runs there and the waiting tasks that have
   * room; it is used up. Returns whether other nodes could be removed than before.
   */
  update(candidates: readonly NodeId[], packing: Packing, now: Seconds): boolean {
    for (const [node, time] of this.#again) if (time <= now) this.#again.delete(node)
    const rows = new Map(packing.nodes.map((node, row) => [node, row]))
    const open = candidates.filter((node) => !this.#again.has(node)).map((node) => ({ node, row: rows.get(node) as number })).filter(({ row }) => this.#isLittleUsed(packing, row))
    this.#find(open, packing, now)
    const unneeded = new Set(open.filter(({ row }) => packing.isClosed(row)).map(({ node }) => node))
    const lost = [...this.since.keys()].filter((node) => !unneeded.has(node))
    const found = [...unneeded].filter((node) => !this.since.has(node))
    for (const node of lost) this.since.delete(node)
    for (const node of found) this.since.set(node, now)
    return lost.length + found.length > 0
  }

  /** Closes the rows of nodes that could be removed. */
  #find(candidates: readonly { readonly node: NodeId; readonly row: number }[], packing: Packing, now: Seconds): void {
    const { unremovableNodeRecheckTimeout } = this.#settings
    const areIdle = candidates.map(({ row }) => this.#isEmpty(packing, row))
    const idle = candidates.filter((_, i) => areIdle[i] === true)
    for (const { row } of idle) packing.close(row)
    this.#idle = new Set(idle.map(({ node }) => node))
    const rest = candidates.filter((_, i) => areIdle[i] === false).sort((a, b) => Number(this.since.has(b.node)) - Number(this.since.has(a.node)) || b.node - a.node)
    if (rest.length === 0) return
    const tasks = this.#tasksOn(new Set(rest.map(({ node }) => node)))
    for (const { node, row } of rest) {
      packing.close(row)
      const all = tasks.get(node) ?? []
      const here = all.filter((task) => !this.#isExpendable(this.#work.jobOf(task)))
      const mayMove = this.#areAll(all, node) && here.every((task) => this.#mayLeave(this.#work.jobOf(task)))
      if (mayMove && this.#move([...here.map((task) => this.#packed(task)), ...packing.placed(row)], packing)) continue
      packing.open(row)
      if (unremovableNodeRecheckTimeout > 0) this.#again.set(node, now + unremovableNodeRecheckTimeout)
    }
  }

  #mayLeave(job: JobId): boolean {
    return this.#work.movable(job) && this.#work.spec(job).drainable !== false
  }

  #packed(task: TaskId): PackedTask {
    return { job: this.#work.jobOf(task), shape: this.#work.shapeOf(task) }
  }

  /** Moves all tasks to rows that are open, or none of them. */
  #move(tasks: readonly PackedTask[], packing: Packing): boolean {
    const rows: number[] = []
    for (const task of tasks) {
      const row = packing.putOne(task)
      if (row === None) {
        for (const each of rows.reverse()) packing.takeBack(each)
        return false
      }
      rows.push(row)
    }
    return true
  }

  /** Whether these tasks hold all that is held on the node: what belongs to no job, or is not there yet, cannot be moved. */
  #areAll(tasks: readonly TaskId[], node: NodeId): boolean {
    const cell = this.#cell
    const held = cell.resources.map((_, r) => cell.total(node, r as ResourceId) - cell.free(node, r as ResourceId))
    for (const task of tasks) {
      const { resources, amounts } = cell.shapes.of(this.#work.shapeOf(task))
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

  #isEmpty(packing: Packing, row: number): boolean {
    return packing.placed(row).length === 0 && this.#cell.resources.every((_, r) => packing.held(row, r as ResourceId) === 0)
  }

  /** Whether less of the node is in use than the threshold, of the resource of which most is. */
  #isLittleUsed(packing: Packing, row: number): boolean {
    const cell = this.#cell
    const node = packing.nodes[row] as NodeId
    let [use, ofDevices, hasDevices] = [0, 0, false]
    for (let r = 0 as ResourceId; r < cell.resources.length; r++) {
      const total = cell.total(node, r)
      if (total === 0) continue
      const fraction = packing.held(row, r) / total
      if (cell.shapes.isDevice(r)) [hasDevices, ofDevices] = [true, Math.max(ofDevices, fraction)]
      else use = Math.max(use, fraction)
    }
    return hasDevices ? ofDevices < this.#settings.scaleDownGpuUtilizationThreshold : use < this.#settings.scaleDownUtilizationThreshold
  }
}

import type { NodeId } from '@sched/core'
import type { TaskSet } from './task-set.js'

/** Counts running tasks by group of nodes. */
export class Tally {
  /** The set of tasks that it counts; or, for rules of others, the set at which these rules aim, while the tasks with the rules are counted. */
  readonly tasks: TaskSet
  /** The group of each node, -1: none. */
  readonly groups: Int32Array
  /** Sum over all groups. */
  total = 0
  /** Number of rules that use it. */
  uses = 0
  protected readonly counts = new Map<number, number>()

  constructor(tasks: TaskSet, groups: Int32Array) {
    this.tasks = tasks
    this.groups = groups
  }

  /** The number of tasks in the group of a node; 0 if the node is in none. */
  on(node: NodeId): number {
    return this.counts.get(this.groups[node] as number) ?? 0
  }

  add(node: NodeId, by: number): void {
    const group = this.groups[node] as number
    if (group < 0) return
    const count = (this.counts.get(group) ?? 0) + by
    if (count === 0) this.counts.delete(group)
    else this.counts.set(group, count)
    this.total += by
  }
}

/** Counts tasks that are to be spread, only in groups with nodes on which they may be, and knows the fewest in any such group. */
export class SpreadTally extends Tally {
  /** Number of groups with such nodes. */
  domains = 0
  readonly #isOpen: (node: NodeId) => boolean
  /** By node: 1 if the tasks may be on it. */
  readonly #open: Uint8Array
  /** By number of tasks: how many of these groups have that many. */
  readonly #having: number[] = []
  #least = Infinity

  constructor(tasks: TaskSet, groups: Int32Array, isOpen: (node: NodeId) => boolean) {
    super(tasks, groups)
    this.#isOpen = isOpen
    this.#open = new Uint8Array(groups.length)
    this.clear()
  }

  /** The fewest tasks in any such group; 0 while there are fewer groups than `domains`; `Infinity` without any. */
  least(domains: number): number {
    return this.domains < domains ? 0 : this.#least
  }

  override add(node: NodeId, by: number): void {
    if (this.#open[node] !== 1) return
    const before = this.on(node)
    super.add(node, by)
    this.#having[before] = (this.#having[before] as number) - 1
    this.#having[before + by] = (this.#having[before + by] ?? 0) + 1
    this.#least = Math.min(this.#least, before + by)
    while ((this.#having[this.#least] ?? 0) === 0) this.#least++
  }

  /** Sets all counts to 0, and determines anew on which nodes the tasks may be. */
  clear(): void {
    this.counts.clear()
    this.total = 0
    const found = new Set<number>()
    for (let node = 0; node < this.groups.length; node++) {
      const isOpen = (this.groups[node] as number) >= 0 && this.#isOpen(node as NodeId)
      this.#open[node] = Number(isOpen)
      if (isOpen) found.add(this.groups[node] as number)
    }
    this.domains = found.size
    this.#having.length = 0
    this.#having[0] = found.size
    this.#least = found.size === 0 ? Infinity : 0
  }
}

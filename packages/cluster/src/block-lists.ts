import type { ClusterModel } from './model.js'

/** Numbers of replica entries. Where they fit, 16-bit columns halve the memory, since a scan over many stages misses the cache. */
type Links = Int16Array | Int32Array
const SHORT = 0x7fff
const END = -1
const UNLINKED = -2

/**
 * Which of a stage's tasks have their block near a node. Each level has one list of replica entries per node, rack, ..., in task order. Entry `task
 * << shift | i` is the i-th replica of a task.
 * Placing a task costs nothing here: entries of placed tasks are unlinked when a search meets them, and linked again when a task comes back.
 */
export class BlockLists {
  /** Node of each replica: `replicas[task * factor + i]`. */
  readonly replicas: Int32Array
  /** Replicas per task. */
  readonly factor: number
  readonly #groups: readonly Int32Array[]
  readonly #levels: readonly GroupLists[]
  readonly #shift: number

  /** `replicas[task * factor + i]`: nodes that hold the blocks of the stage's tasks. */
  constructor({ groups, groupNames }: ClusterModel, replicas: Int32Array, factor: number) {
    this.replicas = replicas
    this.factor = factor
    this.#groups = groups
    this.#shift = factor <= 1 ? 0 : 32 - Math.clz32(factor - 1)
    this.#levels = groups.map((groupOf, level) => new GroupLists(groupOf, groupNames[level]?.length ?? 0, replicas, factor, this.#shift))
  }

  /** The lowest unplaced task with a replica in the group, or -1. `runs[first + task]` is -1 for an unplaced task. */
  find(level: number, group: number, runs: Int32Array, first: number): number {
    return (this.#levels[level] as GroupLists).find(group, runs, first)
  }

  /** Locality level of a node for a task's block: 0 if the node has a replica, the number of levels if no replica shares a group with it. */
  level(task: number, node: number): number {
    const groups = this.#groups
    const from = task * this.factor
    for (let level = 0; level < groups.length; level++) {
      const group = (groups[level] as Int32Array)[node]
      for (let i = from; i < from + this.factor; i++)
        if ((groups[level] as Int32Array)[this.replicas[i] as number] === group) return level
    }
    return groups.length
  }

  /** Lets the blocks of a task be where those of another task are, from the next `restore` on; the task is not unplaced. */
  move(task: number, to: number): void {
    for (let i = 0; i < this.factor; i++) for (const lists of this.#levels) lists.unlink((task << this.#shift) + i)
    this.replicas.copyWithin(task * this.factor, to * this.factor, (to + 1) * this.factor)
  }

  /** Links those entries of a task again that a search has unlinked. */
  restore(task: number): void {
    for (const lists of this.#levels) for (let i = 0; i < this.factor; i++) lists.restore((task << this.#shift) + i)
  }
}

/**
 * The lists of one level. The heads are indexed by group directly if that takes at most twice as many heads as there are entries. Otherwise several
 * groups share a list (`group & mask`), and a search checks the group of each entry. So memory is bounded by the number of tasks, not by the cluster.
 */
class GroupLists {
  /** Heads of the lists, then, from `#first` on, the successor of each entry. One column, because each further column costs another cache miss. */
  readonly #links: Links
  readonly #first: number
  readonly #shift: number
  readonly #mask: number
  /** Whether each list has the entries of only one group. */
  readonly #isExact: boolean
  readonly #factor: number
  readonly #replicas: Int32Array
  /** Group of each node. */
  readonly #groups: Int32Array

  constructor(groups: Int32Array, groupCount: number, replicas: Int32Array, factor: number, shift: number) {
    this.#groups = groups
    this.#replicas = replicas
    this.#factor = factor
    this.#shift = shift
    let size = 1
    while (size < groupCount && size < 2 * replicas.length) size *= 2
    this.#mask = size - 1
    this.#isExact = size >= groupCount
    this.#first = Math.min(size, Math.max(groupCount, 1))
    const tasks = replicas.length / factor
    const Column = tasks << shift <= SHORT ? Int16Array : Int32Array
    this.#links = new Column(this.#first + (tasks << shift)).fill(END)
    this.#linkAll(tasks)
  }

  /** Links the entries from the last replica of the last task on, each at the head of its list. */
  #linkAll(tasks: number): void {
    const links = this.#links
    const first = this.#first
    const mask = this.#mask
    const groups = this.#groups
    const replicas = this.#replicas
    const shift = this.#shift
    const factor = this.#factor
    for (let task = tasks - 1, replica = replicas.length - 1; task >= 0; task--)
      for (let entry = (task << shift) + factor - 1; entry >= task << shift; entry--, replica--) {
        const head = (groups[replicas[replica] as number] as number) & mask
        links[first + entry] = links[head] as number
        links[head] = entry
      }
  }

  find(group: number, runs: Int32Array, first: number): number {
    const links = this.#links
    const shift = this.#shift
    let before = group & this.#mask
    let entry = links[before] as number
    while (entry !== END) {
      const task = entry >> shift
      const isUnplaced = runs[first + task] === -1
      if (isUnplaced && (this.#isExact || this.#groupOf(entry) === group)) return task
      const link = this.#first + entry
      entry = links[link] as number
      if (isUnplaced) before = link
      else {
        links[before] = entry
        links[link] = UNLINKED
      }
    }
    return -1
  }

  /** Takes an entry out of its list, if it is in it. */
  unlink(entry: number): void {
    const links = this.#links
    if (links[this.#first + entry] === UNLINKED) return
    let before = this.#groupOf(entry) & this.#mask
    while (links[before] !== entry) before = this.#first + (links[before] as number)
    links[before] = links[this.#first + entry] as number
    links[this.#first + entry] = UNLINKED
  }

  /** Puts an unlinked entry back in its place in task order. */
  restore(entry: number): void {
    const links = this.#links
    if (links[this.#first + entry] !== UNLINKED) return
    let before = this.#groupOf(entry) & this.#mask
    for (let at = links[before] as number; at !== END && at < entry; at = links[before] as number) before = this.#first + at
    links[this.#first + entry] = links[before] as number
    links[before] = entry
  }

  #groupOf(entry: number): number {
    const replica = (entry >> this.#shift) * this.#factor + (entry & ((1 << this.#shift) - 1))
    return this.#groups[this.#replicas[replica] as number] as number
  }
}

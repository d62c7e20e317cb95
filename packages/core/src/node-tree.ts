import type { NodeId } from './ids.js'
import type { ClusterView } from './views.js'

/** What a choice of nodes minds beside room. */
export interface NodeTreeChoice {
  /** By node: those of the least are used up before any other. Default: all are alike. */
  readonly weights?: ArrayLike<number> | undefined
  /** Leaves that are used up before others, such as those where the job is; in any order. */
  readonly first?: Iterable<number> | undefined
}

/**
 * The nodes of a cluster as leaves of a tree of switches: the racks of its description, what those stand in, and so on, with all nodes at the top. On a
 * cluster without racks all nodes are one leaf.
 *
 * `choose` names nodes for tasks that should be near each other: as few leaves as can be, and those near each other in the tree.
 *
 * Source: Slurm, `_eval_nodes_topo` of topology/tree. Deviations: nodes and room that are used up are taken off once, there processors never are, and nodes of
 * leaves that come first several times; hops are counted from leaves in use alone, there from the switches above leaves that come first, too; trees that nothing
 * connects are one.
 */
export class NodeTree {
  /** Number of leaves. */
  readonly leaves: number
  /** The level of all nodes. */
  readonly #top: number
  readonly #leafOf: Int32Array
  /** By leaf: its nodes in id order. */
  readonly #members: NodeId[][]
  /** By level and group: the group that it is in. */
  readonly #parents: readonly Int32Array[]
  // of the choice that is being made
  readonly #room: Int32Array
  /** By level and group: nodes with room, and room for tasks on them. */
  readonly #nodesIn: readonly Int32Array[]
  readonly #roomIn: readonly Int32Array[]
  /** By leaf: hops to all leaves in use together. */
  readonly #distance: Int32Array
  #left = 0

  constructor(cluster: Pick<ClusterView, 'nodes' | 'levels' | 'group' | 'groups'>) {
    const { nodes, levels } = cluster
    this.#top = Math.max(LEAF, levels)
    const group = (level: number, node: NodeId) => (level < levels ? cluster.group(level, node) : 0)
    const groups = Array.from({ length: this.#top + 1 }, (_, level) => (level < levels ? cluster.groups(level) : 1))
    this.leaves = groups[LEAF] as number
    this.#leafOf = Int32Array.from({ length: nodes }, (_, node) => group(LEAF, node as NodeId))
    this.#members = Array.from({ length: this.leaves }, () => [])
    this.#parents = groups.map((count) => new Int32Array(count))
    for (let node = 0 as NodeId; node < nodes; node++) {
      this.#members[this.#leafOf[node] as number]?.push(node)
      for (let level = LEAF; level < this.#top; level++) (this.#parents[level] as Int32Array)[group(level, node)] = group(level + 1, node)
    }
    this.#room = new Int32Array(nodes)
    this.#nodesIn = groups.map((count) => new Int32Array(count))
    this.#roomIn = groups.map((count) => new Int32Array(count))
    this.#distance = new Int32Array(this.leaves)
  }

  /** The leaf of a node. */
  leafOf(node: NodeId): number {
    return this.#leafOf[node] as number
  }

  /** The nodes of a leaf in id order. */
  nodesOf(leaf: number): readonly NodeId[] {
    return this.#members[leaf] as NodeId[]
  }

  /** Nodes for a number of tasks into `places`, one entry per task. `room[node]` is how many a node can take, 0 for one that cannot be used; their sum is at least `tasks`. */
  choose(room: ArrayLike<number>, tasks: number, places: NodeId[], { weights, first = [] }: NodeTreeChoice = {}): void {
    places.length = 0
    this.#left = tasks
    const heaviest = weights === undefined ? Infinity : heaviestNeeded(room, tasks, weights)
    this.#begin(room, (node) => weights === undefined || (weights[node] as number) <= heaviest)
    const begun = new Set(first)
    if (weights !== undefined)
      for (let node = 0 as NodeId; node < room.length; node++) {
        if ((weights[node] as number) >= heaviest || this.#room[node] === 0) continue
        this.#fill(node, places)
        begun.add(this.leafOf(node))
      }
    for (const leaf of [...begun].sort((a, b) => a - b)) this.#use(leaf, places)
    while (this.#left > 0) this.#use(this.#best(), places)
  }

  #begin(room: ArrayLike<number>, isUsable: (node: NodeId) => boolean): void {
    for (const level of [this.#nodesIn, this.#roomIn]) for (const counts of level) counts.fill(0)
    this.#distance.fill(0)
    for (let node = 0 as NodeId; node < room.length; node++) {
      const here = isUsable(node) ? (room[node] as number) : 0
      this.#room[node] = here
      if (here > 0) this.#count(node, 1, here)
    }
  }

  #count(node: NodeId, nodes: number, tasks: number): void {
    for (let level = LEAF, group = this.leafOf(node); level <= this.#top; group = this.#parents[level++]?.[group] as number) {
      add(this.#nodesIn[level] as Int32Array, group, nodes)
      add(this.#roomIn[level] as Int32Array, group, tasks)
    }
  }

  /** All of a leaf, in id order, as far as there are tasks; others are near it from then on. */
  #use(leaf: number, places: NodeId[]): void {
    for (const node of this.nodesOf(leaf)) if (this.#room[node] !== 0 && this.#left > 0) this.#fill(node, places)
    for (let other = 0; other < this.leaves; other++) add(this.#distance, other, this.#hops(leaf, other))
  }

  #fill(node: NodeId, places: NodeId[]): void {
    const room = this.#room[node] as number
    for (let i = Math.min(room, this.#left); i > 0; i--, this.#left--) places.push(node)
    this.#room[node] = 0
    this.#count(node, -1, -room)
  }

  /** The leaf for what is left. One that is farther is taken only where the nearer ones have no room for it, nor has what they are in. */
  #best(): number {
    let best = -1
    for (let leaf = 0; leaf < this.leaves; leaf++) {
      if (this.#nodesIn[LEAF]?.[leaf] === 0) continue
      if (best < 0 || this.#isBetter(leaf, best)) best = leaf
    }
    return best
  }

  #isBetter(leaf: number, best: number): boolean {
    const nearer = (this.#distance[best] as number) - (this.#distance[leaf] as number)
    if (nearer < 0) return false
    const { preference, fits } = this.#compare(leaf, best)
    return nearer > 0 ? fits : preference > 0
  }

  /**
   * Which of two leaves suits what is left: the one that holds it all, the tighter of two; where neither does, the same of what they are in, as long as that
   * differs; the larger where nothing holds it. Above 0: the first. `fits`: it, or what it was compared by, holds it all.
   */
  #compare(first: number, second: number): { readonly preference: number; readonly fits: boolean } {
    for (let level = LEAF, a = first, b = second; ; level++) {
      const nodes = this.#nodesIn[level] as Int32Array
      const fits = (this.#roomIn[level]?.[a] as number) >= this.#left
      const otherFits = (this.#roomIn[level]?.[b] as number) >= this.#left
      const larger = (nodes[a] as number) - (nodes[b] as number)
      if (fits && otherFits) return { preference: -larger, fits }
      if (fits !== otherFits) return { preference: fits ? 1 : -1, fits }
      const parents = this.#parents[level] as Int32Array
      if (level === this.#top || parents[a] === parents[b]) return { preference: larger, fits }
      a = parents[a] as number
      b = parents[b] as number
    }
  }

  /** Steps in the tree from one leaf to another. */
  #hops(from: number, to: number): number {
    let hops = 0
    for (let level = LEAF, a = from, b = to; a !== b; level++, hops += 2) {
      a = this.#parents[level]?.[a] as number
      b = this.#parents[level]?.[b] as number
    }
    return hops
  }
}

/** The level of racks. */
const LEAF = 1

const add = (counts: Int32Array, at: number, by: number): void => void (counts[at] = (counts[at] as number) + by)

/** The weight without whose nodes the lighter ones have no room for all tasks. */
function heaviestNeeded(room: ArrayLike<number>, tasks: number, weights: ArrayLike<number>): number {
  const byWeight = new Map<number, number>()
  for (let node = 0; node < room.length; node++) byWeight.set(weights[node] as number, (byWeight.get(weights[node] as number) ?? 0) + (room[node] as number))
  let sum = 0
  for (const weight of [...byWeight.keys()].sort((a, b) => a - b)) {
    sum += byWeight.get(weight) as number
    if (sum >= tasks) return weight
  }
  return Infinity
}

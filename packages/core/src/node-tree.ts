import type { NodeId } from './ids.js'
import type { ClusterView } from './views.js'

/** What the choice of nodes considers besides room. */
export interface NodeTreeChoice {
  /** Weight by node: nodes of lower weight are used up before heavier ones. Default: all are equal. */
  readonly weights?: ArrayLike<number> | undefined
  /** Leaves to use up before others, such as those where the job already runs; in any order. */
  readonly first?: Iterable<number> | undefined
  /** Nodes that the tasks are to be on at least, each with room for one. Default: 1. */
  readonly nodes?: number | undefined
}

/**
 * The nodes of a cluster as a tree of switches. The leaves are the racks of its description; inner nodes are the groups above them, up to all nodes
 * at the top. In a cluster without racks all nodes form one leaf.
 *
 * `choose` picks nodes for tasks that should be near each other: as few leaves as possible, and leaves near each other in the tree.
 *
 * Source: Slurm, `_eval_nodes_topo` of topology/tree. Deviations:
 * - Used-up nodes and room are subtracted once; Slurm never subtracts processors, and subtracts nodes of leaves that come first several times.
 * - Hops are counted only from leaves in use; Slurm also counts them from the switches above leaves that come first.
 * - Trees that nothing connects count as one tree.
 */
export class NodeTree {
  /** Number of leaves. */
  readonly leaves: number
  /** The level of the root, the group of all nodes. */
  readonly #top: number
  readonly #leafOf: Int32Array
  /** By leaf: its nodes, in id order. */
  readonly #members: NodeId[][]
  /** By level and group: the parent group. */
  readonly #parents: readonly Int32Array[]
  // state of the current choice
  readonly #room: Int32Array
  /** By level and group: number of nodes with room, and tasks that fit on them. */
  readonly #nodesIn: readonly Int32Array[]
  readonly #roomIn: readonly Int32Array[]
  /** By leaf: sum of the hops to all leaves in use. */
  readonly #distance: Int32Array
  #left = 0
  /** Nodes that are still to be used. */
  #wanted = 1

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

  /**
   * Fills `places` with one node per task. `room[node]` is how many tasks the node can take, 0 for a node that cannot be used; the sum must be at
   * least `tasks`.
   */
  choose(room: ArrayLike<number>, tasks: number, places: NodeId[], { weights, first = [], nodes = 1 }: NodeTreeChoice = {}): void {
    places.length = 0
    this.#left = tasks
    this.#wanted = nodes
    const heaviest = weights === undefined ? Infinity : heaviestNeeded(room, tasks, weights, nodes)
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

  /** Uses a leaf's nodes in id order until all tasks are placed or the leaf is full, and adds the hops to it to every leaf's distance. */
  #use(leaf: number, places: NodeId[]): void {
    for (const node of this.nodesOf(leaf)) if (this.#room[node] !== 0 && this.#left > 0) this.#fill(node, places)
    for (let other = 0; other < this.leaves; other++) add(this.#distance, other, this.#hops(leaf, other))
  }

  #fill(node: NodeId, places: NodeId[]): void {
    const room = this.#room[node] as number
    for (let i = Math.min(room, this.#left - Math.max(0, this.#wanted - 1)); i > 0; i--, this.#left--) places.push(node)
    this.#wanted--
    this.#room[node] = 0
    this.#count(node, -1, -room)
  }

  /**
   * The best leaf for the remaining tasks. A farther leaf is taken only if neither a nearer leaf nor the groups that it is compared by have room for
   * them all.
   */
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
   * Compares two leaves for the remaining tasks. A leaf that holds them all, with as many nodes as are still to be used, wins; if both do, the one with
   * fewer nodes wins. If neither does, their parents are compared in the same way, level by level, until these are the same; then the one with more nodes
   * wins. A preference above 0 means `first`. `fits`: `first`, or the ancestor that decided, holds all remaining tasks.
   */
  #compare(first: number, second: number): { readonly preference: number; readonly fits: boolean } {
    for (let level = LEAF, a = first, b = second; ; level++) {
      const nodes = this.#nodesIn[level] as Int32Array
      const fits = (this.#roomIn[level]?.[a] as number) >= this.#left && (nodes[a] as number) >= this.#wanted
      const otherFits = (this.#roomIn[level]?.[b] as number) >= this.#left && (nodes[b] as number) >= this.#wanted
      const larger = (nodes[a] as number) - (nodes[b] as number)
      if (fits && otherFits) return { preference: -larger, fits }
      if (fits !== otherFits) return { preference: fits ? 1 : -1, fits }
      const parents = this.#parents[level] as Int32Array
      if (level === this.#top || parents[a] === parents[b]) return { preference: larger, fits }
      a = parents[a] as number
      b = parents[b] as number
    }
  }

  /** Number of hops in the tree from one leaf to another. */
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

/** The lowest weight such that nodes up to this weight have room for all tasks, on so many nodes; `Infinity` if all nodes together have not. */
function heaviestNeeded(room: ArrayLike<number>, tasks: number, weights: ArrayLike<number>, nodes: number): number {
  const most = tasks - Math.max(0, nodes - 1) // of one node
  const byWeight = new Map<number, { readonly nodes: number; readonly room: number }>()
  for (let node = 0; node < room.length; node++) {
    const before = byWeight.get(weights[node] as number)
    const here = Math.min(room[node] as number, most)
    byWeight.set(weights[node] as number, { nodes: (before?.nodes ?? 0) + Number(here > 0), room: (before?.room ?? 0) + here })
  }
  let [sum, used] = [0, 0]
  for (const [weight, of] of [...byWeight].sort(([a], [b]) => a - b)) {
    sum += of.room
    used += of.nodes
    if (sum >= tasks && used >= nodes) return weight
  }
  return Infinity
}

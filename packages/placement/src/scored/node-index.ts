import { None, portableLog2, type ClusterView, type NodeId } from '@sched/core'

/**
 * The nodes of a cluster by score, kept current by the cluster's log of changes. It is a tournament tree, so that a change, and a search that accepts an early
 * node, take time in proportion to the logarithm of the number of nodes.
 */
export class NodeIndex {
  readonly #scoreOf: (node: NodeId) => number
  readonly #cluster: ClusterView
  readonly #size: number
  /** The highest score below each vertex of the tree; the leaf of cluster node i is at `size + i`. */
  readonly #best: Float64Array
  #seen = -Infinity

  constructor(cluster: ClusterView, scoreOf: (node: NodeId) => number) {
    this.#cluster = cluster
    this.#scoreOf = scoreOf
    this.#size = 2 ** Math.ceil(portableLog2(Math.max(cluster.nodes, 2)))
    this.#best = new Float64Array(2 * this.#size).fill(-Infinity)
  }

  /** Takes in the changes since the last call. */
  refresh(): void {
    const log = this.#cluster.changeLog
    if (log === undefined || log.count - this.#seen > Math.min(log.kept, this.#cluster.nodes)) this.#rebuild() // cheaper than so many single changes
    else for (let change = this.#seen; change < log.count; change++) this.update(log.node(change))
    this.#seen = log?.count ?? -Infinity
  }

  /** Computes the score of one node anew. */
  update(node: NodeId): void {
    const best = this.#best
    let at = this.#size + node
    best[at] = this.#scoreOf(node)
    for (at >>= 1; at > 0; at >>= 1) {
      const left = best[2 * at] as number
      const right = best[2 * at + 1] as number
      const higher = left >= right ? left : right
      if (best[at] === higher) return
      best[at] = higher
    }
  }

  /** The node's score as of its last update. */
  score(node: NodeId): number {
    return this.#best[this.#size + node] as number
  }

  /** The accepted node with the highest score, the lowest of equals, or `None`. Nodes with the score -Infinity are never offered. */
  find(isAccepted: (node: NodeId) => boolean): NodeId | None {
    return this.#search(1, -Infinity, false, isAccepted)
  }

  /**
   * The lowest accepted node whose score is enough, or `None`. If a score is enough, all larger ones must be; -Infinity never is. `at`: the vertex below which
   * it searches.
   */
  lowest(isEnough: (score: number) => boolean, isAccepted: (node: NodeId) => boolean, at = 1): NodeId | None {
    const most = this.#best[at] as number
    if (most === -Infinity || !isEnough(most)) return None
    if (at < this.#size) {
      const left = this.lowest(isEnough, isAccepted, 2 * at)
      return left === None ? this.lowest(isEnough, isAccepted, 2 * at + 1) : left
    }
    const node = (at - this.#size) as NodeId
    return isAccepted(node) ? node : None
  }

  /**
   * The best accepted node below the vertex `at` with a score above `floor` (with `orEqual` at least `floor`), by branch and bound: the half with the higher
   * best score is searched first.
   */
  #search(at: number, floor: number, orEqual: boolean, isAccepted: (node: NodeId) => boolean): NodeId | None {
    const best = this.#best
    const most = best[at] as number
    if (most < floor || (most === floor && !orEqual)) return None
    if (at >= this.#size) {
      const node = (at - this.#size) as NodeId
      return isAccepted(node) ? node : None
    }
    const isLeftFirst = (best[2 * at] as number) >= (best[2 * at + 1] as number)
    const first = this.#search(isLeftFirst ? 2 * at : 2 * at + 1, floor, orEqual, isAccepted)
    const other = isLeftFirst ? 2 * at + 1 : 2 * at
    if (first === None) return this.#search(other, floor, orEqual, isAccepted)
    const better = this.#search(other, best[this.#size + first] as number, !isLeftFirst, isAccepted) // ties go to the lower node, which is on the left
    return better === None ? first : better
  }

  #rebuild(): void {
    const best = this.#best
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) best[this.#size + node] = this.#scoreOf(node)
    for (let at = this.#size - 1; at > 0; at--) best[at] = Math.max(best[2 * at] as number, best[2 * at + 1] as number)
  }
}

import { None, portableLog2, type ClusterView, type NodeId } from '@sched/core'

/**
 * The nodes of a cluster by a score of their own, kept current by the cluster's log of changes: a tournament tree, so
 * that a change and a search cost the logarithm of the number of nodes.
 */
export class NodeIndex {
  readonly #scoreOf: (node: NodeId) => number
  readonly #cluster: ClusterView
  readonly #size: number
  /** Highest score below each node of the tree; leaf of cluster node i at `size + i`. */
  readonly #best: Float64Array
  #seen = -Infinity

  constructor(cluster: ClusterView, scoreOf: (node: NodeId) => number) {
    this.#cluster = cluster
    this.#scoreOf = scoreOf
    this.#size = 2 ** Math.ceil(portableLog2(Math.max(cluster.nodes, 2)))
    this.#best = new Float64Array(2 * this.#size).fill(-Infinity)
  }

  /** Takes in what has changed since the last call. */
  refresh(): void {
    const log = this.#cluster.changeLog
    if (log === undefined || log.count - this.#seen > Math.min(log.kept, this.#cluster.nodes)) this.#rebuild() // which costs less than so many changes
    else for (let change = this.#seen; change < log.count; change++) this.update(log.node(change))
    this.#seen = log?.count ?? -Infinity
  }

  /** Scores one node anew. */
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

  /** The node's score as of the last refresh. */
  score(node: NodeId): number {
    return this.#best[this.#size + node] as number
  }

  /** The node of the highest score that is accepted, the lowest of equals; a score of -Infinity is never offered. */
  find(isAccepted: (node: NodeId) => boolean): NodeId | None {
    return this.#search(1, -Infinity, false, isAccepted)
  }

  /** The lowest node that is accepted and of which the score is enough, as all larger ones are; -Infinity never is. */
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

  /** Below `at`, a node with a score above `floor`, or equal to it: branch and bound, the more promising half first. */
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
    const better = this.#search(other, best[this.#size + first] as number, !isLeftFirst, isAccepted) // of equals the lower node wins
    return better === None ? first : better
  }

  #rebuild(): void {
    const best = this.#best
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) best[this.#size + node] = this.#scoreOf(node)
    for (let at = this.#size - 1; at > 0; at--) best[at] = Math.max(best[2 * at] as number, best[2 * at + 1] as number)
  }
}

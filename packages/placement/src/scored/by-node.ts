import { LowestNodes, None, type ClusterView, type JobId, type LaneId, type NodeId, type Placement, type Round } from '@sched/core'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How deserving a node is of the next task of a lane, by what is free on it and what the cluster has: larger is better, -Infinity: not at all. */
export type NodeScore = (node: NodeId, lane: LaneId, cluster: ClusterView) => number

/** Parts of the cluster that are smaller have no index, which takes as much room as that of all nodes. */
const PARTS = 16

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster, or
 * over the same large part of it again and again, the nodes are kept in an index by score; in others (heartbeats, offers) each node in sight is asked.
 */
export class ByNode implements Placement {
  readonly #score: NodeScore
  /** By lane, of the cluster seen last, since a round on a stock sees another one, and of what it had; of a part of it, or of all nodes. */
  #indexes: NodeIndex[] = []
  #cluster: ClusterView | undefined
  #part: readonly NodeId[] | undefined
  /** What the last round about fewer than all nodes had in sight. */
  #fewer: readonly NodeId[] | undefined
  readonly #capacity = new SeenCapacity()
  /** Who finds no node is told so before the index is searched. */
  readonly #byShape = new LowestNodes()

  constructor(score: NodeScore) {
    this.#score = score
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, nodes, work, lane } = round
    if (nodes.length === cluster.nodes) {
      if (this.#byShape.find(work.shape(job, lane), job, round) === None) return None
      return this.#pickBy(this.#indexOf(round, undefined), job, round)
    }
    const isSame = nodes === this.#fewer
    this.#fewer = nodes
    const isLarge = nodes.length > 1 && nodes.length * PARTS >= cluster.nodes && cluster.changeLog !== undefined
    return isSame && isLarge ? this.#pickBy(this.#indexOf(round, nodes), job, round) : this.#pickAmong(job, round)
  }

  /** Something other than what is free has changed the node's score. */
  rescore(node: NodeId): void {
    for (const index of this.#indexes) index.update(node)
  }

  #indexOf({ cluster, lane }: Round, part: readonly NodeId[] | undefined): NodeIndex {
    const hasChanged = this.#capacity.hasChanged(cluster)
    if (hasChanged || cluster !== this.#cluster || part !== this.#part) {
      this.#cluster = cluster
      this.#part = part
      const inside = part && new Set(part)
      this.#indexes = cluster.lanes.map((_, id) => new NodeIndex(cluster, (node) => (inside?.has(node) === false ? -Infinity : this.#score(node, id as LaneId, cluster))))
    }
    return this.#indexes[lane] as NodeIndex
  }

  #pickBy(index: NodeIndex, job: JobId, round: Round): NodeId | None {
    index.refresh()
    return index.find((node) => round.fits(job, node))
  }

  #pickAmong(job: JobId, round: Round): NodeId | None {
    let best: NodeId | None = None
    let highest = -Infinity
    for (const node of round.nodes) {
      const score = this.#score(node, round.lane, round.cluster)
      if (score <= highest || !round.fits(job, node)) continue
      highest = score
      best = node
    }
    return best
  }
}

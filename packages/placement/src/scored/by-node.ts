import { LowestNodes, None, type ClusterView, type JobId, type LaneId, type NodeId, type Placement, type Round } from '@sched/core'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How well a node suits the next task of a lane, by what is free on it and what the cluster has: larger is better; -Infinity: not at all. */
export type NodeScore = (node: NodeId, lane: LaneId, cluster: ClusterView) => number

/** Parts smaller than one in so many of the cluster's nodes get no index, since an index takes as much memory as that of all nodes. */
const PARTS = 16

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster, or
 * over the same large part of it again and again, the nodes are kept in an index by score; in others (heartbeats, offers) each node in sight is asked.
 */
export class ByNode implements Placement {
  readonly #score: NodeScore
  /** Indexes by lane, for the cluster seen last and the capacity that it had (a round on another view sees another cluster); of all nodes or of a part. */
  #indexes: NodeIndex[] = []
  #cluster: ClusterView | undefined
  #part: readonly NodeId[] | undefined
  /** The nodes in sight of the last round with fewer than all nodes. */
  #fewer: readonly NodeId[] | undefined
  readonly #capacity = new SeenCapacity()
  /** Knows shapes that fit nowhere, so that the index need not be searched. */
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

  /** Scores a node anew, after something other than its free amounts has changed its score. */
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

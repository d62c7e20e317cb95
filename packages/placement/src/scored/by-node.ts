import { None, type ClusterView, type JobId, type LaneId, type NodeId, type Placement, type Round } from '@sched/core'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How deserving a node is of the next task of a lane, by what is free on it and what the cluster has: larger is better, -Infinity: not at all. */
export type NodeScore = (node: NodeId, lane: LaneId, cluster: ClusterView) => number

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster the
 * nodes are kept in an index by score; in others (heartbeats, offers) each node in sight is asked.
 */
export class ByNode implements Placement {
  readonly #score: NodeScore
  /** By lane, of the cluster seen last, since a round on a stock sees another one, and of what it had. */
  #indexes: NodeIndex[] = []
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  constructor(score: NodeScore) {
    this.#score = score
  }

  pick(job: JobId, round: Round): NodeId | None {
    if (round.nodes.length < round.cluster.nodes) return this.#pickAmong(job, round)
    const index = this.#indexOf(round)
    index.refresh()
    return index.find((node) => round.fits(job, node))
  }

  /** Something other than what is free has changed the node's score. */
  rescore(node: NodeId): void {
    for (const index of this.#indexes) index.update(node)
  }

  #indexOf({ cluster, lane }: Round): NodeIndex {
    const hasChanged = this.#capacity.hasChanged(cluster)
    if (hasChanged || cluster !== this.#cluster) {
      this.#cluster = cluster
      this.#indexes = cluster.lanes.map((_, id) => new NodeIndex(cluster, (node) => this.#score(node, id as LaneId, cluster)))
    }
    return this.#indexes[lane] as NodeIndex
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

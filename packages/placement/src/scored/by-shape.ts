import { None, type ClusterView, type JobId, type LaneId, type NodeId, type Placement, type Round, type ShapeId, type WorkView } from '@sched/core'
import { bestBy, type Score } from './best-by.js'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How well a node suits tasks of a shape by what is free on it, and what the cluster has: larger is better. */
export type ShapeScore = (node: NodeId, shape: ShapeId, lane: LaneId, cluster: ClusterView, work: WorkView) => number

interface ByShapeOptions {
  /** Only nodes for which it says so. */
  readonly passes?: (job: JobId, node: NodeId, round: Round) => boolean
  /** Of so many nodes in sight, how many that fit and pass are enough to choose from; default: all. */
  readonly enough?: (nodes: number) => number
}

/** Nodes in indexes at a time, of all shapes: some 64 MB. Few shapes may have one on clusters however large. */
const MOST_NODES = 2 ** 21
const FEW = 16

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster the
 * nodes are kept in an index by score for each shape of which searches have cost as much as an index.
 *
 * Where fewer than all nodes are enough, they are the first so many from where the search before stopped, and the first of equals is taken.
 */
export class ByShape implements Placement {
  readonly #score: ShapeScore
  readonly #passes: (job: JobId, node: NodeId, round: Round) => boolean
  readonly #enough: (nodes: number) => number
  /** Where the next search begins among the nodes in sight, if some are enough. */
  #from = 0
  /** By shape, the one that was asked for least recently first. */
  readonly #indexes = new Map<ShapeId, NodeIndex>()
  /** By shape without one: nodes that were looked at. */
  readonly #looks = new Map<ShapeId, number>()
  /** The cluster seen last, since a round on a stock sees another one, and what it had. */
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  constructor(score: ShapeScore, { passes = () => true, enough = (nodes) => nodes }: ByShapeOptions = {}) {
    this.#score = score
    this.#passes = passes
    this.#enough = enough
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { work, lane, nodes } = round
    const shape = work.shape(job, lane)
    const enough = this.#enough(nodes.length)
    const index = this.#indexOf(shape, round)
    if (index === undefined) return this.#search(enough, shape, job, round)
    if (enough < nodes.length) return this.#bestOfSome(enough, (node) => (this.#passes(job, node, round) ? index.score(node) : -Infinity), job, round)
    return index.find((node) => round.fits(job, node) && this.#passes(job, node, round))
  }

  /** Looks at every node in sight that has room, or at as many as are enough. */
  #search(enough: number, shape: ShapeId, job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    let looks = 0
    const score = (node: NodeId): number => {
      looks++
      return this.#passes(job, node, round) ? this.#score(node, shape, lane, cluster, work) : -Infinity
    }
    const best = enough < nodes.length ? this.#bestOfSome(enough, score, job, round) : bestBy(score, job, round)
    this.#looks.set(shape, (this.#looks.get(shape) ?? 0) + looks)
    return best
  }

  /** A score of -Infinity is that of a node which does not pass. */
  #bestOfSome(enough: number, score: Score, job: JobId, round: Round): NodeId | None {
    const { nodes } = round
    let best: NodeId | None = None
    let highest = -Infinity
    let at = this.#from % nodes.length
    for (let looked = 0, found = 0; looked < nodes.length && found < enough; looked++) {
      const node = nodes[at] as NodeId
      const value = round.fits(job, node) ? score(node, job, round) : -Infinity
      if (value > -Infinity) found++
      if (value > highest) {
        highest = value
        best = node
      }
      at = at + 1 === nodes.length ? 0 : at + 1
    }
    this.#from = at
    return best
  }

  /** What is known of all nodes, in a round over them. */
  #indexOf(shape: ShapeId, round: Round): NodeIndex | undefined {
    const { cluster, nodes } = round
    if (nodes.length < cluster.nodes || cluster.changeLog === undefined) return undefined
    if (this.#isOther(cluster)) this.#forget()
    const index = this.#indexes.get(shape) ?? this.#earned(shape, round)
    if (index === undefined) return undefined
    this.#indexes.delete(shape)
    this.#indexes.set(shape, index)
    index.refresh()
    return index
  }

  #earned(shape: ShapeId, { cluster, lane, work }: Round): NodeIndex | undefined {
    if ((this.#looks.get(shape) ?? 0) < cluster.nodes) return undefined
    this.#looks.delete(shape)
    const index = new NodeIndex(cluster, (node) => (cluster.couldTake(shape, node) > 0 ? this.#score(node, shape, lane, cluster, work) : -Infinity))
    const most = Math.max(FEW, Math.floor(MOST_NODES / cluster.nodes))
    for (const [oldest] of this.#indexes) {
      if (this.#indexes.size < most) break
      this.#indexes.delete(oldest)
    }
    this.#indexes.set(shape, index)
    return index
  }

  #isOther(cluster: ClusterView): boolean {
    const hasChanged = this.#capacity.hasChanged(cluster)
    if (cluster === this.#cluster) return hasChanged
    this.#cluster = cluster
    return true
  }

  #forget(): void {
    this.#indexes.clear()
    this.#looks.clear()
  }
}

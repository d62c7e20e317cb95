import type { ClusterView, JobId, LaneId, NodeId, None, Placement, Round, ShapeId, WorkView } from '@sched/core'
import { bestBy } from './best-by.js'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How well a node suits tasks of a shape by what is free on it, and what the cluster has: larger is better. */
export type ShapeScore = (node: NodeId, shape: ShapeId, lane: LaneId, cluster: ClusterView, work: WorkView) => number

/** Shapes that have an index at a time. */
const MOST = 16

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster the
 * nodes are kept in an index by score for each shape of which searches have cost as much as an index.
 */
export class ByShape implements Placement {
  readonly #score: ShapeScore
  readonly #passes: (job: JobId, node: NodeId, round: Round) => boolean
  /** By shape, the one that was asked for least recently first. */
  readonly #indexes = new Map<ShapeId, NodeIndex>()
  /** By shape without one: nodes that were looked at. */
  readonly #looks = new Map<ShapeId, number>()
  /** The cluster seen last, since a round on a stock sees another one, and what it had. */
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  /** With `passes`, only nodes for which it says so. */
  constructor(score: ShapeScore, passes: (job: JobId, node: NodeId, round: Round) => boolean = () => true) {
    this.#score = score
    this.#passes = passes
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    const shape = work.shape(job, lane)
    if (nodes.length < cluster.nodes || cluster.changeLog === undefined) return this.#search(shape, job, round)
    if (this.#isOther(cluster)) this.#forget()
    const index = this.#indexes.get(shape) ?? this.#earned(shape, round)
    if (index === undefined) return this.#search(shape, job, round)
    this.#indexes.delete(shape)
    this.#indexes.set(shape, index)
    index.refresh()
    return index.find((node) => round.fits(job, node) && this.#passes(job, node, round))
  }

  /** Looks at every node in sight that has room. */
  #search(shape: ShapeId, job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane } = round
    let looks = 0
    const score = (node: NodeId): number => {
      looks++
      return this.#passes(job, node, round) ? this.#score(node, shape, lane, cluster, work) : -Infinity
    }
    const best = bestBy(score, job, round)
    this.#looks.set(shape, (this.#looks.get(shape) ?? 0) + looks)
    return best
  }

  #earned(shape: ShapeId, { cluster, lane, work }: Round): NodeIndex | undefined {
    if ((this.#looks.get(shape) ?? 0) < cluster.nodes) return undefined
    this.#looks.delete(shape)
    const index = new NodeIndex(cluster, (node) => (cluster.hasRoom(lane, node) ? this.#score(node, shape, lane, cluster, work) : -Infinity))
    for (const [oldest] of this.#indexes) {
      if (this.#indexes.size < MOST) break
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

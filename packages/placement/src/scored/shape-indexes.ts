import type { ClusterView, LaneId, NodeId, Round, ShapeId, WorkView } from '@sched/core'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How well a node suits tasks of a shape; larger is better. It may depend only on the free amounts of the node and on the capacity of nodes and cluster. */
export type ShapeScore = (node: NodeId, shape: ShapeId, lane: LaneId, cluster: ClusterView, work: WorkView) => number

/** Most nodes in the indexes of all shapes together: some 64 MB. */
const MOST_NODES = 2 ** 21
/** Number of shapes that may have an index on a cluster of any size. */
const FEW = 16

/** An index of the nodes by score for each shape. A shape gets one when searches without it have looked at as many nodes as the cluster has. */
export class ShapeIndexes {
  readonly #score: ShapeScore
  /** Indexes by shape; the one that was used least recently is first. */
  readonly #indexes = new Map<ShapeId, NodeIndex>()
  /** For shapes without an index: the number of nodes that were looked at. */
  readonly #looks = new Map<ShapeId, number>()
  /** The cluster of the last round. A round on a stock has another one, for which the indexes do not hold. */
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  constructor(score: ShapeScore) {
    this.#score = score
  }

  /**
   * The index of a shape, current, with the score -Infinity for nodes without room; undefined: the shape has none yet, or the round does not have all nodes in
   * sight.
   */
  of(shape: ShapeId, round: Round): NodeIndex | undefined {
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

  /** Notes that a search without an index has looked at this many nodes. */
  looked(shape: ShapeId, nodes: number): void {
    this.#looks.set(shape, (this.#looks.get(shape) ?? 0) + nodes)
  }

  /** A new index for a shape that has earned one, in place of those used least recently if there are too many; otherwise undefined. */
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

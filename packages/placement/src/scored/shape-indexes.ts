import type { ClusterView, LaneId, NodeId, Round, ShapeId, WorkView } from '@sched/core'
import { NodeIndex } from './node-index.js'
import { SeenCapacity } from './seen-capacity.js'

/** How well a node suits tasks of a shape by what is free on it, and what the cluster has: larger is better. */
export type ShapeScore = (node: NodeId, shape: ShapeId, lane: LaneId, cluster: ClusterView, work: WorkView) => number

/** Nodes in indexes at a time, of all shapes: some 64 MB. Few shapes may have one on clusters however large. */
const MOST_NODES = 2 ** 21
const FEW = 16

/** The nodes of a cluster by score for each shape of which searches without an index have cost as much as one. */
export class ShapeIndexes {
  readonly #score: ShapeScore
  /** By shape, the one that was asked for least recently first. */
  readonly #indexes = new Map<ShapeId, NodeIndex>()
  /** By shape without one: nodes that were looked at. */
  readonly #looks = new Map<ShapeId, number>()
  /** The cluster seen last, since a round on a stock sees another one, and what it had. */
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  constructor(score: ShapeScore) {
    this.#score = score
  }

  /** All nodes by score in a round over them, -Infinity where none of the shape has room; `undefined`: there is no index yet, or the round is about fewer. */
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

  /** So many nodes were looked at without one. */
  looked(shape: ShapeId, nodes: number): void {
    this.#looks.set(shape, (this.#looks.get(shape) ?? 0) + nodes)
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

import { None, type ClusterView, type NodeId, type NodeTree, type Round, type ShapeId } from '@sched/core'
import { SeenCapacity } from './scored/seen-capacity.js'

/** Room is kept for as many shapes as give this many entries (shapes times nodes), but at least for `FEW` shapes. */
const MOST_NODES = 2 ** 21
const FEW = 16

/** The nodes on which a task of a shape has room. */
interface Room {
  /** The count of cluster changes that are included. */
  seen: number
  /** By node: 1 if it has room. */
  readonly onNode: Uint8Array
  /** By leaf: the number of its nodes with room. */
  readonly nodesIn: Int32Array
}

/** Chooses the node that a `NodeTree` chooses for a job of one task, without a look at every node for each job: the nodes with room are kept by shape. */
export class RoomByLeaf {
  readonly #tree: NodeTree
  /** Room by shape, the least recently used first. */
  readonly #byShape = new Map<ShapeId, Room>()
  /** The cluster seen last, since a round on another view of the cluster sees another one; and the capacity that it had. */
  #cluster: ClusterView | undefined
  readonly #capacity = new SeenCapacity()

  constructor(tree: NodeTree) {
    this.#tree = tree
  }

  /**
   * The lowest node with room, in the leaf with the fewest nodes with room; `None` if no node has room. `undefined` in rounds that it cannot answer
   * for: without all nodes in sight, or with nodes kept from jobs.
   */
  pick(shape: ShapeId, { cluster, nodes, bars }: Round): NodeId | None | undefined {
    if (nodes.length < cluster.nodes || cluster.changeLog === undefined || bars !== undefined) return undefined
    const hasChanged = this.#capacity.hasChanged(cluster)
    if (hasChanged || cluster !== this.#cluster) this.#byShape.clear()
    this.#cluster = cluster
    const { nodesIn, onNode } = this.#roomOf(shape, cluster)
    let best = -1
    for (let leaf = 0; leaf < nodesIn.length; leaf++) if (nodesIn[leaf] !== 0 && (best < 0 || (nodesIn[leaf] as number) < (nodesIn[best] as number))) best = leaf
    return best < 0 ? None : (this.#tree.nodesOf(best).find((node) => onNode[node] === 1) ?? None)
  }

  #roomOf(shape: ShapeId, cluster: ClusterView): Room {
    const log = cluster.changeLog as NonNullable<ClusterView['changeLog']>
    const room = this.#byShape.get(shape) ?? { seen: -Infinity, onNode: new Uint8Array(cluster.nodes), nodesIn: new Int32Array(this.#tree.leaves) }
    if (log.count - room.seen > Math.min(log.kept, cluster.nodes)) for (let node = 0 as NodeId; node < cluster.nodes; node++) this.#look(room, shape, node, cluster)
    else for (let change = room.seen; change < log.count; change++) this.#look(room, shape, log.node(change), cluster)
    room.seen = log.count
    this.#byShape.delete(shape)
    this.#byShape.set(shape, room)
    const [oldest] = this.#byShape.size > Math.max(FEW, Math.floor(MOST_NODES / cluster.nodes)) ? this.#byShape.keys() : []
    if (oldest !== undefined) this.#byShape.delete(oldest)
    return room
  }

  #look({ onNode, nodesIn }: Room, shape: ShapeId, node: NodeId, cluster: ClusterView): void {
    const has = cluster.couldTake(shape, node) > 0 ? 1 : 0
    const leaf = this.#tree.leafOf(node)
    nodesIn[leaf] = (nodesIn[leaf] as number) + has - (onNode[node] as number)
    onNode[node] = has
  }
}

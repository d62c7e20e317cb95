import type { ClusterView, NodeId, ShapeId } from '@sched/core'

/** Most counts (shapes times nodes) that are kept: 16 MB. */
const MOST = 2 ** 21

/** Count for a shape that asks for nothing, for which there is endless room. */
const PLENTY = 2 ** 31

/** Places of one shape: on each node and in total, at a count of changes; `version` changes whenever a node has more or fewer places. */
interface Counted {
  readonly byNode: Float64Array
  sum: number
  seen: number
  version: number
}

/**
 * How many tasks of a shape all nodes together could take: an upper bound on those that can start without anybody going. Kept current by the
 * cluster's log of changes; without such a log nothing is known, and the answer is `Infinity`.
 */
export class Places {
  #cluster: ClusterView | undefined
  readonly #counted = new Map<ShapeId, Counted>()
  #versions = 0

  of(shape: ShapeId, cluster: ClusterView): number {
    return this.#current(shape, cluster)?.sum ?? Infinity
  }

  /** A number that stays the same as long as every node could take the same number of tasks of the shape; `undefined`: nothing is known. */
  version(shape: ShapeId, cluster: ClusterView): number | undefined {
    return this.#current(shape, cluster)?.version
  }

  #current(shape: ShapeId, cluster: ClusterView): Counted | undefined {
    const log = cluster.changeLog
    if (log === undefined) return undefined
    if (cluster !== this.#cluster) this.#reset(cluster)
    const known = this.#counted.get(shape) ?? this.#made(shape, cluster)
    if (log.count - known.seen > Math.min(log.kept, cluster.nodes)) for (let node = 0 as NodeId; node < cluster.nodes; node++) this.#count(known, shape, node, cluster)
    else for (let change = known.seen; change < log.count; change++) this.#count(known, shape, log.node(change), cluster)
    known.seen = log.count
    return known
  }

  #count(known: Counted, shape: ShapeId, node: NodeId, cluster: ClusterView): void {
    const places = Math.min(cluster.couldTake(shape, node), PLENTY)
    const before = known.byNode[node] as number
    if (places === before) return
    known.sum += places - before
    known.byNode[node] = places
    known.version = ++this.#versions
  }

  #made(shape: ShapeId, { nodes }: ClusterView): Counted {
    if ((this.#counted.size + 1) * nodes > MOST) this.#counted.clear()
    const made = { byNode: new Float64Array(nodes), sum: 0, seen: -Infinity, version: ++this.#versions }
    this.#counted.set(shape, made)
    return made
  }

  #reset(cluster: ClusterView): void {
    this.#cluster = cluster
    this.#counted.clear()
  }
}

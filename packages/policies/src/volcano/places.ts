import type { ClusterView, NodeId, Round, ShapeId } from '@sched/core'
import type { VolcanoJob } from './queue.js'
import type { Hindrance } from './standstill.js'

/** Counts that are kept at most, of shapes on nodes: 16 MB. */
const MOST = 2 ** 21

/** As good as any number: a shape that asks nothing finds endless room. */
const PLENTY = 2 ** 31

/** Of one shape: places on each node and in all, when so many changes had happened. */
interface Counted {
  readonly byNode: Float64Array
  sum: number
  seen: number
}

/**
 * How many tasks of a shape all nodes together could take: no more than these can start without anybody going. Kept current by the
 * cluster's log of changes; without one nothing is known, and the answer is `Infinity`.
 */
export class Places {
  #cluster: ClusterView | undefined
  readonly #counted = new Map<ShapeId, Counted>()

  of(shape: ShapeId, cluster: ClusterView): number {
    const log = cluster.changeLog
    if (log === undefined) return Infinity
    if (cluster !== this.#cluster) this.#reset(cluster)
    const known = this.#counted.get(shape) ?? this.#made(shape, cluster)
    if (log.count - known.seen > Math.min(log.kept, cluster.nodes)) countAll(known, shape, cluster)
    else for (let change = known.seen; change < log.count; change++) count(known, shape, log.node(change), cluster)
    known.seen = log.count
    return known.sum
  }

  #made(shape: ShapeId, { nodes }: ClusterView): Counted {
    if ((this.#counted.size + 1) * nodes > MOST) this.#counted.clear()
    const made = { byNode: new Float64Array(nodes), sum: NaN, seen: -Infinity }
    this.#counted.set(shape, made)
    return made
  }

  #reset(cluster: ClusterView): void {
    this.#cluster = cluster
    this.#counted.clear()
  }
}

function countAll(known: Counted, shape: ShapeId, cluster: ClusterView): void {
  known.sum = 0
  known.byNode.fill(0)
  for (let node = 0 as NodeId; node < cluster.nodes; node++) count(known, shape, node, cluster)
}

function count(known: Counted, shape: ShapeId, node: NodeId, cluster: ClusterView): void {
  const places = Math.min(cluster.couldTake(shape, node), PLENTY)
  known.sum += places - (known.byNode[node] as number)
  known.byNode[node] = places
}

/** There are fewer places than a job needs at once. */
export class NoRoom implements Hindrance {
  readonly #shape: ShapeId
  readonly #needed: number
  readonly #places: Places

  /** `isUnsure`: something else than room may have stood in the way, as it may of tasks that ask different amounts. */
  constructor({ shape, together, isGangJob }: VolcanoJob, isUnsure: boolean, places: Places) {
    this.#shape = shape
    this.#needed = isUnsure || isGangJob ? 0 : together
    this.#places = places
  }

  holds({ cluster }: Round): boolean {
    return this.#places.of(this.#shape, cluster) < this.#needed
  }
}

import { None, type JobId, type NodeId, type ShapeId } from './ids.js'
import type { Round } from './round.js'
import type { ChangeLog, ClusterView } from './views.js'

/**
 * Finds the lowest node for a job, for repeated searches over all nodes with the same key. It remembers below which node no candidate exists and
 * starts there. The cluster's change log tells which nodes to look at again.
 */
export class LowestNodes {
  /** The cluster of the last search; a round on a stock has another one. */
  #cluster: ClusterView | undefined
  /** By key: no node below it was a candidate after `#seen` changes. */
  #from: number[] = []
  #seen: number[] = []

  /**
   * The lowest node on which the job's next task fits and that suits it. Jobs with one key must have one shape. For a key, `suits` may turn from true
   * to false for a node at any time, but from false to true only with `forget`. Whether the round lets the job run on a node may differ by job and
   * round.
   */
  find(key: number, job: JobId, round: Round, suits?: (node: NodeId) => boolean): NodeId | None {
    const { cluster, work, lane } = round
    if (round.fitsNowhere?.(job) === true) return None
    if (cluster !== this.#cluster) this.#reset(cluster)
    const shape = work.shape(job, lane)
    let from = this.#start(key, shape, cluster, suits)
    let isPassed = false
    let node = cluster.nextWithRoom(lane, from)
    for (; node !== None; node = cluster.nextWithRoom(lane, node + 1)) {
      if (round.fits(job, node) && (suits === undefined || suits(node))) break
      if (isPassed || !isPossible(shape, node, cluster, suits)) continue
      isPassed = true // a candidate, but not for this job now
      from = node
    }
    if (!isPassed) from = node === None ? cluster.nodes : node
    this.#from[key] = from
    this.#seen[key] = cluster.changeLog?.count ?? -Infinity
    return node
  }

  /**
   * Whether any node is a candidate for jobs of the key, though perhaps not for this one now. Where many are that it may not use, since it has a task
   * on each, say, this is answered at the first.
   */
  areAny(key: number, job: JobId, round: Round): boolean {
    const { cluster, work, lane } = round
    if (round.fitsNowhere?.(job) === true) return false
    if (cluster !== this.#cluster) this.#reset(cluster)
    const shape = work.shape(job, lane)
    let node = cluster.nextWithRoom(lane, this.#start(key, shape, cluster))
    while (node !== None && !isPossible(shape, node, cluster)) node = cluster.nextWithRoom(lane, node + 1)
    this.#from[key] = node === None ? cluster.nodes : node
    this.#seen[key] = cluster.changeLog?.count ?? -Infinity
    return node !== None
  }

  /** Forgets what is known about a key: any node may suit its jobs again. */
  forget(key: number): void {
    this.#seen[key] = -Infinity
  }

  /** The node to start from: no node below it is a candidate. */
  #start(key: number, shape: ShapeId, cluster: ClusterView, suits?: (node: NodeId) => boolean): number {
    const log: ChangeLog | undefined = cluster.changeLog
    const seen = this.#seen[key] ?? -Infinity
    let from = this.#from[key] ?? 0
    if (log === undefined || log.count - seen > Math.min(log.kept, from)) return 0
    for (let change = seen; change < log.count; change++) {
      const node = log.node(change)
      if (node < from && isPossible(shape, node, cluster, suits)) from = node
    }
    return from
  }

  #reset(cluster: ClusterView): void {
    this.#cluster = cluster
    this.#from = []
    this.#seen = []
  }
}

/** Whether the node is a candidate: it suits, and has room for tasks of the job's shape. */
function isPossible(shape: ShapeId, node: NodeId, cluster: ClusterView, suits?: (node: NodeId) => boolean): boolean {
  return cluster.couldTake(shape, node) > 0 && (suits === undefined || suits(node))
}

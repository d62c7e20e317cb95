import { None, type JobId, type NodeId } from './ids.js'
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
    const { cluster, lane } = round
    if (round.fitsNowhere?.(job) === true) return None
    if (cluster !== this.#cluster) this.#reset(cluster)
    let from = this.#start(key, job, round, suits)
    let isPassed = false
    let node = cluster.nextWithRoom(lane, from)
    for (; node !== None; node = cluster.nextWithRoom(lane, node + 1)) {
      if (round.fits(job, node) && (suits === undefined || suits(node))) break
      if (isPassed || !isPossible(job, node, round, suits)) continue
      isPassed = true // a candidate, but not for this job now
      from = node
    }
    if (!isPassed) from = node === None ? cluster.nodes : node
    this.#from[key] = from
    this.#seen[key] = cluster.changeLog?.count ?? -Infinity
    return node
  }

  /** Forgets what is known about a key: any node may suit its jobs again. */
  forget(key: number): void {
    this.#seen[key] = -Infinity
  }

  /** The node to start from: no node below it is a candidate. */
  #start(key: number, job: JobId, round: Round, suits?: (node: NodeId) => boolean): number {
    const log: ChangeLog | undefined = round.cluster.changeLog
    const seen = this.#seen[key] ?? -Infinity
    let from = this.#from[key] ?? 0
    if (log === undefined || log.count - seen > Math.min(log.kept, from)) return 0
    for (let change = seen; change < log.count; change++) {
      const node = log.node(change)
      if (node < from && isPossible(job, node, round, suits)) from = node
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
function isPossible(job: JobId, node: NodeId, { cluster, work, lane }: Round, suits?: (node: NodeId) => boolean): boolean {
  return cluster.couldTake(work.shape(job, lane), node) > 0 && (suits === undefined || suits(node))
}

import { None, type JobId, type NodeId } from './ids.js'
import type { Round } from './round.js'
import type { ChangeLog, ClusterView } from './views.js'

/**
 * Searches over all nodes for the lowest, again and again for jobs of one key: how far none came into question is remembered, so that
 * a search begins there. What has changed since is known from the cluster's log of changes.
 */
export class LowestNodes {
  /** Of the cluster seen last: a round on a stock sees another one. */
  #cluster: ClusterView | undefined
  /** By key: no node below it came into question when `#seen` changes had happened. */
  #from: number[] = []
  #seen: number[] = []

  /**
   * The lowest node on which the job's next task fits, and that suits it. Jobs of one key ask for one shape. Whether a node suits them may turn
   * from yes to no, and the other way only with `forget`; who may run where beside that may be another matter for each job and round.
   */
  find(key: number, job: JobId, round: Round, suits?: (node: NodeId) => boolean): NodeId | None {
    const { cluster, lane } = round
    if (cluster !== this.#cluster) this.#reset(cluster)
    let from = this.#start(key, job, round, suits)
    let isPassed = false
    let node = cluster.nextWithRoom(lane, from)
    for (; node !== None; node = cluster.nextWithRoom(lane, node + 1)) {
      if (round.fits(job, node) && (suits === undefined || suits(node))) break
      if (isPassed || !isPossible(job, node, round, suits)) continue
      isPassed = true // this job may not run there now
      from = node
    }
    if (!isPassed) from = node === None ? cluster.nodes : node
    this.#from[key] = from
    this.#seen[key] = cluster.changeLog?.count ?? -Infinity
    return node
  }

  /** Any node may suit the jobs of the key again. */
  forget(key: number): void {
    this.#seen[key] = -Infinity
  }

  /** No node below the result comes into question. */
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

/** Whether the node suits, and has room for tasks of the job's shape. */
function isPossible(job: JobId, node: NodeId, { cluster, work, lane }: Round, suits?: (node: NodeId) => boolean): boolean {
  return cluster.couldTake(work.shape(job, lane), node) > 0 && (suits === undefined || suits(node))
}

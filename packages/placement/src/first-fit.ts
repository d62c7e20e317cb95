import { definePlacement, None, type ClusterView, type JobId, type NodeId, type Placement, type Plug, type Round, type ShapeId } from '@sched/core'
import { z } from 'zod'

/** The lowest node in sight on which the job's next task fits. */
export const firstFitPlacement = definePlacement({
  name: 'first-fit',
  summary: 'the lowest node on which the task fits',
  options: z.strictObject({}),
  create: () => new FirstFit(),
})

/** The lowest node on which the task fits. */
export const firstFit = (): Plug<'placement'> => firstFitPlacement.plug({})

/**
 * Remembers per shape how far the cluster had no room for it, so that a search over all nodes starts there: what has
 * changed since is known from the cluster's log of changes.
 */
export class FirstFit implements Placement {
  /** Of the cluster seen last: a round on a stock sees another one. */
  #cluster: ClusterView | undefined
  /** By shape: no node below it had room when `#seen` changes had happened. */
  #from: number[] = []
  #seen: number[] = []

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, lane, nodes, work } = round
    if (nodes.length < cluster.nodes) return among(job, round)
    const shape = work.shape(job, lane)
    // where a job may run differs among jobs of the shape, too
    if (cluster.changeLog === undefined || work.isDistinct(shape) || round.bars !== undefined) return scan(job, round, 0)
    if (cluster !== this.#cluster) this.#forget(cluster)
    const node = scan(job, round, this.#start(shape, job, round))
    this.#from[shape] = node === None ? cluster.nodes : node
    this.#seen[shape] = cluster.changeLog.count
    return node
  }

  /** No node below the result has room. */
  #start(shape: ShapeId, job: JobId, round: Round): number {
    const log = round.cluster.changeLog as NonNullable<ClusterView['changeLog']>
    const seen = this.#seen[shape]
    let from = this.#from[shape] ?? 0
    if (seen === undefined || log.count - seen > Math.min(log.kept, from)) return 0
    for (let change = seen; change < log.count; change++) {
      const node = log.node(change)
      if (node < from && round.fits(job, node)) from = node
    }
    return from
  }

  #forget(cluster: ClusterView): void {
    this.#cluster = cluster
    this.#from = []
    this.#seen = []
  }
}

function scan(job: JobId, round: Round, from: number): NodeId | None {
  const { cluster, lane } = round
  for (let node = cluster.nextWithRoom(lane, from); node !== None; node = cluster.nextWithRoom(lane, node + 1)) if (round.fits(job, node)) return node
  return None
}

function among(job: JobId, round: Round): NodeId | None {
  const { nodes } = round
  for (let i = 0; i < nodes.length; i++) if (round.fits(job, nodes[i] as NodeId)) return nodes[i] as NodeId
  return None
}

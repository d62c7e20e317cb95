import { None, type JobId, type NodeId, type Round } from '@sched/core'

/** The lowest node in sight with room for the job's next task. */
export function lowestFitting(job: JobId, round: Round): NodeId | None {
  const { cluster, lane } = round
  if (round.nodes.length === cluster.nodes) {
    for (let node = cluster.nextWithRoom(lane, 0); node !== None; node = cluster.nextWithRoom(lane, node + 1))
      if (round.fits(job, node)) return node
    return None
  }
  for (let i = 0; i < round.nodes.length; i++) if (round.fits(job, round.nodes[i] as NodeId)) return round.nodes[i] as NodeId
  return None
}

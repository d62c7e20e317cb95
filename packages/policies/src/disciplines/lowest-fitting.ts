import { None, Reason, type JobId, type KeptBack, type NodeId, type Placement, type Round } from '@sched/core'

/** The node for the job's next task: the only one in sight, else the one that the placement picks. */
export function nodeFor(job: JobId, round: Round, placement: Placement): NodeId | None {
  return round.nodes.length === 1 ? onlyNode(job, round, placement) : placement.pick(job, round)
}

/** The only node in sight, or `None` where rules about other tasks keep the job off it; such rules hold only without heartbeats. */
export function onlyNode(job: JobId, round: Round, placement: Placement | undefined): NodeId | None {
  const node = round.nodes[0] as NodeId
  return rulesHold(round) && placement?.wouldAllow?.(job, node, [], round) === false ? None : node
}

export const rulesHold = ({ work, cluster }: Round): boolean => work.areRules && cluster.heartbeat === 0

const NO_ROOM: KeptBack = { reason: Reason.NoRoom }

/** Why the job finds no node, for those who listen to `defer`: no room, or room that the placement does not take yet. */
export const whyNoNode = (job: JobId, round: Round, placement: Placement): KeptBack => placement.keepsBack?.(job, round) ?? NO_ROOM

/** Defers the job with the reason why it finds no node. */
export function deferWithoutNode(job: JobId, round: Round, placement: Placement): void {
  const { reason, limit } = whyNoNode(job, round, placement)
  round.defer(job, reason, limit)
}

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

import { None, type JobId, type NodeId, type Round } from '@sched/core'

/** Calls `visit` with the nodes in sight that have room, lowest first, until it returns true. Returns whether it did. */
export function someInSight(round: Round, visit: (node: NodeId) => boolean): boolean {
  const { cluster, lane, nodes } = round
  if (nodes.length < cluster.nodes) return nodes.some((node) => cluster.hasRoom(lane, node) && visit(node))
  for (let node = cluster.nextWithRoom(lane, 0); node !== None; node = cluster.nextWithRoom(lane, node + 1)) if (visit(node)) return true
  return false
}

/** The lowest node in sight on which the job's next task fits, or `None`. */
export function firstInSight(job: JobId, round: Round): NodeId | None {
  let found: NodeId | None = None
  someInSight(round, (node) => {
    if (round.fits(job, node)) found = node
    return found !== None
  })
  return found
}

/** Whether this many tasks of the job fit on the nodes in sight together. */
export function hasRoomInSight(job: JobId, tasks: number, round: Round): boolean {
  const shape = round.work.shape(job, round.lane)
  let room = 0
  return someInSight(round, (node) => {
    if (round.fits(job, node)) room += round.cluster.couldTake(shape, node)
    return room >= tasks
  })
}

import { None, type JobId, type NodeId, type Round } from '@sched/core'

/** Claims the job's task nearest to the node, at most `within` levels away; false when it has none or it does not fit. */
export function startNearest(job: JobId | number, node: NodeId, within: number, round: Round): boolean {
  if (!round.fits(job as JobId, node)) return false
  const task = round.work.taskFor(job as JobId, round.lane, node, within)
  return task !== None && round.claim(task, node)
}

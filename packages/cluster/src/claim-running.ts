import { SchedError, type LaneId, type NodeId, type Seconds, type ShapeId, type TaskId } from '@sched/core'
import type { Draft } from './draft.js'
import { deviceSet, type HeldDevices } from './held-devices.js'

/**
 * Claims a task on the node where it runs already, with the devices that it has there. Throws `INFEASIBLE` if it has no room there or may not be
 * there, and `BAD_INPUT` for devices that it cannot have.
 */
export function claimRunning(task: TaskId, node: NodeId, devices: HeldDevices, draft: Draft, now: Seconds): void {
  const { work, cluster } = draft
  const stage = work.taskStage[task] as number
  const set = deviceSet(devices, work.stageAsks[stage] as ShapeId, node, work, cluster)
  if (typeof set !== 'number') throw set
  const round = draft.begin(now, work.stageLane[stage] as LaneId, [node])
  const isClaimed = round.claim(task, node, set)
  round.commit({ conflict: 'none', atomic: false })
  if (!isClaimed || work.nodeOf(task) !== node)
    throw new SchedError(
      'INFEASIBLE',
      `a task of job ${work.name(work.jobOf(task))} has no room on node ${cluster.name(node)}, or may not be there.`,
      {},
      'Tell first of what has ended or failed there, and of a node that is down when all that runs on it is told.',
    )
}

import { definePlacement, None, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
import { z } from 'zod'

/** The lowest node in sight on which the job's next task fits. */
export const firstFitPlacement = definePlacement({
  name: 'first-fit',
  summary: 'the lowest node on which the task fits',
  options: z.strictObject({}),
  create: (): Placement => ({ pick: firstFitting }),
})

/** The lowest node on which the task fits. */
export const firstFit = (): Plug<'placement'> => firstFitPlacement.plug({})

function firstFitting(job: JobId, round: Round): NodeId | None {
  const { cluster, lane, nodes } = round
  if (nodes.length === cluster.nodes) {
    for (let node = cluster.nextWithRoom(lane, 0); node !== None; node = cluster.nextWithRoom(lane, node + 1))
      if (round.fits(job, node)) return node
    return None
  }
  for (let i = 0; i < nodes.length; i++) if (round.fits(job, nodes[i] as NodeId)) return nodes[i] as NodeId
  return None
}

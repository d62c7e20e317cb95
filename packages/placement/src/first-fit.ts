import { definePlacement, LowestNodes, None, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
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

/** The lowest node on which the task fits, of all nodes from where it is remembered by shape that there may be one. */
export class FirstFit implements Placement {
  readonly #byShape = new LowestNodes()

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, lane, nodes, work } = round
    return nodes.length < cluster.nodes ? among(job, round) : this.#byShape.find(work.shape(job, lane), job, round)
  }
}

function among(job: JobId, round: Round): NodeId | None {
  const { nodes } = round
  for (let i = 0; i < nodes.length; i++) if (round.fits(job, nodes[i] as NodeId)) return nodes[i] as NodeId
  return None
}

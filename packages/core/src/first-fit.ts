import { None, type JobId, type NodeId } from './ids.js'
import { LowestNodes } from './lowest-nodes.js'
import type { Placement } from './plugs.js'
import type { Round } from './round.js'

/** The lowest node in sight on which the job's next task fits: of all nodes the lowest with room for anything, if it fits there, otherwise from where it is remembered by shape that there may be one. */
export class FirstFit implements Placement {
  readonly #byShape = new LowestNodes()

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    if (nodes.length < cluster.nodes) return firstOf(job, round)
    const lowest = cluster.nextWithRoom(lane, 0)
    return lowest === None || round.fits(job, lowest) ? lowest : this.#byShape.find(work.shape(job, lane), job, round)
  }
}

function firstOf(job: JobId, round: Round): NodeId | None {
  const { nodes } = round
  for (let i = 0; i < nodes.length; i++) if (round.fits(job, nodes[i] as NodeId)) return nodes[i] as NodeId
  return None
}

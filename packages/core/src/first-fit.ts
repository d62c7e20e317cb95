import { None, type JobId, type NodeId } from './ids.js'
import { LowestNodes } from './lowest-nodes.js'
import type { Placement } from './plugs.js'
import type { Round } from './round.js'

/**
 * First fit: the lowest node in sight on which the job's next task fits. With all nodes in sight it tries the lowest node with any room first, then
 * continues where the search for the job's shape left off.
 */
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

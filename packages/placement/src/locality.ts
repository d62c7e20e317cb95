import { definePlacement, None, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
import { z } from 'zod'

/** The lowest node nearest to the data of one of the job's unplaced tasks: on it, else in its rack, else anywhere. Without data first fit. */
export const localityPlacement = definePlacement({
  name: 'locality',
  summary: 'the node nearest to the data of an unplaced task',
  source: 'Zaharia et al., EuroSys 2010, section 2 (node, rack, any)',
  options: z.strictObject({}),
  create: (): Placement => ({ pick: nearest }),
})

/** The node nearest to the data. */
export const locality = (): Plug<'placement'> => localityPlacement.plug({})

function nearest(job: JobId, round: Round): NodeId | None {
  const { cluster, work, lane } = round
  for (let level = work.hasData(job, lane) ? 0 : cluster.levels; level <= cluster.levels; level++) {
    const node = firstWithin(level, job, round)
    if (node !== None) return node
  }
  return None
}

function firstWithin(level: number, job: JobId, round: Round): NodeId | None {
  const { cluster, work, lane, nodes } = round
  const suits = (node: NodeId) => round.fits(job, node) && (level === cluster.levels || work.taskFor(job, lane, node, level) !== None)
  if (nodes.length === cluster.nodes) {
    for (let node = cluster.nextWithRoom(lane, 0); node !== None; node = cluster.nextWithRoom(lane, node + 1)) if (suits(node)) return node
    return None
  }
  return nodes.find(suits) ?? None
}

import { definePlacement, None, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
import { z } from 'zod'

/** The next node after the one used last on which the task fits, from the lowest again after the highest. */
export const roundRobinPlacement = definePlacement({
  name: 'round-robin',
  summary: 'nodes in turn',
  options: z.strictObject({}),
  create: (): Placement => new RoundRobin(),
})

/** Nodes in turn. */
export const roundRobin = (): Plug<'placement'> => roundRobinPlacement.plug({})

class RoundRobin implements Placement {
  #last: NodeId | None = None

  pick(job: JobId, round: Round): NodeId | None {
    const node = round.nodes.length === round.cluster.nodes ? this.#nextOfAll(job, round) : this.#nextInSight(job, round)
    if (node !== None) this.#last = node
    return node
  }

  #nextOfAll(job: JobId, round: Round): NodeId | None {
    const { cluster, lane } = round
    for (let node = cluster.nextWithRoom(lane, this.#last + 1); node !== None; node = cluster.nextWithRoom(lane, node + 1)) if (round.fits(job, node)) return node
    for (let node = cluster.nextWithRoom(lane, 0); node !== None && node <= this.#last; node = cluster.nextWithRoom(lane, node + 1))
      if (round.fits(job, node)) return node
    return None
  }

  #nextInSight(job: JobId, round: Round): NodeId | None {
    let first: NodeId | None = None
    for (const node of round.nodes) {
      if (node <= this.#last && first !== None) continue
      if (!round.fits(job, node)) continue
      if (node > this.#last) return node
      first = node
    }
    return first
  }
}

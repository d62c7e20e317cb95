import { definePlacement, LowestNodes, nodesByName, None, type Env, type JobId, type NodeId, type Placement, type Plug, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'

const roundRobinOptions = z.strictObject({
  stay: z.boolean().default(false).describe("keeps to the node used last while tasks fit on it: next fit, as CloudSim Plus' VmAllocationPolicyFirstFit"),
})
/** Options of `roundRobin`; all may be left out. */
export type RoundRobinOptions = z.input<typeof roundRobinOptions>

/**
 * The next node on which the task fits, after the one used last; after the highest node comes the lowest. With `stay` the search begins at the node
 * used last.
 */
export const roundRobinPlacement = definePlacement({
  name: 'round-robin',
  summary: 'nodes in turn',
  options: roundRobinOptions,
  create: ({ stay }, env): Placement => new RoundRobin(env, stay ? 0 : 1),
})

/** Nodes in turn. */
export const roundRobin = (options: RoundRobinOptions = {}): Plug<'placement'> => roundRobinPlacement.plug({}, options)

class RoundRobin implements Placement {
  /** Distance from the node used last to the one where the search begins. */
  readonly #step: 0 | 1
  readonly #cluster: Env['cluster']
  #last: NodeId | None = None
  /** Knows shapes that fit nowhere, so that not every node has to be asked. */
  readonly #byShape = new LowestNodes()

  constructor({ cluster }: Env, step: 0 | 1) {
    this.#cluster = cluster
    this.#step = step
  }

  /** The name of the node used last; null: none was. */
  memory(): string | null {
    return this.#last === None ? null : this.#cluster.name(this.#last)
  }

  /** Begins at the lowest where that node is not there any more. */
  recall(memory: unknown): void {
    this.#last = nodesByName(this.#cluster).get(memory as string) ?? None
  }

  pick(job: JobId, round: Round): NodeId | None {
    const node = round.nodes.length === round.cluster.nodes ? this.#nextOfAll(job, round) : this.#nextInSight(job, round)
    if (node !== None) this.#last = node
    return node
  }

  get #from(): number {
    return this.#last === None ? 0 : this.#last + this.#step
  }

  #nextOfAll(job: JobId, round: Round): NodeId | None {
    const { cluster, lane, work } = round
    const lowest = this.#byShape.find(work.shape(job, lane), job, round)
    if (lowest === None) return None
    for (let node = cluster.nextWithRoom(lane, Math.max(lowest, this.#from)); node !== None; node = cluster.nextWithRoom(lane, node + 1)) if (round.fits(job, node)) return node
    return lowest
  }

  #nextInSight(job: JobId, round: Round): NodeId | None {
    let first: NodeId | None = None
    for (const node of round.nodes) {
      if (node < this.#from && first !== None) continue
      if (!round.fits(job, node)) continue
      if (node >= this.#from) return node
      first = node
    }
    return first
  }
}

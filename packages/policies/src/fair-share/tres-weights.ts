import { SchedError, suggest, type Env, type JobId, type LaneId, type ResourceId } from '@sched/core'
import { allNodes } from '../shares/all-nodes.js'
import { slurmNames, slurmResource } from '../slurm-limits/amounts.js'
import { nodesOf } from './job-size.js'

/** In place of a resource: the number of nodes that a job asks for. */
const NODES = -1

/**
 * What the amounts that a job asks for add to its priority: for each resource the weight times the fraction that the job asks for of the total of
 * its partition's nodes, or times the amount itself (NO_NORMAL_TRES). The nodes of a partition are those with the label `partition:NAME`, or all if
 * none has it. `node` is the number of nodes, where no resource is called so.
 *
 * Source: Slurm, `_get_tres_factors` of priority/multifactor. Deviation: amounts are those of what starts together.
 */
export class TresWeights {
  readonly #env: Env
  readonly #isRaw: boolean
  readonly #weights: readonly { readonly resource: ResourceId | typeof NODES; readonly weight: number }[]
  /** By queue: the total of its nodes, by weighted resource. */
  readonly #totals = new Map<string, readonly number[]>()

  /** `weights`: by Slurm's or the cluster's name of the resource. Throws `BAD_OPTION` for a resource that the cluster lacks. */
  constructor(weights: Readonly<Record<string, number>>, isRaw: boolean, env: Env) {
    this.#env = env
    this.#isRaw = isRaw
    const { resources } = env.cluster
    const first = ['cpu', 'mem'].map((name) => slurmResource(name, resources)).concat(NODES)
    const place = (resource: number) => (first.includes(resource) ? first.indexOf(resource) : first.length)
    const weighted = Object.entries(weights).map(([name, weight]) => {
      if (/^node$/i.test(name) && !resources.includes(name)) return { resource: NODES, weight } as const
      const resource = slurmResource(name, resources)
      if (resource >= 0) return { resource: resource as ResourceId, weight }
      throw new SchedError(
        'BAD_OPTION',
        `the cluster has nothing that is "${name}".`,
        { field: 'multifactor.tres' },
        suggest(name, [...new Set([...slurmNames(resources), 'node'])]),
      )
    })
    this.#weights = weighted.sort((a, b) => place(a.resource) - place(b.resource)) // added up in Slurm's order: another one would change the last bit of some sums
  }

  /** What they add in this queue. */
  of(job: JobId, lane: LaneId, queue: string): number {
    const { work, cluster } = this.#env
    if (this.#weights.length === 0) return 0
    const totals = this.#totalsOf(queue)
    let sum = 0
    for (const [i, { resource, weight }] of this.#weights.entries()) {
      const total = totals[i] as number
      const asked = resource === NODES ? nodesOf(job, lane, this.#env) : cluster.lanes[lane]?.resources.includes(resource) === true ? work.asked(job, lane, resource) : 0
      if (this.#isRaw) sum += weight * asked
      else if (total > 0) sum += weight * (asked / total)
    }
    return sum
  }

  #totalsOf(queue: string): readonly number[] {
    const known = this.#totals.get(queue)
    if (known !== undefined) return known
    const { cluster } = this.#env
    const label = `partition:${queue}`
    const isMarked = cluster.labels.includes(label)
    const nodes = allNodes(cluster).filter((node) => !isMarked || cluster.label(node, label) !== undefined)
    const totals = this.#weights.map(({ resource }) => (resource === NODES ? nodes.length : nodes.reduce((sum, node) => sum + cluster.total(node, resource), 0)))
    this.#totals.set(queue, totals)
    return totals
  }
}

/** Reads weights such as `CPU=1000,Mem=2000,GRES/gpu=3000`. Throws `BAD_OPTION` for any other text. */
export function tresWeights(written: string | Readonly<Record<string, number>>, field: string): Readonly<Record<string, number>> {
  if (typeof written !== 'string') return written
  return Object.fromEntries(written.split(',').map((part) => part.trim()).filter((part) => part !== '').map((part) => {
    const [, name, weight] = /^([^=\s]+)\s*=\s*(\d+(?:\.\d*)?)$/.exec(part) ?? []
    if (name !== undefined) return [name, Number(weight)]
    throw new SchedError('BAD_OPTION', `found the weight ${JSON.stringify(part)}.`, { field }, 'Write CPU=1000,Mem=2000,GRES/gpu=3000.')
  }))
}

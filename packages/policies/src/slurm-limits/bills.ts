import type { ClusterView, LaneId, ResourceId, ShapeId, WorkView } from '@sched/core'
import { addedUp, billingOf } from '../fair-share/billing.js'

/** The options by which jobs are billed. */
interface BillingOptions {
  readonly billing?: Readonly<Record<string, number>> | undefined
  readonly partitionBilling: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly maxTres: boolean | 'gres'
}

/** The cost of this many tasks in whole units, given the amount of each resource that one task asks for. */
export type Bill = (tasks: number, amountOf: (resource: number) => number) => number

/**
 * How jobs are billed, Slurm's TRES `billing`: amounts times the weights of the partition, added up and rounded down. With `maxTres` true the cost is the
 * largest of these products instead; with `gres` it is the largest of those of processors, memory and nodes, plus all others. The cost counts as a resource
 * after the last one of the cluster.
 *
 * Source: Slurm, `assoc_mgr_tres_weighted` and tres.html. Left out: weights of licences and burst buffers.
 */
export class Bills {
  readonly #usual: Bill
  readonly #own: ReadonlyMap<string, Bill>
  readonly #isAdded: readonly boolean[]

  constructor({ billing, partitionBilling, maxTres }: BillingOptions, cluster: ClusterView) {
    this.#isAdded = addedUp(maxTres, cluster.resources)
    this.#usual = this.#billBy(billingOf(billing, cluster, 'billing'))
    this.#own = new Map(Object.entries(partitionBilling).map(([partition, weights]) => [partition, this.#billBy(billingOf(weights, cluster, `partitionBilling.${partition}`))]))
  }

  /** How jobs of a partition are billed. */
  of(partition: string): Bill {
    return this.#own.get(partition) ?? this.#usual
  }

  #billBy(weights: Float64Array): Bill {
    return (tasks, amountOf) => {
      let [largest, sum] = [0, 0]
      for (let r = 0; r < weights.length; r++) {
        const own = tasks * amountOf(r) * (weights[r] as number)
        if (this.#isAdded[r] === true) sum += own
        else largest = Math.max(largest, own)
      }
      return Math.floor(largest + sum)
    }
  }
}

/** The cost of this many tasks of a shape, by the resources of their lane. */
export const billOf = (bill: Bill, tasks: number, shape: ShapeId, lane: LaneId, { work, cluster }: { readonly work: WorkView; readonly cluster: ClusterView }): number =>
  bill(tasks, (resource) => (cluster.lanes[lane]?.resources.includes(resource as ResourceId) === true ? work.demand(shape, resource as ResourceId) : 0))

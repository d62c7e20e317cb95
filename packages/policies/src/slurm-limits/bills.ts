import type { ClusterView, LaneId, ResourceId, ShapeId, WorkView } from '@sched/core'
import { addedUp, billingOf } from '../fair-share/billing.js'

/** What the options say of bills. */
interface BillingOptions {
  readonly billing?: Readonly<Record<string, number>> | undefined
  readonly partitionBilling: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly maxTres: boolean | 'gres'
}

/** Whole units that so many tasks cost, which ask for an amount of each resource. */
export type Bill = (tasks: number, amountOf: (resource: number) => number) => number

/**
 * The bills of jobs, Slurm's TRES `billing`: amounts times the weights of the partition, added up, or the largest of them (with `gres` of
 * processors, memory and nodes, to which all else is added), and rounded down. They count beside the resources of the cluster, as the last one.
 *
 * Source: Slurm, `assoc_mgr_tres_weighted` and tres.html. Left out: licences and burst buffers among the weights.
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

/** The same of tasks of a shape. */
export const billOf = (bill: Bill, tasks: number, shape: ShapeId, lane: LaneId, { work, cluster }: { readonly work: WorkView; readonly cluster: ClusterView }): number =>
  bill(tasks, (resource) => (cluster.lanes[lane]?.resources.includes(resource as ResourceId) === true ? work.demand(shape, resource as ResourceId) : 0))

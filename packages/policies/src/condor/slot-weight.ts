import { SchedError, type ClusterView, type LaneId, type ResourceId } from '@sched/core'
import { slotsIn } from '../orders/slot-resource.js'

/** What amounts of the resources of a lane weigh (SLOT_WEIGHT). Amounts are kept as they are and weighed when they are read, so that sums are exact. */
export class SlotWeight {
  readonly resources: readonly ResourceId[]
  readonly #weights: readonly number[]

  constructor(cluster: ClusterView, lane: LaneId, weights: Readonly<Record<string, number>> | undefined) {
    for (const name of Object.keys(weights ?? {}))
      if (!cluster.resources.includes(name))
        throw new SchedError('BAD_OPTION', `SLOT_WEIGHT names ${name}, which no node has.`, { field: 'negotiator.SLOT_WEIGHT' }, `Known: ${cluster.resources.join(', ')}.`)
    const slots = slotsIn(cluster)[lane]
    const all = cluster.lanes[lane]?.resources ?? []
    const weightOf = (r: ResourceId) => (weights === undefined ? Number(r === slots) : (weights[cluster.resources[r] as string] ?? 0))
    this.resources = all.filter((r) => weightOf(r) > 0)
    this.#weights = this.resources.map(weightOf)
    if (weights !== undefined && all.length > 0 && this.resources.length === 0)
      throw new SchedError('BAD_OPTION', `SLOT_WEIGHT gives ${all.map((r) => cluster.resources[r]).join(', ')} no weight, so that users get no slices.`, { field: 'negotiator.SLOT_WEIGHT' }, 'Give one of them a weight above 0, or leave the option out.')
  }

  /** The weight of what `amount` gives for each resource. */
  of(amount: (resource: ResourceId) => number): number {
    let weight = 0
    for (let i = 0; i < this.resources.length; i++) weight += (this.#weights[i] as number) * amount(this.resources[i] as ResourceId)
    return weight
  }
}

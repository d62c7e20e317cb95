import { grown, type ClusterView, type LaneId, type ResourceId } from '@sched/core'

/** Amounts in use by owners (pools or jobs, by dense id), and the part of the cluster that they are. */
export class Usage {
  /** `[owner * resources + resource]`. */
  used = new Float64Array(64)
  readonly resources: number
  /** The amount that is a share of 1, per owner and resource: capacity times weight. A share is then one division, so equal fractions give equal numbers. */
  #whole = new Float64Array(64)
  #weight = new Float64Array(64)
  #owners = 0
  readonly #lanes: readonly (readonly ResourceId[])[]
  readonly #cluster: ClusterView
  readonly #capacity: Float64Array

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
    this.resources = cluster.resources.length
    this.#lanes = cluster.lanes.map((lane) => lane.resources)
    this.#capacity = Float64Array.from({ length: this.resources }, (_, r) => cluster.capacity(r as ResourceId))
  }

  capacity(resource: ResourceId): number {
    return this.#capacity[resource] as number
  }

  /** The weight of an owner for the first resource of a lane. */
  weight(owner: number, lane: LaneId): number {
    return this.#weight[owner * this.resources + ((this.#lanes[lane] as readonly ResourceId[])[0] ?? 0)] as number
  }

  /** Sets an owner's amounts to 0. `weights` are one number, or one per resource. */
  open(owner: number, weights: number | readonly number[]): void {
    const { resources } = this
    if ((owner + 1) * resources > this.used.length) this.#grow((owner + 1) * resources)
    this.#owners = Math.max(this.#owners, owner + 1)
    for (let r = 0; r < resources; r++) {
      const at = owner * resources + r
      const weight = typeof weights === 'number' ? weights : (weights[r] as number)
      this.used[at] = 0
      this.#weight[at] = weight
      this.#whole[at] = (this.#capacity[r] as number) * weight
    }
  }

  add(owner: number, lane: LaneId, amounts: Float64Array): void {
    const at = owner * this.resources
    const { used } = this
    const resources = this.#lanes[lane] as readonly ResourceId[]
    for (let i = 0; i < resources.length; i++) {
      const r = resources[i] as number
      used[at + r] = (used[at + r] as number) + (amounts[r] as number)
    }
  }

  /** Adds amounts and returns the dominant share that results, in one pass. */
  addToShare(owner: number, lane: LaneId, amounts: Float64Array): number {
    const at = owner * this.resources
    const { used } = this
    const whole = this.#whole
    const resources = this.#lanes[lane] as readonly ResourceId[]
    let share = 0
    for (let i = 0; i < resources.length; i++) {
      const r = resources[i] as number
      const amount = (used[at + r] as number) + (amounts[r] as number)
      used[at + r] = amount
      if (amount === 0) continue // of nothing there may be nothing
      const part = amount / (whole[at + r] as number)
      if (part > share) share = part
    }
    return share
  }

  /**
   * The largest fraction of the cluster that the owner has of any resource of the lane, over its weight. `used`: a column of other amounts to use
   * in place of those in use.
   */
  dominantShare(owner: number, lane: number, used = this.used): number {
    const at = owner * this.resources
    const resources = this.#lanes[lane] as readonly ResourceId[]
    let share = 0
    for (let i = 0; i < resources.length; i++) {
      const amount = used[at + (resources[i] as number)] as number
      if (amount === 0) continue // of nothing there may be nothing
      const part = amount / (this.#whole[at + (resources[i] as number)] as number)
      if (part > share) share = part
    }
    return share
  }

  /** The sum of the owner's fractions of all resources of the lane, over its weight. */
  assetShare(owner: number, lane: number): number {
    const at = owner * this.resources
    let share = 0
    for (const r of this.#lanes[lane] as readonly ResourceId[]) {
      const amount = this.used[at + r] as number
      if (amount > 0) share += amount / (this.#whole[at + r] as number)
    }
    return share
  }

  /** Takes over what the cluster has now; returns whether that has changed, and every share with it. */
  refresh(lane: number): boolean {
    const resources = this.#lanes[lane] as readonly ResourceId[]
    let changed = false
    for (let i = 0; i < resources.length; i++) {
      const r = resources[i] as ResourceId
      const capacity = this.#cluster.capacity(r)
      if (this.#capacity[r] === capacity) continue
      this.#capacity[r] = capacity
      changed = true
    }
    if (!changed) return false
    for (let at = 0; at < this.#owners * this.resources; at++) this.#whole[at] = (this.#capacity[at % this.resources] as number) * (this.#weight[at] as number)
    return true
  }

  #grow(needed: number): void {
    this.used = grown(this.used, needed)
    this.#whole = grown(this.#whole, needed)
    this.#weight = grown(this.#weight, needed)
  }
}

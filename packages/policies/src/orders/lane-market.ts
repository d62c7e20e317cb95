import type { LaneId, ResourceId, ShapeId } from '@sched/core'
import { ceeiMarket } from '../shares/ceei-shares.js'
import type { Shares } from './share-order.js'

/** The market of one lane: who buys, which shape of tasks, and what part of the whole each would buy. */
export class LaneMarket {
  /** By pool: dominant share that it would buy; 1 for a pool that has never been in the market. */
  readonly target: number[] = []
  readonly #shares: Shares
  readonly #lane: LaneId
  readonly #resources: readonly ResourceId[]
  readonly #weightOf: ReadonlyMap<string, number>
  /** By pool: the shape that it bought when the market was solved; `undefined` outside the market. */
  #shapes: (ShapeId | undefined)[] = []
  #buyers = new Int32Array(0)
  #capacities: number[] = []

  constructor(shares: Shares, lane: LaneId, weightOf: ReadonlyMap<string, number>) {
    this.#shares = shares
    this.#lane = lane
    this.#resources = shares.cluster.lanes[lane]?.resources ?? []
    this.#weightOf = weightOf
  }

  /** Solves the market if it is not the one that was solved last; returns the pools whose targets may have changed. */
  bring(): Iterable<number> {
    if (this.#isKnown()) return []
    const { lists, usage } = this.#shares
    this.#capacities = this.#resources.map((r) => usage.capacity(r))
    const { ids, from, to } = lists.listed(0, this.#lane)
    for (const pool of this.#buyers) this.#shapes[pool] = undefined
    this.#buyers = ids.slice(from, to).sort().filter((pool) => this.#buys(this.#shapeOf(pool)))
    for (const pool of this.#buyers) this.#shapes[pool] = this.#shapeOf(pool)
    this.#solve()
    return this.#buyers
  }

  /** Whether the same pools want tasks of the same shapes, of the same capacities, as when the market was solved last. */
  #isKnown(): boolean {
    const { lists, usage } = this.#shares
    if (this.#resources.some((r, i) => usage.capacity(r) !== this.#capacities[i])) return false
    const { ids, from, to } = lists.listed(0, this.#lane)
    let buyers = 0
    for (let i = from; i < to; i++) {
      const pool = ids[i] as number
      const shape = this.#shapeOf(pool)
      if (this.#shapes[pool] === shape) buyers++
      else if (this.#buys(shape)) return false
    }
    return buyers === this.#buyers.length
  }

  #shapeOf(pool: number): ShapeId {
    return this.#shares.work.shape(this.#shares.lists.firstJob(pool, this.#lane), this.#lane)
  }

  #buys(shape: ShapeId): boolean {
    return this.#resources.some((r) => this.#shares.work.demand(shape, r) > 0)
  }

  #solve(): void {
    const { tree, work } = this.#shares
    const demandOf = new Map<ShapeId, number[]>()
    for (const pool of this.#buyers) {
      const shape = this.#shapes[pool] as ShapeId
      if (!demandOf.has(shape)) demandOf.set(shape, this.#resources.map((r) => work.demand(shape, r)))
    }
    const { shares } = ceeiMarket({
      capacities: this.#capacities,
      demands: Array.from(this.#buyers, (pool) => demandOf.get(this.#shapes[pool] as ShapeId) as number[]),
      weights: Array.from(this.#buyers, (pool) => this.#weightOf.get(tree.pools[pool]?.path ?? '') ?? 1),
    })
    for (const [i, pool] of this.#buyers.entries()) this.target[pool] = shares[i] as number
  }
}

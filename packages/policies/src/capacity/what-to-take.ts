import type { LaneId, ShapeId } from '@sched/core'
import { compareShares } from './comparing.js'
import type { QueueLoads } from './ideal-allocation.js'
import type { Pots } from './pots.js'

/**
 * What is still to be taken from a leaf in a pot, and from all leaves together in one round. A container is taken if it
 * brings some of what is wanted and no resource would exceed what a round may take. A gang is taken as a whole, if the leaf keeps
 * its guarantee; a gang that is larger than what a round may take is taken only as the first of its round. Conservatively
 * (`conservativeDrf`), a container is taken only while some of every resource is wanted.
 *
 * Source: Hadoop 3, CapacitySchedulerPreemptionUtils.tryPreemptContainerAndDeductResToObtain.
 */
export class WhatToTake {
  /** What the round may still take in total, by counted resource. */
  readonly allowed: Float64Array
  readonly #pots: Pots
  /** Whether nothing more is taken from a leaf once there is enough of one resource. */
  readonly #isConservative: boolean
  /** What the leaf is still to give; below 0 if the last container was larger than that. */
  readonly #left: Float64Array
  /** What the leaf uses, without what is taken. */
  readonly #rest: Float64Array
  #leaf = 0
  #loads!: QueueLoads
  #pot = 0
  #lane: LaneId = 0 as LaneId

  constructor(pots: Pots, isConservative: boolean) {
    const vector = () => new Float64Array(pots.width)
    this.#pots = pots
    this.#isConservative = isConservative
    this.allowed = vector()
    this.#left = vector()
    this.#rest = vector()
  }

  /** Starts a round in which the fraction `part` of the cluster, over all partitions, may be taken. */
  begin(lane: LaneId, part: number): void {
    const { count, lanes, width, totals } = this.#pots
    this.#lane = lane
    for (let i = 0; i < width; i++) {
      let total = 0
      for (let pot = lane as number; pot < count; pot += lanes) total += totals[pot * width + i] as number
      this.allowed[i] = Math.floor(total * part)
    }
  }

  /** Turns to a leaf of a pot; `loads` are those of the pot. False: nothing is to be taken from the leaf. */
  beginLeaf(toObtain: Float64Array, leaf: number, pot: number, loads: QueueLoads): boolean {
    const { width } = this.#pots
    let isSome = false
    for (let at = leaf * width; at < (leaf + 1) * width; at++) if ((toObtain[at] as number) > 0) isSome = true
    if (!isSome) return false
    this.#pot = pot
    this.#leaf = leaf
    this.#loads = loads
    for (let i = 0; i < width; i++) {
      this.#left[i] = toObtain[leaf * width + i] as number
      this.#rest[i] = loads.used[leaf * width + i] as number
    }
    return true
  }

  /** Takes a task of a shape, which was chosen before, off what the leaf uses. */
  leaveWithout(shape: ShapeId): void {
    this.#add(this.#rest, this.#pots.demandAt(shape, this.#lane), -1)
  }

  get isDone(): boolean {
    const left = this.#left
    for (let i = 0; i < left.length; i++) if ((left[i] as number) > 0) return false
    return true
  }

  /** Whether the round may take no more containers, however small. */
  get isSpent(): boolean {
    const { width, least } = this.#pots
    for (let i = 0; i < width; i++) if ((least[this.#lane * width + i] as number) > (this.allowed[i] as number)) return true
    return false
  }

  /** Whether a node is in the pot of which the leaf is to give. */
  isHere(node: number, lane: LaneId): boolean {
    return this.#pots.of(lane, node) === this.#pot
  }

  /** How many containers of a shape may be taken one after another, so that each brings something that is wanted and stays within what is allowed. */
  most(shape: ShapeId): number {
    const from = this.#pots.demandAt(shape, this.#lane)
    const { width, demands, totals } = this.#pots
    const [left, allowed] = [this.#left, this.allowed]
    let may = Infinity
    let wanted = 0
    for (let i = 0; i < width; i++) {
      const amount = demands[from + i] as number
      if (amount === 0) continue
      const most = Math.floor((allowed[i] as number) / amount)
      if (most < may) may = most
      const brings = Math.ceil((left[i] as number) / amount)
      if (brings > wanted && (width === 1 || (totals[this.#pot * width + i] as number) > 0)) wanted = brings
    }
    if (this.#isConservative) wanted = this.#untilEnough(from)
    return Math.max(0, may < wanted ? may : wanted) // after a gang larger than what is allowed, `may` is below 0
  }

  /** How many containers of a demand are taken until there is enough of one resource; 0 if there is enough already. */
  #untilEnough(from: number): number {
    const { width, demands, totals } = this.#pots
    let count = Infinity
    for (let i = 0; i < width; i++) {
      const left = this.#left[i] as number
      if (left <= 0 && (width === 1 || (totals[this.#pot * width + i] as number) > 0)) return 0
      const amount = demands[from + i] as number
      if (amount > 0 && left > 0) count = Math.min(count, Math.ceil(left / amount))
    }
    return count === Infinity ? 0 : count
  }

  /** Whether so many containers of a shape may be taken together; `isFirst`: nothing has been taken in this round yet. */
  mayTogether(shape: ShapeId, count: number, isFirst: boolean): boolean {
    const from = this.#pots.demandAt(shape, this.#lane)
    const { width, demands } = this.#pots
    const { guaranteed, total } = this.#loads
    let brings = false
    for (let i = 0; i < width; i++) {
      const amount = count * (demands[from + i] as number)
      if (amount > (this.allowed[i] as number) && !isFirst) return false
      if (amount > 0 && (this.#left[i] as number) > 0) brings = true
    }
    if (!brings || (this.#isConservative && this.#untilEnough(from) === 0)) return false
    this.#add(this.#rest, from, -count)
    const keeps = compareShares(this.#rest, 0, guaranteed, this.#leaf * width, total, 0, width) >= 0
    this.#add(this.#rest, from, count)
    return keeps
  }

  /** Takes so many containers of a shape. */
  take(shape: ShapeId, count: number): void {
    const from = this.#pots.demandAt(shape, this.#lane)
    this.#add(this.#left, from, -count)
    this.#add(this.#rest, from, -count)
    this.#add(this.allowed, from, -count)
  }

  #add(to: Float64Array, from: number, count: number): void {
    const { width, demands } = this.#pots
    for (let i = 0; i < width; i++) to[i] = (to[i] as number) + count * (demands[from + i] as number)
  }
}

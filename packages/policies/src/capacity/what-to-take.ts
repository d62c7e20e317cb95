import type { LaneId, ShapeId } from '@sched/core'
import type { Pots } from './pots.js'

/**
 * What is still to be taken from a leaf in a pot, and from all leaves together in one round. A container is taken if it
 * brings some of what is wanted and no resource would exceed what a round may take.
 *
 * Source: Hadoop 3, CapacitySchedulerPreemptionUtils.tryPreemptContainerAndDeductResToObtain.
 */
export class WhatToTake {
  /** What the round may still take in all, by counted resource. */
  readonly allowed: Float64Array
  readonly #pots: Pots
  /** What the leaf is still to give; below 0 where one container was larger than that. */
  readonly #left: Float64Array
  #pot = 0
  #lane: LaneId = 0 as LaneId

  constructor(pots: Pots) {
    const vector = () => new Float64Array(pots.width)
    this.#pots = pots
    this.allowed = vector()
    this.#left = vector()
  }

  /** Starts a round in which a part of the cluster may be taken, over all partitions. */
  begin(lane: LaneId, part: number): void {
    const { count, lanes, width, totals } = this.#pots
    this.#lane = lane
    for (let i = 0; i < width; i++) {
      let total = 0
      for (let pot = lane as number; pot < count; pot += lanes) total += totals[pot * width + i] as number
      this.allowed[i] = Math.floor(total * part)
    }
  }

  /** Turns to a leaf; false: nothing is to be taken from it. */
  beginLeaf(toObtain: Float64Array, leaf: number, pot: number): boolean {
    const { width } = this.#pots
    let isSome = false
    for (let at = leaf * width; at < (leaf + 1) * width; at++) if ((toObtain[at] as number) > 0) isSome = true
    if (!isSome) return false
    this.#pot = pot
    for (let i = 0; i < width; i++) this.#left[i] = toObtain[leaf * width + i] as number
    return true
  }

  get isDone(): boolean {
    const left = this.#left
    for (let i = 0; i < left.length; i++) if ((left[i] as number) > 0) return false
    return true
  }

  /** Whether the round may take no container any more, however small. */
  get isSpent(): boolean {
    const { width, least } = this.#pots
    for (let i = 0; i < width; i++) if ((least[this.#lane * width + i] as number) > (this.allowed[i] as number)) return true
    return false
  }

  /** Whether a node is of the pot that the leaf is to give. */
  isHere(node: number, lane: LaneId): boolean {
    return this.#pots.of(lane, node) === this.#pot
  }

  /** How many containers of a shape may be taken, one after the other: as long as each brings something, and is allowed. */
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
    return may < wanted ? may : wanted
  }

  /** Takes so many of them. */
  take(shape: ShapeId, count: number): void {
    const from = this.#pots.demandAt(shape, this.#lane)
    const { width, demands } = this.#pots
    const [left, allowed] = [this.#left, this.allowed]
    for (let i = 0; i < width; i++) {
      const amount = count * (demands[from + i] as number)
      left[i] = (left[i] as number) - amount
      allowed[i] = (allowed[i] as number) - amount
    }
  }
}

import { None, type LaneId, type ShapeId } from '@sched/core'
import type { Pots } from './pots.js'

/**
 * What is still to be taken from a leaf in a pot, and from all leaves together in one round. A container is taken if it
 * brings some of what is wanted and no resource would exceed what a round may take.
 *
 * Source: Hadoop 3, CapacitySchedulerPreemptionUtils.tryPreemptContainerAndDeductResToObtain.
 */
export class WhatToTake {
  readonly #allowed: Float64Array
  readonly #pots: Pots
  /** What the leaf is still to give; below 0 where one container was larger than that. */
  readonly #left: Float64Array
  #pot = 0
  #lane: LaneId = 0 as LaneId
  /** The shape that was taken last, how many of it are not counted yet in `left` and `allowed`, and how many more may be taken. */
  #shape: number = None
  #taken = 0
  #open = 0

  constructor(pots: Pots) {
    const vector = () => new Float64Array(pots.width)
    this.#pots = pots
    this.#allowed = vector()
    this.#left = vector()
  }

  /** Starts a round in which a part of the cluster may be taken, over all partitions. */
  begin(lane: LaneId, part: number): void {
    const { count, lanes, width, totals } = this.#pots
    this.#lane = lane
    this.#turnTo(None)
    for (let i = 0; i < width; i++) {
      let total = 0
      for (let pot = lane as number; pot < count; pot += lanes) total += totals[pot * width + i] as number
      this.#allowed[i] = Math.floor(total * part)
    }
  }

  /** What the round may still take in all, by counted resource. */
  get allowed(): Float64Array {
    this.#count()
    return this.#allowed
  }

  /** Turns to a leaf; false: nothing is to be taken from it. */
  beginLeaf(toObtain: Float64Array, leaf: number, pot: number): boolean {
    const { width } = this.#pots
    let isSome = false
    for (let at = leaf * width; at < (leaf + 1) * width; at++) if ((toObtain[at] as number) > 0) isSome = true
    if (!isSome) return false
    this.#turnTo(None)
    this.#pot = pot
    for (let i = 0; i < width; i++) this.#left[i] = toObtain[leaf * width + i] as number
    return true
  }

  get isDone(): boolean {
    if (this.#open > 0) return false
    const left = this.#left
    for (let i = 0; i < left.length; i++) if ((left[i] as number) > 0) return false
    return true
  }

  /** Whether the round may take no container any more, however small. */
  get isSpent(): boolean {
    const { width, least } = this.#pots
    this.#count()
    for (let i = 0; i < width; i++) if ((least[this.#lane * width + i] as number) > (this.#allowed[i] as number)) return true
    return false
  }

  /** Whether a node is of the pot that the leaf is to give. */
  isHere(node: number, lane: LaneId): boolean {
    return this.#pots.of(lane, node) === this.#pot
  }

  /** Takes a container in the pot, if that brings what is wanted. One that is refused would be refused again by the same leaf. */
  take(shape: ShapeId): boolean {
    if (shape !== this.#shape) this.#turnTo(shape)
    if (this.#open === 0) return false
    this.#taken++
    if (--this.#open === 0) this.#count()
    return true
  }

  /** Finds how many of a shape may be taken: as long as each brings something, and is allowed. */
  #turnTo(shape: number): void {
    this.#count()
    this.#shape = shape
    this.#open = 0
    if (shape === None) return
    const from = this.#pots.demandAt(shape as ShapeId, this.#lane)
    const { width, demands, totals } = this.#pots
    let allowed = Infinity
    let wanted = 0
    for (let i = 0; i < width; i++) {
      const amount = demands[from + i] as number
      if (amount === 0) continue
      allowed = Math.min(allowed, Math.floor((this.#allowed[i] as number) / amount))
      if (width === 1 || (totals[this.#pot * width + i] as number) > 0) wanted = Math.max(wanted, Math.ceil((this.#left[i] as number) / amount))
    }
    this.#open = Math.max(0, Math.min(allowed, wanted))
  }

  /** Counts what was taken of the shape. */
  #count(): void {
    if (this.#taken === 0) return
    const from = this.#pots.demandAt(this.#shape as ShapeId, this.#lane)
    const { width, demands } = this.#pots
    for (let i = 0; i < width; i++) {
      const amount = this.#taken * (demands[from + i] as number)
      this.#left[i] = (this.#left[i] as number) - amount
      this.#allowed[i] = (this.#allowed[i] as number) - amount
    }
    this.#taken = 0
  }
}

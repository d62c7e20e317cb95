import type { Env, JobId, LaneId, ResourceId, ShapeId } from '@sched/core'
import { mostOfAny } from '../shares/all-nodes.js'
import type { Reservable } from './capacity.js'
import type { NodeReservations } from './node-reservations.js'

/**
 * How many nodes a job may reserve: as many as it has waiting tasks. The longer its reservations wait, the more it may have, and the more so the less of a
 * node its tasks ask for.
 *
 * Source: Hadoop 3, RegularContainerAllocator.shouldAllocOrReserveNewContainer.
 */
export class ReservationLimits {
  readonly #reservations: NodeReservations
  readonly #env: Env
  readonly #order: Reservable | undefined
  /** By resource: the most that any node has. */
  readonly #largest: readonly number[]
  /** By shape, which belongs to one lane: the part of the largest node that a task asks for. */
  readonly #partOf: number[] = []

  /** `order`: says which resources count, by default all of the lane, and how small allocations are, by default 1. */
  constructor(reservations: NodeReservations, env: Env, order: Reservable | undefined) {
    this.#reservations = reservations
    this.#env = env
    this.#order = order
    this.#largest = env.cluster.resources.map((_, r) => mostOfAny(env.cluster, r as ResourceId))
  }

  /** Whether the job may start or reserve for one more task of the shape. */
  allowMore(job: JobId, lane: LaneId, shape: ShapeId): boolean {
    const reserved = this.#reservations.countFor(job, lane, shape)
    if (reserved === 0) return true
    const starvation = Math.floor((this.#reservations.again(job, lane) / reserved) * (1 - this.#partOfNode(shape, lane)))
    return starvation + this.#env.work.unplaced(job, lane) > reserved
  }

  /** The part of the largest node that a task of the shape asks for, over all resources the largest; at most what the smallest task leaves of that node. */
  #partOfNode(shape: ShapeId, lane: LaneId): number {
    const known = this.#partOf[shape]
    if (known !== undefined) return known
    const { work, cluster } = this.#env
    let asked = 0
    let beside = 0
    for (const [i, r] of (this.#order?.counted[lane] ?? cluster.lanes[lane]?.resources ?? []).entries()) {
      const most = this.#largest[r] as number
      if (most === 0) continue
      asked = Math.max(asked, work.demand(shape, r) / most)
      beside = Math.max(beside, (most - (this.#order?.minimum[lane]?.[i] ?? 1)) / most)
    }
    return (this.#partOf[shape] = Math.min(asked, beside))
  }
}

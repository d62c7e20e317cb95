import { grown, type JobId, type LaneId, type WorkView } from '@sched/core'
import type { NodeReservations } from './node-reservations.js'
import type { Pots } from './pots.js'

/**
 * What waiting jobs want, summed by users in leaves. A job is noted when it changes and counted anew only when sums are read: between
 * two looks most jobs stay as they are, and one that changes often is counted once.
 */
export class WaitingAmounts {
  /** `[(pair * pots + pot) * 2 * width + i]`: all that is wanted; `+ width`: the part of it without reservations. Valid after `refresh`. */
  sums = new Float64Array(64)
  readonly #pots: Pots
  readonly #work: WorkView
  readonly #reservations: NodeReservations
  /** The pot in which a waiting job is listed, `[job * lanes + lane]`, -1: in none; and by job its pair of leaf and user. */
  readonly #potOf: readonly number[]
  readonly #pairOf: readonly number[]
  /** `[job * lanes + lane]`: the entry of `sums` in which the job is counted, -1: none; and the amounts counted there. */
  readonly #at: number[] = []
  #counted = new Float64Array(64)
  /** The indices `job * lanes + lane` that are to be counted anew, and by index whether it is among them. */
  readonly #changed: number[] = []
  readonly #isChanged: boolean[] = []

  constructor(pots: Pots, work: WorkView, reservations: NodeReservations, { potOf, pairOf }: { readonly potOf: readonly number[]; readonly pairOf: readonly number[] }) {
    this.#pots = pots
    this.#work = work
    this.#reservations = reservations
    this.#potOf = potOf
    this.#pairOf = pairOf
  }

  /** Notes that the job has come, has gone, or wants or reserves something else now. */
  note(job: JobId, lane: LaneId): void {
    const index = job * this.#pots.lanes + lane
    if (this.#isChanged[index] === true) return
    this.#isChanged[index] = true
    this.#changed.push(index)
  }

  /** Counts anew the jobs that have changed; `pairs`: the number of pairs of leaf and user. */
  refresh(pairs: number): void {
    const size = pairs * this.#pots.count * 2 * this.#pots.width
    this.sums = grown(this.sums, size)
    for (const index of this.#changed) {
      this.#isChanged[index] = false
      this.#recount(index)
    }
    this.#changed.length = 0
  }

  /** What a job wants in a pot, as it was counted last. */
  wanted(job: JobId, pot: number): number[] {
    const { count, lanes, width } = this.#pots
    const index = job * lanes + this.#pots.laneOf(pot)
    const at = this.#at[index] ?? -1
    return Array.from({ length: width }, (_, i) => (at >= 0 && at % count === pot ? (this.#counted[index * 2 * width + i] as number) : 0))
  }

  #recount(index: number): void {
    const { count, lanes, width } = this.#pots
    const from = index * 2 * width
    this.#counted = grown(this.#counted, from + 2 * width)
    this.#add(index, -1)
    const job = Math.floor(index / lanes) as JobId
    const pot = this.#potOf[index] as number
    this.#at[index] = pot < 0 ? -1 : (this.#pairOf[job] as number) * count + pot
    if (pot < 0) return
    this.#measure(job, pot, from)
    this.#add(index, 1)
  }

  /** Adds what is counted for a job to the sums (`sign` 1), or takes it away (-1). */
  #add(index: number, sign: 1 | -1): void {
    const at = this.#at[index] ?? -1
    if (at < 0) return
    const { sums } = this
    const vector = 2 * this.#pots.width
    for (let i = 0; i < vector; i++) sums[at * vector + i] = (sums[at * vector + i] as number) + sign * (this.#counted[index * vector + i] as number)
  }

  /** Computes what a job wants in a pot. */
  #measure(job: JobId, pot: number, from: number): void {
    const { width } = this.#pots
    const counted = this.#counted
    const lane = this.#pots.laneOf(pot) as LaneId
    const tasks = this.#work.unplaced(job, lane)
    const its = this.#pots.demandAt(this.#work.shape(job, lane), lane) // to be called before `demands` is read, which it may replace
    for (let i = 0; i < width; i++) counted[from + i] = counted[from + width + i] = tasks * (this.#pots.demands[its + i] as number)
    for (const { lane: other, node, shape } of this.#reservations.of(job)) {
      if (this.#pots.of(other, node) !== pot) continue
      const its = this.#pots.demandAt(shape, other)
      for (let i = 0; i < width; i++) counted[from + width + i] = Math.max(0, (counted[from + width + i] as number) - (this.#pots.demands[its + i] as number))
    }
  }
}

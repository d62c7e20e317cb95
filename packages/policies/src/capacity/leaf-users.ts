import { grown, type UserId } from '@sched/core'
import { Keys, SortedIds } from '../orders/sorted-ids.js'

/** Weights are summed in millionths, so that a sum does not depend on the order of adding. */
const WEIGHT = 1_000_000
/** Shares are summed in steps of 2^-40, rounded down, for the same reason. */
export const RATIO = 2 ** 40

/**
 * Users in leaf queues: each pair of a leaf and a user has a dense number. Holds what each pair uses and its waiting jobs in order. A leaf
 * lists its users by their first job, so that users at their limit are passed over without a look at their jobs.
 */
export class LeafUsers {
  readonly #pots: number
  readonly #lanes: number
  readonly #width: number
  readonly #ids = new Map<number, number>()
  count = 0
  /** By pair: its leaf, and the user's weight there in millionths. */
  readonly leaf: number[] = []
  readonly weight: number[] = []
  /** `[pair * lanes + lane]`: number of jobs with unplaced tasks. */
  readonly active: number[] = []
  /** Amounts used, `[(pair * pots + pot) * width + i]`, and their dominant share in steps of 1 / `RATIO`, `[pair * pots + pot]`. */
  used: Float64Array
  ratio = new Float64Array(64)
  /** `[pair * pots + pot]`: the dominant share of the amounts used, not rounded to steps. */
  share = new Float64Array(64)
  /** `[pair * pots + pot]`: waiting jobs. */
  readonly jobs: SortedIds[] = []
  /** Per pot: the keys of jobs, and those of pairs, which are the keys of their first jobs. */
  readonly jobKeys: readonly Keys[]
  readonly pairKeys: readonly Keys[]

  constructor(pots: number, lanes: number, width: number) {
    this.#pots = pots
    this.#lanes = lanes
    this.#width = width
    this.used = new Float64Array(this.ratio.length * width)
    this.jobKeys = Array.from({ length: pots }, () => new Keys())
    this.pairKeys = Array.from({ length: pots }, () => new Keys())
  }

  /** The number of the pair of a leaf and a user; a new one is made at first use. */
  pair(leaf: number, user: UserId, weight: number): number {
    const key = leaf * 0x100000000 + user
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const pair = this.count++
    this.#ids.set(key, pair)
    this.leaf.push(leaf)
    this.weight.push(Math.round(weight * WEIGHT))
    for (let lane = 0; lane < this.#lanes; lane++) this.active.push(0)
    for (let pot = 0; pot < this.#pots; pot++) {
      this.jobs.push(new SortedIds(this.jobKeys[pot] as Keys))
      this.pairKeys[pot]?.set(pair, 0, 0)
    }
    this.ratio = grown(this.ratio, this.count * this.#pots)
    this.share = grown(this.share, this.ratio.length)
    this.used = grown(this.used, this.ratio.length * this.#width)
    return pair
  }

  weightOf(pair: number): number {
    return (this.weight[pair] as number) / WEIGHT
  }
}

export const inMillionths = WEIGHT

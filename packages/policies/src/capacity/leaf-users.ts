import { grown, type UserId } from '@sched/core'
import { Keys, SortedIds } from '../orders/sorted-ids.js'

/** Weights are summed in millionths, so that a sum does not depend on the order of adding. */
const WEIGHT = 1_000_000
/** Shares are summed in steps of 2^-40, rounded down, for the same reason. */
export const RATIO = 2 ** 40

/**
 * Users in leaf queues, each pair under a dense number: what they use, and their waiting jobs in order. A leaf keeps its
 * users by their first job, so that those at their limit are passed over without a look at their jobs.
 */
export class LeafUsers {
  readonly #pots: number
  readonly #lanes: number
  readonly #width: number
  readonly #ids = new Map<number, number>()
  count = 0
  /** By pair: its leaf and the user's weight there in millionths. */
  readonly leaf: number[] = []
  readonly weight: number[] = []
  /** `[pair * lanes + lane]`: jobs with unplaced tasks. */
  readonly active: number[] = []
  /** `[(pair * pots + pot) * width + i]` and `[pair * pots + pot]`: amounts used, and their largest share in steps. */
  used: Float64Array
  ratio = new Float64Array(64)
  /** Their largest share, exactly. */
  share = new Float64Array(64)
  /** `[pair * pots + pot]`: waiting jobs. */
  readonly jobs: SortedIds[] = []
  /** Per pot: keys of jobs, and of pairs by their first job. */
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

  /** The number of a user in a leaf. */
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

import { rowOf } from '../shares/vectors.js'
import { compareShares, dominantShare } from './comparing.js'
import { inMillionths, RATIO, type LeafUsers } from './leaf-users.js'
import type { Pots } from './pots.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { Quotas } from './quotas.js'
import { userLimit, type UserLimitCase } from './user-limit.js'

/** The limit of the users of a leaf in a pot, kept until something it depends on has changed. */
class Limit implements UserLimitCase {
  total: readonly number[] = []
  capacity: readonly number[] = []
  most: readonly number[] = []
  usageRatio = 0
  activeWeight = 0
  /** The sum of the shares of all users, in steps of 1 / `RATIO`, and that of the weights of active users, in millionths. */
  ratios = 0
  weights = 0
  readonly usedByActive: number[]
  readonly percent: number
  readonly factor: number
  readonly minimum: readonly number[]
  readonly basis: UserLimitCase['basis']
  /** The limit and its dominant share; valid while `isFresh`. */
  readonly value: number[] = []
  share = 0
  isFresh = false
  /** The guarantees and maxima that it has taken in, by their number. */
  quotas = 0
  /** A lower bound on the dominant share of the cap on single users, whatever is used. */
  leastCap = 0

  constructor({ userLimitPercent, userLimitFactor }: Queue, minimum: readonly number[], basis: UserLimitCase['basis']) {
    this.percent = userLimitPercent
    this.factor = userLimitFactor
    this.minimum = minimum
    this.basis = basis
    this.usedByActive = minimum.map(() => 0)
  }
}

/** The limits of single users, by leaf and pot. */
export class UserLimits {
  readonly #limits: Limit[] = []
  readonly #tree: QueueTree
  readonly #pots: Pots
  readonly #users: LeafUsers
  readonly #minimum: readonly (readonly number[])[]
  readonly #basis: UserLimitCase['basis']
  #quotas: Quotas | undefined
  /** How often guarantees and maxima have changed. A limit takes them in when it is read, since of thousands of queues few have jobs. */
  #changes = 0

  constructor(tree: QueueTree, pots: Pots, users: LeafUsers, minimum: readonly (readonly number[])[], basis: UserLimitCase['basis']) {
    this.#tree = tree
    this.#pots = pots
    this.#users = users
    this.#minimum = minimum
    this.#basis = basis
  }

  /** Makes limits for queues that are new. */
  addQueues(): void {
    const { count } = this.#pots
    while (this.#limits.length < this.#tree.queues.length * count) {
      const at = this.#limits.length
      this.#limits.push(new Limit(this.#tree.queue(Math.floor(at / count)), this.#minimum[this.#pots.laneOf(at % count)] as readonly number[], this.#basis))
    }
  }

  /** Guarantees and maxima have changed. */
  refresh(quotas: Quotas): void {
    this.#quotas = quotas
    this.#changes++
  }

  #takeIn(limit: Limit, here: number, { guaranteed, most }: Quotas): void {
    const { count, width, totals } = this.#pots
    limit.quotas = this.#changes
    limit.total = rowOf(totals, here % count, width)
    limit.capacity = rowOf(guaranteed, here, width)
    limit.most = rowOf(most, here, width)
    limit.isFresh = false
    const { factor, minimum, total } = limit
    const base = compareShares(limit.capacity, 0, minimum, 0, total, 0, width) >= 0 ? limit.capacity : minimum
    const cap = factor === Infinity || limit.capacity.every((amount) => amount === 0) ? limit.most : base.map((amount) => Math.floor(amount * factor))
    limit.leastCap = dominantShare(cap, 0, total, 0, width)
  }

  /** Counts amounts that a user uses (`sign` 1) or no longer uses (-1); `share`: the change of the user's dominant share, in steps. */
  change(leaf: number, pot: number, isActive: boolean, amounts: Float64Array, from: number, sign: 1 | -1, share: number): void {
    const limit = this.#limits[leaf * this.#pots.count + pot] as Limit
    limit.ratios += share
    limit.isFresh = false
    if (isActive) for (let i = 0; i < this.#pots.width; i++) limit.usedByActive[i] = (limit.usedByActive[i] as number) + sign * (amounts[from + i] as number)
  }

  /** The share that a user has of a pot has changed by `change` steps, since the pot is larger or smaller now. */
  reshare(leaf: number, pot: number, change: number): void {
    const limit = this.#limits[leaf * this.#pots.count + pot] as Limit
    limit.ratios += change
    limit.isFresh = false
  }

  /** A user becomes active in a lane (`sign` 1), since it has waiting jobs there, or inactive (-1). */
  activate(pair: number, lane: number, sign: 1 | -1): void {
    const { count, lanes, width } = this.#pots
    const { weight, used } = this.#users
    for (let pot = lane; pot < count; pot += lanes) {
      const limit = this.#limitOf(pair, pot)
      limit.weights += sign * (weight[pair] as number)
      limit.isFresh = false
      for (let i = 0; i < width; i++) limit.usedByActive[i] = (limit.usedByActive[i] as number) + sign * (used[(pair * count + pot) * width + i] as number)
    }
  }

  /** Whether a user of a leaf uses more than its limit, not counting what it would give up with reservations of one job (`held`). */
  isOver(pair: number, pot: number, held?: Float64Array): boolean {
    const users = this.#users
    const here = this.#limitOf(pair, pot)
    const at = pair * this.#pots.count + pot
    const share = users.share[at] as number
    // the only active user may always have one step more than it uses, up to the cap
    if (here.weights === inMillionths
      && users.weight[pair] === inMillionths
      && this.#basis === 'active-usage'
      && share < here.leastCap
      && (users.active[pair * this.#pots.lanes + this.#pots.laneOf(pot)] as number) > 0)
      return false
    const limit = this.#fresh(here)
    if (held === undefined && users.weight[pair] === inMillionths) {
      if (share !== limit.share) return share > limit.share
    }
    const { width } = this.#pots
    const rest = Array.from({ length: width }, (_, i) => (users.used[at * width + i] as number) - (held?.[i] ?? 0))
    return compareShares(rest, 0, this.#weighted(pair, limit), 0, limit.total, 0, width) > 0
  }

  /** Whether a user uses more of a lent partition than its limit there, for which only the size of the partition is a maximum. */
  isOverLent(pair: number, pot: number): boolean {
    const { width, count } = this.#pots
    const limit = this.#fresh(this.#limitOf(pair, pot))
    const { total, capacity, usageRatio, usedByActive, activeWeight, percent, minimum, basis } = limit
    const value = userLimit({ total, capacity, most: total, usageRatio, usedByActive, activeWeight, percent, factor: Infinity, minimum, basis })
    return compareShares(this.#users.used, (pair * count + pot) * width, this.#weighted(pair, { value, minimum }), 0, total, 0, width) > 0
  }

  /** The limit of a user of a leaf if all of its users count as active; `weights`: the sum of their weights, in millionths. */
  amongAll(pair: number, pot: number, weights: number): readonly number[] {
    const limit = this.#fresh(this.#limitOf(pair, pot))
    const { total, capacity, most, usageRatio, usedByActive, percent, factor, minimum } = limit
    const value = userLimit({ total, capacity, most, usageRatio, usedByActive, activeWeight: weights / inMillionths, percent, factor, minimum, basis: 'active-users' })
    return this.#weighted(pair, { value, minimum })
  }

  /** Writes what a user of a leaf may still be given to `out`; below 0 where it has more than its limit. */
  room(pair: number, pot: number, out: Float64Array): void {
    const limit = this.#fresh(this.#limitOf(pair, pot))
    const { width, count } = this.#pots
    const most = this.#weighted(pair, limit)
    const { used } = this.#users
    for (let i = 0, at = (pair * count + pot) * width; i < width; i++, at++) out[i] = (most[i] as number) - (used[at] as number)
  }

  /** The limit of a pair of user and leaf in a pot. */
  #limitOf(pair: number, pot: number): Limit {
    const here = (this.#users.leaf[pair] as number) * this.#pots.count + pot
    const limit = this.#limits[here] as Limit
    if (limit.quotas !== this.#changes) this.#takeIn(limit, here, this.#quotas as Quotas)
    return limit
  }

  /** The limit in whole steps of the minimum, as the weight of the user says. */
  #weighted(pair: number, { value, minimum }: Pick<Limit, 'value' | 'minimum'>): readonly number[] {
    if (this.#users.weight[pair] === inMillionths) return value
    return value.map((amount, i) => Math.floor((amount * this.#users.weightOf(pair)) / (minimum[i] as number)) * (minimum[i] as number))
  }

  /** The limit, computed anew if something that it depends on has changed. */
  #fresh(limit: Limit): Limit {
    if (limit.isFresh) return limit
    limit.isFresh = true
    limit.usageRatio = limit.ratios / RATIO
    limit.activeWeight = limit.weights / inMillionths
    userLimit(limit, limit.value)
    limit.share = dominantShare(limit.value, 0, limit.total, 0, limit.total.length)
    return limit
  }
}

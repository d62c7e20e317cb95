import { portableExp2, portableLog, portableLog2 } from '@sched/core'

/**
 * Accounts and users as columns: the root is 0 and has `parent` -1; every other association comes after its parent.
 * Shares count relative to siblings. `usage`, where functions take it, is that of users, in any unit, and 0 for accounts. Shares of `OF_PARENT` are
 * those of the parent (Fairshare=parent): such a user has no place of its own among its siblings, and what lies in such an account counts as if it lay
 * in the account around it.
 */
export interface Associations {
  /** Parent of each association; -1 for the root. */
  readonly parent: ArrayLike<number>
  /** Above 0, or `OF_PARENT`. */
  readonly shares: ArrayLike<number>
  /** Whether it is a user; otherwise an account. */
  readonly isUser: ArrayLike<boolean>
}

/** The shares of an association that has those of its parent. */
export const OF_PARENT = -1

/** The association in which each one counts: the nearest around it that has shares of its own; -1 for the root. */
function homes({ parent, shares }: Associations): Int32Array {
  const home = Int32Array.from(parent)
  for (let id = 1; id < home.length; id++) {
    const above = home[id] as number
    if (above > 0 && shares[above] === OF_PARENT) home[id] = home[above] as number
  }
  return home
}

/** Usage of every association, including all that lies in it. */
export function totalUsage({ parent }: Associations, usage: ArrayLike<number>): Float64Array {
  const total = new Float64Array(parent.length)
  for (let id = 0; id < total.length; id++) total[id] = usage[id] ?? 0
  for (let id = parent.length - 1; id > 0; id--) total[parent[id] as number] = (total[parent[id] as number] as number) + (total[id] as number)
  return total
}

/** Shares of every association as a fraction of the sum of its siblings' and its own; 1 for the root and for those with the shares of their parent. */
function siblingShares({ shares }: Associations, home: Int32Array): Float64Array {
  const sum = new Float64Array(home.length)
  for (let id = 1; id < home.length; id++) if (shares[id] !== OF_PARENT) sum[home[id] as number] = (sum[home[id] as number] as number) + (shares[id] as number)
  return Float64Array.from(home, (above, id) => (id === 0 || shares[id] === OF_PARENT ? 1 : ratio(shares[id] as number, sum[above] as number)))
}

/**
 * Classic fair-share factor of every association, in [0, 1]: F = 2^(-UE / S / d). S is its normalised shares. Its
 * effective usage UE is its own usage UA, moved towards that of its parent by its part of the siblings' shares.
 *
 * Source: Slurm, classic_fair_share: UE = UA + (UEparent - UA) S / Sall, and UE = UA right below the root. An association with the shares of its parent
 * has the parent's S and UE.
 */
export function classicFairShare(associations: Associations, usage: ArrayLike<number>, dampening = 1): Float64Array {
  return fairShareBy(associations, usage, dampening, ({ actual, effective, ofSiblings }, id, above) =>
    (actual[id] as number) + ((effective[above] as number) - (actual[id] as number)) * (ofSiblings[id] as number))
}

/** Strength with which an account that is far from its shares outweighs what lies in it: the 5 in the formula below. */
const STRESS = 5

/**
 * Depth-oblivious fair-share factor of every association, in [0, 1]: F = 2^(-R / d) with R = P L^k. P is the R of the account around it; L is its
 * usage over its shares, both relative to those of its siblings. k is 1 if P and L are both above or both below 1, and 1 / (1 + (5 ln P)^2) otherwise, so
 * that a user who has used little of an account that has used much does not profit fully from that. The depth in the tree does not matter.
 *
 * Source: Slurm, `_depth_oblivious_set_usage_efctv` of priority/multifactor. Deviation: siblings are all associations that count in the same account,
 * including those in accounts with the shares of their parent.
 */
export function depthObliviousFairShare(associations: Associations, usage: ArrayLike<number>, dampening = 1): Float64Array {
  return fairShareBy(associations, usage, dampening, ({ actual, effective, normal, ofSiblings, used }, id, above) => {
    const around = ratio(effective[above] as number, normal[above] as number)
    if (associations.shares[id] === OF_PARENT) return effective[above] as number
    if (actual[id] === 0 || around === 0 || normal[id] === 0) return actual[id] as number
    const own = (actual[id] as number) / (used[above] as number) / (ofSiblings[id] as number)
    const stress = portableLog(around)
    const power = stress * portableLog(own) >= 0 ? 1 : 1 / (1 + (STRESS * stress) ** 2)
    return around * portableExp2(power * portableLog2(own)) * (normal[id] as number)
  })
}

/** Columns by association; usage is a fraction of all usage. */
interface Columns {
  /** Shares, as a fraction of all shares and of those of the siblings. */
  readonly normal: Float64Array
  readonly ofSiblings: Float64Array
  readonly actual: Float64Array
  readonly effective: Float64Array
  /** By account: usage of all associations that count in it and have shares of their own. */
  readonly used: Float64Array
}

/**
 * F = 2^(-UE / S / d) of every association. The effective usage UE of those that count in the root is the actual one; `effectiveOf` computes that
 * of all others.
 */
function fairShareBy(associations: Associations, usage: ArrayLike<number>, dampening: number, effectiveOf: (columns: Columns, id: number, above: number) => number): Float64Array {
  const home = homes(associations)
  const total = totalUsage(associations, usage)
  const actual = total.map((each) => ratio(each, total[0] as number))
  const [normal, factors] = [new Float64Array(home.length).fill(1), new Float64Array(home.length).fill(1)]
  const [effective, used] = [new Float64Array(home.length), new Float64Array(home.length)]
  for (let id = 1; id < home.length; id++) if (associations.shares[id] !== OF_PARENT) used[home[id] as number] = (used[home[id] as number] as number) + (actual[id] as number)
  const columns: Columns = { normal, ofSiblings: siblingShares(associations, home), actual, effective, used }
  for (let id = 1; id < home.length; id++) {
    const above = home[id] as number
    normal[id] = (normal[above] as number) * (columns.ofSiblings[id] as number)
    effective[id] = above === 0 ? (actual[id] as number) : effectiveOf(columns, id, above)
    factors[id] = normal[id] === 0 ? 0 : portableExp2(-(effective[id] as number) / (normal[id] as number) / dampening)
  }
  return factors
}

/** 0 of nothing. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

import { compareShares } from './comparing.js'

/** What the limit of one user of a queue depends on. Vectors are amounts of the counted resources. */
export interface UserLimitCase {
  /** Total of the partition, for comparing vectors. */
  readonly total: readonly number[]
  /** Guaranteed to the queue. */
  readonly capacity: readonly number[]
  /** Most the queue may use. */
  readonly most: readonly number[]
  /** The users' dominant shares of the partition, summed. */
  readonly usageRatio: number
  /** What the active users use: those who want more. */
  readonly usedByActive: readonly number[]
  /** Sum of the weights of the active users. */
  readonly activeWeight: number
  /** Minimum-user-limit-percent, in (0, 100]. */
  readonly percent: number
  /** User-limit-factor; `Infinity`: no such limit. */
  readonly factor: number
  /** The step in which limits grow. */
  readonly minimum: readonly number[]
  readonly basis: 'active-usage' | 'active-users'
}

/**
 * What one user of weight 1 may use of a queue before the next task is refused. The queue counts as large as it is
 * guaranteed, or as it has grown; a user gets the larger of an equal part and the percentage, at most `factor` capacities.
 * With `active-users` and a queue of 100 that is max(p, 100 / u) percent. Written to `out`, which is returned.
 *
 * Source: Hadoop 3, UsersManager.computeUserLimit; basis `active-users`: Hadoop up to 2.8, and the survey, section 5.
 */
export function userLimit(it: UserLimitCase, out: number[] = []): number[] {
  const { total, minimum } = it
  const width = total.length
  const compare = (a: readonly number[], b: readonly number[]) => compareShares(a, 0, b, 0, total, 0, width)
  const capacity = compare(it.capacity, minimum) >= 0 ? it.capacity : minimum
  const consumed = total.map((amount, i) => roundUp(amount * it.usageRatio, minimum[i] as number))
  const current = compare(consumed, capacity) < 0 ? capacity : consumed.map((amount, i) => amount + (minimum[i] as number))
  const divided = it.basis === 'active-users' ? current : it.usedByActive.map((amount, i) => amount + (minimum[i] as number))
  const equal = divided.map((amount) => Math.ceil(amount / it.activeWeight))
  const floor = current.map((amount) => Math.ceil(Math.floor(amount * it.percent) / 100))
  const wanted = compare(equal, floor) >= 0 ? equal : floor
  const isUnbounded = it.factor === Infinity || it.capacity.every((amount) => amount === 0)
  const cap = isUnbounded ? it.most : capacity.map((amount) => Math.floor(amount * it.factor))
  const limit = compare(wanted, cap) <= 0 ? wanted : cap
  for (let i = 0; i < width; i++) out[i] = roundUp(limit[i] as number, minimum[i] as number)
  return out
}

const roundUp = (amount: number, step: number) => Math.ceil(amount / step) * step

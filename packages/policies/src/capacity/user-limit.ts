import { compareShares } from './comparing.js'

/** What the limit of one user of a queue depends on. Vectors are amounts of the counted resources. */
export interface UserLimitCase {
  /** Total of the partition, for comparing vectors. */
  readonly total: ArrayLike<number>
  /** What the queue is guaranteed. */
  readonly capacity: ArrayLike<number>
  /** The most that the queue may use. */
  readonly most: ArrayLike<number>
  /** The users' dominant shares of the partition, summed. */
  readonly usageRatio: number
  /** What the active users, those who want more, use together. */
  readonly usedByActive: ArrayLike<number>
  /** Sum of the weights of the active users. */
  readonly activeWeight: number
  /** Minimum-user-limit-percent, in (0, 100]. */
  readonly percent: number
  /** User-limit-factor; `Infinity`: no such limit. */
  readonly factor: number
  /** The step in which limits grow. */
  readonly minimum: ArrayLike<number>
  /** What is divided among the active users: what they use plus one step, or the whole queue. */
  readonly basis: 'active-usage' | 'active-users'
}

/** Scratch vectors, reused because a limit is computed after every change of a queue. */
let consumed = new Float64Array(8)
let equal = new Float64Array(8)
let floor = new Float64Array(8)
let cap = new Float64Array(8)

/**
 * What one user of weight 1 may use of a queue before the next task is refused. The size of the queue is its guarantee, or what
 * it uses if that is more; a user gets the larger of an equal part and the percentage of it, at most `factor` times the guarantee.
 * With `active-users` and a queue of 100 that is max(p, 100 / u) percent. The limit is written to `out`, which is returned.
 *
 * Source: Hadoop 3, UsersManager.computeUserLimit; basis `active-users`: Hadoop up to 2.8, and the survey, section 5.
 */
export function userLimit(it: UserLimitCase, out: number[] = []): number[] {
  const { total, minimum, percent, factor } = it
  const width = total.length
  if (width > consumed.length) [consumed, equal, floor, cap] = [0, 0, 0, 0].map(() => new Float64Array(width)) as [typeof consumed, typeof equal, typeof floor, typeof cap]
  const capacity = compareShares(it.capacity, 0, minimum, 0, total, 0, width) >= 0 ? it.capacity : minimum
  for (let i = 0; i < width; i++) consumed[i] = roundUp((total[i] as number) * it.usageRatio, minimum[i] as number)
  const hasGrown = compareShares(consumed, 0, capacity, 0, total, 0, width) >= 0
  const isUnbounded = factor === Infinity || isNothing(it.capacity)
  for (let i = 0; i < width; i++) {
    const step = minimum[i] as number
    const current = hasGrown ? (consumed[i] as number) + step : (capacity[i] as number)
    const divided = it.basis === 'active-users' ? current : (it.usedByActive[i] as number) + step
    equal[i] = Math.ceil(divided / it.activeWeight)
    floor[i] = Math.ceil(Math.floor(current * percent) / 100)
    cap[i] = isUnbounded ? (it.most[i] as number) : Math.floor((capacity[i] as number) * factor)
  }
  const wanted = compareShares(equal, 0, floor, 0, total, 0, width) >= 0 ? equal : floor
  const limit = compareShares(wanted, 0, cap, 0, total, 0, width) <= 0 ? wanted : cap
  for (let i = 0; i < width; i++) out[i] = roundUp(limit[i] as number, minimum[i] as number)
  return out
}

function isNothing(vector: ArrayLike<number>): boolean {
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) return false
  return true
}

function roundUp(amount: number, step: number): number {
  return Math.ceil(amount / step) * step
}

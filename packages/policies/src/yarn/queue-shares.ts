import { WaterFill } from '../shares/water-fill.js'

/** What a queue, or a job, is to the division of one resource of its parent. Amounts of that resource. */
export interface ShareEntry {
  /** At least 0. */
  readonly weight: number
  readonly min: number
  /** `Infinity`: no limit. Wins over a larger minimum. */
  readonly max: number
  /** Has jobs that run or wait; others get nothing. */
  readonly active: boolean
}

/**
 * Divides an amount among siblings as YARN computes fair shares: the level r with sum of clamp(w r, min, max) equal to
 * the total; 0 for those that are not active; the minimum for those of weight 0. Where the minima exceed the total each
 * gets its minimum all the same. Writes `shares[i]` for entry i; demand plays no part.
 *
 * Source: Hadoop 3, ComputeFairShares.
 * Deviation: the level is exact, where Hadoop bisects 25 times and rounds each share down.
 */
export function divideAmongQueues(entries: readonly ShareEntry[], total: number, shares: Float64Array, level = new WaterFill()): void {
  const growing: number[] = []
  let fixed = 0
  let lows = 0
  for (const [i, { weight, min, max, active }] of entries.entries()) {
    shares[i] = active ? Math.min(min, max) : 0
    if (active && weight > 0 && max > 0) {
      growing.push(i)
      lows += shares[i]
    } else fixed += shares[i]
  }
  const rest = Math.max(total - fixed, 0)
  if (growing.length === 0 || lows >= rest) return
  level.begin(growing.length)
  for (const i of growing) level.add((entries[i] as ShareEntry).weight, shares[i] as number, (entries[i] as ShareEntry).max)
  level.fill(rest)
  for (const [at, i] of growing.entries()) shares[i] = level.share(at)
}

/** A tree whose parents come before their children; entry 0 is the root. */
export interface ShareTree {
  readonly parents: ArrayLike<number>
  readonly entries: readonly ShareEntry[]
}

/** Fair share of every queue of a tree out of a total, level by level. The root has the total. */
export function queueShares({ parents, entries }: ShareTree, total: number): Float64Array {
  const shares = new Float64Array(entries.length)
  const children: number[][] = entries.map(() => [])
  for (let i = 1; i < entries.length; i++) children[parents[i] as number]?.push(i)
  const level = new WaterFill()
  shares[0] = total
  for (const [parent, inside] of children.entries()) {
    const own = new Float64Array(inside.length)
    divideAmongQueues(inside.map((child) => entries[child] as ShareEntry), shares[parent] as number, own, level)
    for (const [i, child] of inside.entries()) shares[child] = own[i] as number
  }
  return shares
}

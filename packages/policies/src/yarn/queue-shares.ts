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
 * Source: Hadoop 3, ComputeFairShares; there each share is a whole amount, as in `queueShares`.
 */
export function divideAmongQueues(entries: readonly ShareEntry[], total: number, shares: Float64Array, level = new WaterFill()): void {
  divide([...entries.keys()], entries, total, shares, level)
}

/** The same among some of the entries. */
function divide(ids: readonly number[], entries: readonly ShareEntry[], total: number, shares: Float64Array, level: WaterFill): void {
  let fixed = 0
  let lows = 0
  let weights = 0
  let growing = 0
  let isPlain = true
  for (const id of ids) {
    const { weight, min, max, active } = entries[id] as ShareEntry
    const low = active ? Math.min(min, max) : 0
    shares[id] = low
    if (active && weight > 0 && max > 0) {
      growing++
      lows += low
      weights += weight
      isPlain &&= low === 0 && max === Infinity
    } else fixed += low
  }
  const rest = Math.max(total - fixed, 0)
  if (growing === 0 || lows >= rest) return
  if (isPlain) divideByWeight(ids, entries, rest, weights, shares)
  else fillBetween(ids, entries, rest, growing, shares, level)
}

const grows = ({ active, weight, max }: ShareEntry): boolean => active && weight > 0 && max > 0

/** Where there is neither a minimum nor a maximum the level needs no search. */
function divideByWeight(ids: readonly number[], entries: readonly ShareEntry[], rest: number, weights: number, shares: Float64Array): void {
  for (const id of ids) {
    const entry = entries[id] as ShareEntry
    if (grows(entry)) shares[id] = (entry.weight * rest) / weights
  }
}

function fillBetween(ids: readonly number[], entries: readonly ShareEntry[], rest: number, growing: number, shares: Float64Array, level: WaterFill): void {
  level.begin(growing)
  for (const id of ids) {
    const entry = entries[id] as ShareEntry
    if (grows(entry)) level.add(entry.weight, shares[id] as number, entry.max)
  }
  level.fill(rest)
  let at = 0
  for (const id of ids) if (grows(entries[id] as ShareEntry)) shares[id] = level.share(at++)
}

/** A tree whose parents come before their children; entry 0 is the root. */
export interface ShareTree {
  readonly parents: ArrayLike<number>
  readonly entries: readonly ShareEntry[]
}

/** Fair share of every queue of a tree out of a total, level by level, in whole amounts. The root has the total. */
export function queueShares({ parents, entries }: ShareTree, total: number): Float64Array {
  const children: number[][] = entries.map(() => [])
  for (let i = 1; i < entries.length; i++) children[parents[i] as number]?.push(i)
  const shares = new Float64Array(entries.length)
  sharesDown(children, entries, total, shares, new WaterFill())
  return shares
}

/** The same with the children of each entry given, into a column. */
export function sharesDown(children: readonly (readonly number[])[], entries: readonly ShareEntry[], total: number, shares: Float64Array, level: WaterFill): void {
  shares[0] = total
  for (let parent = 0; parent < children.length; parent++) {
    const inside = children[parent] as readonly number[]
    if (inside.length === 0) continue
    divide(inside, entries, shares[parent] as number, shares, level)
    makeWhole(inside, entries, shares)
  }
}

/** Raises the level that exact shares have in common until they are whole. Minima and maxima are whole. */
function makeWhole(ids: readonly number[], entries: readonly ShareEntry[], shares: Float64Array): void {
  let level = NaN
  let total = 0
  let least = Infinity
  for (const id of ids) {
    const entry = entries[id] as ShareEntry
    if (!grows(entry)) continue
    const share = shares[id] as number
    total += share
    least = Math.min(least, entry.weight)
    if (!Number.isInteger(share)) level = share / entry.weight
  }
  if (Number.isNaN(level)) return
  const sumAt = (at: number): number => {
    let sum = 0
    for (const id of ids) if (grows(entries[id] as ShareEntry)) sum += wholeAt(entries[id] as ShareEntry, at)
    return sum
  }
  const raised = wholeLevel(Math.round(total), level, least, sumAt)
  for (const id of ids) if (grows(entries[id] as ShareEntry)) shares[id] = wholeAt(entries[id] as ShareEntry, raised)
}

const wholeAt = ({ weight, min, max }: ShareEntry, level: number): number => Math.floor(Math.min(Math.max(weight * level, min), max))

/**
 * The lowest level at which shares, each rounded down, use up a total: together they may exceed it, where several become
 * whole at once. `level` is that of the exact shares, `least` the smallest weight, `sumAt` the sum of rounded shares.
 *
 * Source: Hadoop 3, ComputeFairShares.computeSharesInternal: the upper end of its bisection; 10,240 in three are 3,414 each.
 */
export function wholeLevel(total: number, level: number, least: number, sumAt: (level: number) => number): number {
  let low = level
  let high = level + 2 / least
  let sum = sumAt(level)
  if (sum >= total) return level
  for (let i = 0; i < 60 && sum !== total; i++) {
    const middle = (low + high) / 2
    sum = sumAt(middle)
    if (sum < total) low = middle
    else high = middle
  }
  return high
}

import { WaterFill } from '../shares/water-fill.js'

/** What a queue, or a job, brings to the division of one resource of its parent, in amounts of that resource. */
export interface ShareEntry {
  /** At least 0. */
  readonly weight: number
  /** At least 0. */
  readonly min: number
  /** `Infinity`: no limit. It takes precedence over a larger minimum. */
  readonly max: number
  /** Whether it has jobs that run or wait; others get nothing. */
  readonly active: boolean
}

/**
 * Divides an amount among siblings as YARN computes fair shares: entry i gets clamp(w_i r, min_i, max_i), with the level r at which these
 * sum to the total. Entries that are not active get 0, entries of weight 0 their minimum. If the minima exceed the total, each
 * entry still gets its minimum. Writes `shares[i]` for entry i; demand plays no part.
 *
 * Source: Hadoop 3, ComputeFairShares; there each share is a whole amount, as in `queueShares`.
 */
export function divideAmongQueues(entries: readonly ShareEntry[], total: number, shares: Float64Array, level = new WaterFill()): void {
  divide([...entries.keys()], entries, total, shares, level)
}

/** The same among the entries of these ids. */
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

/** Divides by weight alone: without minima and maxima the level need not be searched. */
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

/** A tree of entries in which parents come before their children; entry 0 is the root. */
export interface ShareTree {
  /** Parent of each entry, with a lower id; not read for the root. */
  readonly parents: ArrayLike<number>
  /** By id; entry 0 is the root. */
  readonly entries: readonly ShareEntry[]
}

/** Fair share of every queue of a tree out of a total, divided level by level, in whole amounts. The root has the total. */
export function queueShares({ parents, entries }: ShareTree, total: number): Float64Array {
  const children: number[][] = entries.map(() => [])
  for (let i = 1; i < entries.length; i++) children[parents[i] as number]?.push(i)
  const shares = new Float64Array(entries.length)
  sharesDown(children, entries, total, shares, new WaterFill())
  return shares
}

/** The same with the children of each entry given; writes to the column `shares`. */
export function sharesDown(children: readonly (readonly number[])[], entries: readonly ShareEntry[], total: number, shares: Float64Array, level: WaterFill): void {
  shares[0] = total
  for (let parent = 0; parent < children.length; parent++) {
    const inside = children[parent] as readonly number[]
    if (inside.length === 0) continue
    divide(inside, entries, shares[parent] as number, shares, level)
    makeWhole(inside, entries, shares)
  }
}

/** Makes shares whole numbers; minima and maxima must be whole already. */
function makeWhole(ids: readonly number[], entries: readonly ShareEntry[], shares: Float64Array): void {
  if (isWhole(ids, shares)) return
  let total = 0
  for (const id of ids) {
    if (!grows(entries[id] as ShareEntry)) continue
    const share = shares[id] as number
    total += share
    shares[id] = Math.floor(share)
  }
  raiseTogether(ids, entries, Math.round(total), shares)
}

function isWhole(ids: readonly number[], shares: Float64Array): boolean {
  for (const id of ids) if (!Number.isInteger(shares[id])) return false
  return true
}

/**
 * Raises the level of shares that were rounded down until they sum to at least a total. Each step raises by one the shares that grow
 * next; several may grow at once, so the sum may exceed the total. Entries that cannot grow are left out.
 *
 * Source: Hadoop 3, ComputeFairShares.computeSharesInternal, whose bisection ends with the same result: 10,240 divided by three gives 3,414 each.
 */
export function raiseTogether(ids: readonly number[], entries: readonly ShareEntry[], total: number, shares: Float64Array): void {
  let sum = 0
  for (const id of ids) if (grows(entries[id] as ShareEntry)) sum += shares[id] as number
  while (sum < total) {
    let level = Infinity
    for (const id of ids) {
      const next = nextLevel(entries[id] as ShareEntry, shares[id] as number)
      if (next < level) level = next
    }
    if (level === Infinity) return
    for (const id of ids) {
      if (nextLevel(entries[id] as ShareEntry, shares[id] as number) !== level) continue
      shares[id] = (shares[id] as number) + 1
      sum++
    }
  }
}

/** The level at which a share becomes larger by one; `Infinity`: never. */
function nextLevel(entry: ShareEntry, share: number): number {
  return grows(entry) && share < entry.max ? (share + 1) / entry.weight : Infinity
}

import type { Seconds } from '@sched/core'

/** What decides the place of a pool, or of a job in a pool (then with a minimum share of 0). */
export interface PoolStanding {
  /** Running tasks. */
  readonly running: number
  /** Running tasks plus those that could start now. */
  readonly demand: number
  /** Slots, at least 0. */
  readonly minShare: number
  /** Above 0. */
  readonly weight: number
  /** Start of the pool, or submit time of the job. */
  readonly start: Seconds
  /** Decides the last tie. */
  readonly name: string
}

/**
 * Order of pools for a free slot, for `sort`: negative when `a` goes first. Pools below their minimum share (within their
 * demand) come first, the one with the smallest running/minimum first; the others by running/weight; ties by start, then
 * by name in code units.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, HFS; comparator of Hadoop's fair scheduler.
 */
export function comparePools(a: PoolStanding, b: PoolStanding): number {
  const needyA = a.running < usableMin(a)
  const needyB = b.running < usableMin(b)
  if (needyA !== needyB) return needyA ? -1 : 1
  const share = needyA ? minShareRatio(a) - minShareRatio(b) : a.running / a.weight - b.running / b.weight
  return share || a.start - b.start || compareNames(a.name, b.name)
}

function usableMin({ minShare, demand }: PoolStanding): number {
  return Math.min(minShare, demand)
}

/** Running / minimum, with a minimum of at least 1 as in Hadoop: a minimum share below one slot is no reason to come first. */
function minShareRatio(pool: PoolStanding): number {
  return pool.running / Math.max(usableMin(pool), 1)
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

import { None, SchedError } from '@sched/core'
import { requireNonNegative, requirePositive, requireThat } from '../analysis/arguments.js'
import { WaterFill } from './water-fill.js'

/** Pools as columns, in any unit of amount (slots, or a fraction of the whole), one unit throughout. */
export interface PoolColumns {
  /** Number of pools: entries of the columns that count. */
  readonly count: number
  /** w > 0, finite. */
  readonly weights: Float64Array
  /** m >= 0, finite. */
  readonly minShares: Float64Array
  /** Running plus wanted, >= 0, `Infinity` for unlimited. Not read for a pool with children: theirs add up. */
  readonly demands: Float64Array
  /** Cap >= 0, `Infinity` for none; it wins over a larger minimum share. */
  readonly maxShares?: Float64Array | undefined
  /** Parent of each pool, before it in the columns; `None` at the top. Absent: all at the top. */
  readonly parents?: Int32Array | undefined
}

/** The same pools for occasional use: plain arrays, minimum shares 0 unless given. */
export interface Pools {
  /** Above 0, finite. */
  readonly weights: readonly number[]
  /** Running plus wanted, at least 0, `Infinity` for unlimited. */
  readonly demands: readonly number[]
  /** At least 0, finite. Default 0. */
  readonly minShares?: readonly number[] | undefined
  /** At least 0, `Infinity` for none, which is the default. */
  readonly maxShares?: readonly number[] | undefined
  /** Parent of each pool, before it; -1 at the top. Default: all at the top. */
  readonly parents?: readonly number[] | undefined
}

/**
 * Instantaneous fair share of every pool out of `total`, in the order given: the level r with
 * sum_i min(max(w_i r, m_i), demand_i) = min(S, sum_i demand_i), and the terms of that sum. A maximum share (cap) bounds the
 * demand. Children of a pool divide its share by the same rule. Throws `BAD_OPTION` for a number out of range or columns of unequal length.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, section on HFS; formula as in Hadoop's fair scheduler.
 * Deviations: r is solved exactly, where Hadoop bisects 25 times and keeps whole slots; minimum shares that do not fit
 * together are scaled down, where Hadoop hands out more than there is.
 */
export function fairShares(pools: Pools, total: number): number[] {
  const columns = toColumns(pools)
  requireColumns(columns)
  requireNonNegative('total', total)
  const shares = new Float64Array(columns.count)
  new FairShareSolver().solve(columns, total, shares)
  return [...shares]
}

/** Fair shares for frequent use: writes into the caller's column, keeps its scratch and checks nothing. */
export class FairShareSolver {
  readonly #level = new WaterFill()
  /** First child of each pool (entry `count`: of the top) and next sibling, both in id order. */
  #child = new Int32Array(1)
  #sibling = new Int32Array(0)
  /** What a pool can use at most: its demand, or its children's, within its cap. */
  #usable = new Float64Array(0)

  /** Writes the share of every pool to `shares`, which has room for `pools.count` numbers. */
  solve(pools: PoolColumns, total: number, shares: Float64Array): void {
    this.#link(pools)
    this.#sumUsable(pools)
    this.#divide(pools, pools.count, total, shares)
    for (let pool = 0; pool < pools.count; pool++) // parents come first, so a share is known before it is divided
      if (this.#child[pool] !== None) this.#divide(pools, pool, shares[pool]!, shares)
  }

  #link({ count, parents }: PoolColumns): void {
    if (this.#sibling.length < count) {
      this.#child = new Int32Array(count + 1)
      this.#sibling = new Int32Array(count)
      this.#usable = new Float64Array(count)
    }
    this.#child.fill(None, 0, count + 1)
    for (let pool = count - 1; pool >= 0; pool--) {
      const parent = parents === undefined || parents[pool] === None ? count : parents[pool]!
      this.#sibling[pool] = this.#child[parent]!
      this.#child[parent] = pool
    }
  }

  #sumUsable({ count, demands, maxShares }: PoolColumns): void {
    for (let pool = count - 1; pool >= 0; pool--) {
      const wanted = this.#child[pool] === None ? demands[pool]! : this.#usableByChildren(pool)
      this.#usable[pool] = maxShares === undefined ? wanted : Math.min(wanted, maxShares[pool]!)
    }
  }

  #usableByChildren(pool: number): number {
    let sum = 0
    for (let child = this.#child[pool]!; child !== None; child = this.#sibling[child]!) sum += this.#usable[child]!
    return sum
  }

  #divide({ count, weights, minShares }: PoolColumns, parent: number, total: number, shares: Float64Array): void {
    const level = this.#level
    level.begin(count)
    for (let pool = this.#child[parent]!; pool !== None; pool = this.#sibling[pool]!)
      level.add(weights[pool]!, Math.min(minShares[pool]!, this.#usable[pool]!), this.#usable[pool]!)
    level.fill(total)
    for (let pool = this.#child[parent]!, i = 0; pool !== None; pool = this.#sibling[pool]!, i++) shares[pool] = level.share(i)
  }
}

function toColumns({ weights, demands, minShares, maxShares, parents }: Pools): PoolColumns {
  return {
    count: weights.length,
    weights: Float64Array.from(weights),
    demands: Float64Array.from(demands),
    minShares: Float64Array.from(minShares ?? weights.map(() => 0)),
    maxShares: maxShares && Float64Array.from(maxShares),
    parents: parents && Int32Array.from(parents),
  }
}

function requireColumns({ count, weights, demands, minShares, maxShares, parents }: PoolColumns): void {
  for (const [field, column] of Object.entries({ demands, minShares, maxShares, parents }))
    if (column !== undefined && column.length !== count)
      throw new SchedError('BAD_OPTION', `${column.length} entries for ${count} weights.`, { field }, 'Give one entry per pool.')
  for (let i = 0; i < count; i++) {
    requirePositive(`weights.${i}`, weights[i]!)
    requireNonNegative(`minShares.${i}`, minShares[i]!)
    requireThat(demands[i]! >= 0, `demands.${i}`, demands[i], 'a number of at least 0, Infinity for unlimited')
    requireThat(!maxShares || maxShares[i]! >= 0, `maxShares.${i}`, maxShares?.[i], 'a number of at least 0, Infinity for no cap')
    requireThat(!parents || (parents[i]! >= None && parents[i]! < i), `parents.${i}`, parents?.[i], 'an earlier pool, or -1 at the top')
  }
}

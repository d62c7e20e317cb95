import { None } from '@sched/core'
import type { FairShareSolver } from '../shares/fair-shares.js'
import type { Pool } from './pools.js'

/** What each pool below the root brings to a division, by pool id; minimum, maximum and demand are in units of what is divided. */
export interface PoolNeeds {
  readonly weight: (pool: number) => number
  readonly min: (pool: number) => number
  /** Default: no maximum. */
  readonly max?: (pool: number) => number
  readonly demand: (pool: number) => number
}

/** Fair shares of the pools of a tree by id, out of `capacity`; the root's is 0. */
export function treeShares(pools: readonly Pool[], { weight, min, max, demand }: PoolNeeds, capacity: number, solver: FairShareSolver): Float64Array {
  const count = pools.length - 1 // without the root, which gets no share
  const column = (of: (pool: number) => number) => Float64Array.from({ length: count }, (_, i) => of(i + 1))
  const parents = Int32Array.from({ length: count }, (_, i) => {
    const { parent } = pools[i + 1] as Pool
    return parent === 0 ? None : parent - 1
  })
  const shares = new Float64Array(pools.length)
  solver.solve(
    {
      count,
      weights: column(weight),
      minShares: column(min),
      ...(max !== undefined && { maxShares: column(max) }),
      demands: column(demand),
      parents,
    },
    capacity,
    shares.subarray(1),
  )
  return shares
}

import { resourceNamed, ownValue, type ClusterView } from '@sched/core'
import type { Amounts } from './options.js'

/** Amounts by `ResourceId`; `NaN` where an amount is not given, which is not the same as 0. */
export type Sparse = Float64Array

/**
 * Amounts by name as sparse amounts. Throws `BAD_OPTION` for a resource that the cluster does not have. As in YuniKorn, if all are 0 none counts as
 * given.
 */
export function sparse(amounts: Amounts, cluster: ClusterView, field: string): Sparse {
  const { resources } = cluster
  for (const name of Object.keys(amounts)) resourceNamed(name, resources, field)
  const isSaid = Object.values(amounts).some((amount) => amount > 0)
  return Float64Array.from(resources, (name) => (isSaid ? (ownValue(amounts, name) ?? NaN) : NaN))
}

export const saysNothing = (amounts: Sparse): boolean => amounts.every(Number.isNaN)

/** By resource the smaller of two amounts, or the one that is given. */
export const smaller = (a: Sparse, b: Sparse): Sparse => a.map((amount, r) => least(amount, b[r] as number))
const least = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b))

/** The given amounts, with those of `rest` for the others. */
export const filledFrom = (amounts: Sparse, rest: Sparse): Sparse => amounts.map((amount, r) => (Number.isNaN(amount) ? (rest[r] as number) : amount))

export const anyBelow0 = (amounts: Sparse): boolean => amounts.some((amount) => amount < 0)
export const anyAbove0 = (amounts: Sparse): boolean => amounts.some((amount) => amount > 0)

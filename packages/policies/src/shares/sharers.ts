import { SchedError } from '@sched/core'
import { requireNonNegative, requirePositive, requireThat } from '../analysis/arguments.js'

/** Users who share a pool of several resources, each running tasks of one shape. */
export interface Sharers {
  /** Amount of each resource, at least 0. */
  readonly capacities: readonly number[]
  /** `demands[user][resource]`: amount per task, at least 0, and some above 0. */
  readonly demands: readonly (readonly number[])[]
  /** By user, above 0; default 1. */
  readonly weights?: readonly number[] | undefined
  /** Most tasks of each user, `Infinity` for no end; default no end. */
  readonly tasks?: readonly number[] | undefined
}

/** What each user gets. */
export interface Division {
  /** Tasks of each user, in fractions if the division is continuous. */
  readonly tasks: number[]
  /** Dominant shares, in [0, 1], not divided by weights. */
  readonly shares: number[]
}

/**
 * The dominant share of amounts: the largest fraction of a capacity, over all resources, divided by a weight (one number, or one
 * per resource). Of a resource with capacity 0, an amount of 0 counts as 0 and any other as `Infinity`.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, sections 4 and 4.3.
 */
export function dominantShare(amounts: readonly number[], capacities: readonly number[], weight: number | readonly number[] = 1): number {
  return amounts.reduce((share, amount, r) => (amount === 0 ? share : Math.max(share, amount / (capacities[r]! * (typeof weight === 'number' ? weight : weight[r]!)))), 0)
}

/** Refuses numbers out of range and columns of unequal length. Throws `BAD_OPTION`. */
export function requireSharers({ capacities, demands, weights, tasks }: Sharers): void {
  for (const [r, capacity] of capacities.entries()) requireNonNegative(`capacities.${r}`, capacity)
  for (const [user, demand] of demands.entries()) {
    requireLength(`demands.${user}`, demand.length, capacities.length, 'resource')
    for (const [r, amount] of demand.entries()) requireNonNegative(`demands.${user}.${r}`, amount)
    requireThat(demand.some((amount) => amount > 0), `demands.${user}`, demand.join(', '), 'some amount above 0')
  }
  if (weights !== undefined) requireLength('weights', weights.length, demands.length, 'user')
  for (const [user, weight] of (weights ?? []).entries()) requirePositive(`weights.${user}`, weight)
  if (tasks !== undefined) requireLength('tasks', tasks.length, demands.length, 'user')
  for (const [user, most] of (tasks ?? []).entries()) requireThat(most >= 0, `tasks.${user}`, most, 'a number of at least 0, Infinity for no end')
}

export function requireLength(field: string, length: number, expected: number, each: string): void {
  if (length !== expected) throw new SchedError('BAD_OPTION', `${length} entries for ${expected} ${each}s.`, { field }, `Give one entry per ${each}.`)
}

/** The division that gives so many tasks. */
export function divisionOf({ capacities, demands }: Sharers, tasks: number[]): Division {
  const shares = demands.map((demand, user) => dominantShare(demand.map((amount) => amount * tasks[user]!), capacities))
  return { tasks, shares }
}

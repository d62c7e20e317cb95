import { requireThat } from '../analysis/arguments.js'
import { divisionOf, dominantShare, requireLength, requireSharers, type Division, type Sharers } from './sharers.js'

/** Options of `drfAllocate`; all may be left out. */
export interface AllocateOptions {
  /** When the poorest user's task does not fit: stop, as Algorithm 1 does, or leave the user out and go on. Default `skip`. */
  readonly blocked?: 'strict' | 'skip'
  /** Users in the order in which they go first among equals; default as given. */
  readonly ties?: readonly number[]
}

/** What was given, task by task. */
export interface Allocation extends Division {
  /** The user of each task, in order of allocation. */
  readonly order: number[]
  /** Amount of each resource in use. */
  readonly used: number[]
}

/**
 * Dominant resource fairness of whole tasks: the user with the smallest dominant share, over its weight, gets one task,
 * again and again, while tasks fit. Throws `BAD_OPTION` for a number out of range. Costs tasks x users x resources.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, Algorithm 1.
 */
export function drfAllocate(sharers: Sharers, { blocked = 'skip', ties = [...sharers.demands.keys()] }: AllocateOptions = {}): Allocation {
  requireSharers(sharers)
  requireLength('ties', ties.length, sharers.demands.length, 'user')
  requireThat(new Set(ties).size === ties.length && ties.every((user) => user in sharers.demands), 'ties', ties.join(', '), 'every user once')
  const { capacities, demands, weights, tasks: most } = sharers
  const tasks = demands.map(() => 0)
  const used = capacities.map(() => 0)
  const order: number[] = []
  const asking = ties.filter((user) => most?.[user] === undefined || most[user] >= 1)
  const shareOf = (user: number) => dominantShare(demands[user]!.map((amount) => amount * tasks[user]!), capacities, weights?.[user])
  while (asking.length > 0) {
    const user = poorest(asking, shareOf)
    if (demands[user]!.every((amount, r) => used[r]! + amount <= capacities[r]!)) {
      for (const [r, amount] of demands[user]!.entries()) used[r]! += amount
      tasks[user]!++
      order.push(user)
      if (most !== undefined && tasks[user]! + 1 > most[user]!) asking.splice(asking.indexOf(user), 1)
    } else if (blocked === 'strict') break
    else asking.splice(asking.indexOf(user), 1) // nothing is given back, so it will not fit later
  }
  return { ...divisionOf(sharers, tasks), order, used }
}

/** The first of the users with the smallest share. */
function poorest(users: readonly number[], shareOf: (user: number) => number): number {
  let best = users[0]!
  let least = Infinity
  for (const user of users) {
    const share = shareOf(user)
    if (share >= least) continue
    best = user
    least = share
  }
  return best
}

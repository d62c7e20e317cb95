import { fill } from './filling.js'
import { divisionOf, dominantShare, requireSharers, type Division, type Sharers } from './sharers.js'

/**
 * Dominant resource fairness of divisible tasks: the dominant shares of all users, over their weights, grow at the same rate; a user stops
 * when a resource that it needs is used up. Throws `BAD_OPTION` for a number out of range.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, sections 4.1 and 4.2; users who do not need what is
 * used up, or have all their tasks, as in Parkes, Dolev and Shah, "Beyond Dominant Resource Fairness", EC 2012.
 */
export function drfShares(sharers: Sharers): Division {
  requireSharers(sharers)
  const { capacities, demands, weights } = sharers
  return divisionOf(sharers, fill(sharers, demands.map((demand, user) => 1 / dominantShare(demand, capacities, weights?.[user]))))
}

/**
 * Asset fairness of divisible tasks, a comparison point: each user's sum of fractions of all resources, over its
 * weight, grows at the same rate. It does not give every user at least the 1/n of a static split (no sharing incentive).
 *
 * Source: Ghodsi et al., NSDI 2011, section 5.1.
 */
export function assetFairShares(sharers: Sharers): Division {
  requireSharers(sharers)
  const { capacities, demands, weights } = sharers
  const asset = (demand: readonly number[]) => demand.reduce((sum, amount, r) => (amount === 0 ? sum : sum + amount / capacities[r]!), 0)
  return divisionOf(sharers, fill(sharers, demands.map((demand, user) => (weights?.[user] ?? 1) / asset(demand))))
}

import { clearMarket, type Buyer, type Buyers } from './market.js'
import { divisionOf, requireSharers, type Division, type Sharers } from './sharers.js'

/** Division by a market, with the price of each resource; a price is for the whole capacity, in units of weight. */
export interface Market extends Division {
  /** By resource; a resource that is not scarce costs 0. */
  readonly prices: number[]
}

/**
 * Competitive equilibrium from equal incomes, a comparison point: the division that users with incomes equal to their
 * weights buy at prices that clear the market. It maximises the product of the numbers of tasks (to the power of the
 * weights), which is the Nash bargaining solution. A user can gain by lying about its demand. Accurate to about 1e-9 of
 * the tasks. Throws `BAD_OPTION` for a number out of range.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, section 5.2; Varian, "Equity, envy and efficiency", 1974.
 */
export function ceeiShares(sharers: Sharers): Market {
  requireSharers(sharers)
  return ceeiMarket(sharers)
}

/**
 * `ceeiShares` without a check of its arguments. Users are computed together if they have the same list of demands, one object, and are of one
 * weight and limit.
 */
export function ceeiMarket(sharers: Sharers): Market {
  const { demands, capacities } = sharers
  const { buyers, users } = buyersOf(sharers)
  const { prices, tasks: tasksOf } = clearMarket(buyers, capacities.length)
  const market = { tasks: demands.map(() => 0), shares: demands.map(() => 0), prices }
  const shareOf = buyers.kindOf.reduce<number[]>((known, kind, i) => {
    known[kind] ??= divisionOf({ capacities, demands: [demands[users[i]!]!] }, [tasksOf[kind]!]).shares[0]!
    return known
  }, [])
  for (const [i, user] of users.entries()) {
    const kind = buyers.kindOf[i]!
    market.tasks[user] = tasksOf[kind]!
    market.shares[user] = shareOf[kind]!
  }
  return market
}

/** The users who may run tasks, in their order, as buyers. */
function buyersOf({ capacities, demands, weights, tasks }: Sharers): { readonly buyers: Buyers; readonly users: readonly number[] } {
  const kinds: Buyer[] = []
  const kindOf: number[] = []
  const users: number[] = []
  const byDemand = new Map<readonly number[], number[]>()
  for (const [user, demand] of demands.entries()) {
    const most = demand.some((amount, r) => amount > 0 && capacities[r] === 0) ? 0 : (tasks?.[user] ?? Infinity)
    if (!(most > 0)) continue
    const income = weights?.[user] ?? 1
    let alike = byDemand.get(demand)
    if (alike === undefined) byDemand.set(demand, (alike = []))
    let kind = alike.find((each) => kinds[each]?.income === income && kinds[each].most === most)
    if (kind === undefined) {
      kind = kinds.push({ fractions: demand.map((amount, r) => (amount === 0 ? 0 : amount / capacities[r]!)), income, most }) - 1
      alike.push(kind)
    }
    kindOf.push(kind)
    users.push(user)
  }
  return { buyers: { kinds, kindOf }, users }
}

import { portableLog } from '@sched/core'
import { dominantShare, type Sharers } from '@sched/policies'

/** The market of `ceeiShares`, computed buyer by buyer. */
export function naiveMarket(sharers: Sharers): { readonly tasks: number[]; readonly shares: number[]; readonly prices: number[] } {
  const { capacities, demands, weights } = sharers
  const most = demands.map((demand, user) => (demand.some((amount, r) => amount > 0 && capacities[r] === 0) ? 0 : (sharers.tasks?.[user] ?? Infinity)))
  const buyers = [...demands.keys()].filter((user) => most[user]! > 0)
  const market = buyers.map((user): Buyer => ({
    fractions: demands[user]!.map((amount, r) => (amount === 0 ? 0 : amount / capacities[r]!)),
    income: weights?.[user] ?? 1,
    most: most[user]!,
  }))
  const prices = clear(market, capacities.length)
  const tasks = demands.map(() => 0)
  for (const [i, user] of buyers.entries()) tasks[user] = bought(market[i]!, prices)
  return { tasks, shares: demands.map((demand, user) => dominantShare(demand.map((amount) => amount * tasks[user]!), capacities)), prices }
}

interface Buyer {
  /** Part of the whole that a task takes, by resource. */
  readonly fractions: readonly number[]
  readonly income: number
  readonly most: number
}

const cost = ({ fractions }: Buyer, prices: readonly number[]) => fractions.reduce((sum, fraction, r) => sum + fraction * prices[r]!, 0)
const bought = (buyer: Buyer, prices: readonly number[]) => Math.min(buyer.most, buyer.income / cost(buyer, prices))

/** The last size of the barrier, relative to the sum of incomes; it decides the accuracy of the shares. */
const NEAREST = 1e-13

/**
 * Prices that clear the market: the minimum of the convex program's dual, sum of prices plus each buyer's best
 * `income log x - cost x`, by Newton's method under a logarithmic barrier that is lowered step by step.
 */
function clear(buyers: readonly Buyer[], resources: number): number[] {
  const income = buyers.reduce((sum, buyer) => sum + buyer.income, 0)
  let prices = Array.from({ length: resources }, () => income / resources)
  if (buyers.length === 0) return prices.map(() => 0)
  for (let barrier = 0.01 * income; barrier > NEAREST * income; barrier /= 100)
    for (let step = 0; step < 60; step++) {
      const next = newton(buyers, prices, barrier)
      const moved = Math.max(...next.map((price, r) => Math.abs(price / prices[r]! - 1)))
      prices = next
      if (moved < 1e-11) break
    }
  return prices
}

/** One damped Newton step, in the logarithms' scale (each price relative to itself), in which the barrier's part is the identity. */
function newton(buyers: readonly Buyer[], prices: readonly number[], barrier: number): number[] {
  const gradient = prices.map((price) => price - barrier)
  const hessian = prices.map((_, r) => prices.map((_, s) => (r === s ? barrier : 0)))
  for (const buyer of buyers) {
    const spent = buyer.fractions.map((fraction, r) => fraction * prices[r]!)
    const total = cost(buyer, prices)
    const x = Math.min(buyer.most, buyer.income / total)
    for (const [r, part] of spent.entries()) {
      gradient[r]! -= x * part
      if (x < buyer.most) for (const [s, other] of spent.entries()) hessian[r]![s]! += (buyer.income * (part / total) * other) / total
    }
  }
  const direction = solve(hessian, gradient.map((slope) => -slope))
  let length = Math.min(1, 0.9 / Math.max(...direction.map((move) => -move), 0.9)) // so that no price falls to 0 or below
  const before = dual(buyers, prices, barrier)
  for (; length > 1e-9; length /= 2) {
    const next = prices.map((price, r) => price * (1 + length * direction[r]!))
    if (dual(buyers, next, barrier) <= before + 1e-14 * Math.abs(before)) return next
  }
  return [...prices]
}

function dual(buyers: readonly Buyer[], prices: readonly number[], barrier: number): number {
  let value = prices.reduce((sum, price) => sum + price - barrier * portableLog(price), 0)
  for (const buyer of buyers) {
    const x = bought(buyer, prices)
    value += buyer.income * portableLog(x) - x * cost(buyer, prices)
  }
  return value
}

/** Solves a symmetric positive definite system by elimination. */
function solve(matrix: number[][], right: number[]): number[] {
  const n = right.length
  for (let i = 0; i < n; i++)
    for (let k = i + 1; k < n; k++) {
      const factor = matrix[k]![i]! / matrix[i]![i]!
      for (let j = i; j < n; j++) matrix[k]![j]! -= factor * matrix[i]![j]!
      right[k]! -= factor * right[i]!
    }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) right[i]! -= matrix[i]![j]! * right[j]!
    right[i]! /= matrix[i]![i]!
  }
  return right
}

import { portableLog } from '@sched/core'

/** What buyers of one kind have in common. */
export interface Buyer {
  /** Part of the whole that a task takes, by resource. */
  readonly fractions: readonly number[]
  readonly income: number
  /** Most tasks. */
  readonly most: number
}

/** Buyers in their order, in which all sums are made; each is of a kind. */
export interface Buyers {
  readonly kinds: readonly Buyer[]
  readonly kindOf: readonly number[]
}

/**
 * Prices that clear a market, and the tasks that each kind of buyer buys at these. Logarithms and quotients are computed once for each kind and
 * not for each buyer, of whom there may be thousands of the same kind.
 */
export function clearMarket(buyers: Buyers, resources: number): { readonly prices: number[]; readonly tasks: number[] } {
  const prices = clear(buyers, resources)
  return { prices, tasks: buyers.kinds.map((kind) => bought(kind, prices)) }
}

const cost = ({ fractions }: Buyer, prices: readonly number[]) => fractions.reduce((sum, fraction, r) => sum + fraction * prices[r]!, 0)
const bought = (buyer: Buyer, prices: readonly number[]) => Math.min(buyer.most, buyer.income / cost(buyer, prices))

/** Adds each buyer's part to `sum`, buyer by buyer. */
function summed(sum: number, kindOf: readonly number[], part: Float64Array): number {
  for (let i = 0; i < kindOf.length; i++) sum += part[kindOf[i] as number] as number
  return sum
}

/** The last size of the barrier, relative to the sum of incomes; it decides the accuracy of the shares. */
const NEAREST = 1e-13

/**
 * Prices that clear the market: the minimum of the convex program's dual, sum of prices plus each buyer's best
 * `income log x - cost x`, by Newton's method under a logarithmic barrier that is lowered step by step.
 */
function clear(buyers: Buyers, resources: number): number[] {
  const income = summed(0, buyers.kindOf, Float64Array.from(buyers.kinds, (kind) => kind.income))
  let prices = Array.from({ length: resources }, () => income / resources)
  if (buyers.kindOf.length === 0) return prices.map(() => 0)
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
function newton(buyers: Buyers, prices: readonly number[], barrier: number): number[] {
  const { gradient, hessian } = slopes(buyers, prices, barrier)
  const direction = solve(hessian, gradient.map((slope) => -slope))
  let length = Math.min(1, 0.9 / Math.max(...direction.map((move) => -move), 0.9)) // so that no price falls to 0 or below
  const before = dual(buyers, prices, barrier)
  for (; length > 1e-9; length /= 2) {
    const next = prices.map((price, r) => price * (1 + length * direction[r]!))
    if (dual(buyers, next, barrier) <= before + 1e-14 * Math.abs(before)) return next
  }
  return [...prices]
}

/** First and second derivatives of the dual, each times the prices that it is by. */
function slopes({ kinds, kindOf }: Buyers, prices: readonly number[], barrier: number): { readonly gradient: number[]; readonly hessian: number[][] } {
  const bill = kinds.map((kind) => cost(kind, prices))
  const x = kinds.map(({ most, income }, kind) => Math.min(most, income / bill[kind]!))
  const spent = (kind: number, r: number) => kinds[kind]!.fractions[r]! * prices[r]!
  const part = new Float64Array(kinds.length)
  const gradient = prices.map((price, r) => {
    for (let kind = 0; kind < part.length; kind++) part[kind] = -(x[kind]! * spent(kind, r))
    return summed(price - barrier, kindOf, part)
  })
  const bend = (kind: number, r: number, s: number) => (kinds[kind]!.income * (spent(kind, r) / bill[kind]!) * spent(kind, s)) / bill[kind]!
  const hessian = prices.map((_, r) =>
    prices.map((_, s) => {
      for (let kind = 0; kind < part.length; kind++) part[kind] = x[kind]! < kinds[kind]!.most ? bend(kind, r, s) : 0
      return summed(r === s ? barrier : 0, kindOf, part)
    }),
  )
  return { gradient, hessian }
}

function dual({ kinds, kindOf }: Buyers, prices: readonly number[], barrier: number): number {
  const best = new Float64Array(kinds.length)
  for (const [i, kind] of kinds.entries()) {
    const x = bought(kind, prices)
    best[i] = kind.income * portableLog(x) - x * cost(kind, prices)
  }
  return summed(prices.reduce((sum, price) => sum + price - barrier * portableLog(price), 0), kindOf, best)
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

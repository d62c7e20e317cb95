/**
 * Weighted max-min shares of a capacity: nobody gets more than its demand, and what it leaves is divided among the
 * others in proportion to their weights. Demands >= 0, weights > 0; the result is in the unit of the capacity.
 */
export function maxMinShares(demands: readonly number[], weights: readonly number[], capacity: number): number[] {
  const shares = demands.map(() => 0)
  const order = [...demands.keys()].sort((a, b) => at(demands, a) / at(weights, a) - at(demands, b) / at(weights, b) || a - b)
  let left = capacity
  let weight = weights.reduce((sum, each) => sum + each, 0)
  for (const i of order) {
    // Served by rising demand per weight: all that come later can use at least as much per weight.
    const share = Math.min(at(demands, i), (left * at(weights, i)) / weight)
    shares[i] = share
    left = Math.max(0, left - share)
    weight -= at(weights, i)
  }
  return shares
}

const at = (list: readonly number[], i: number): number => list[i] as number

/**
 * Jain's index of fairness of what each has relative to what it is due: (sum x)^2 / (n sum x^2), from 1/n (one has all)
 * to 1 (all equal); NaN when nobody has anything. Source: Jain, Chiu, Hawe, DEC-TR-301, 1984.
 */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  const squares = values.reduce((total, value) => total + value * value, 0)
  return (sum * sum) / (values.length * squares)
}

/**
 * Weighted max-min shares of a capacity, written into `shares`: nobody gets more than its demand, and what it leaves is divided among the others in
 * proportion to their weights. Only the first `count` entries of the columns count, since these are reused. Demands are >= 0, weights > 0; shares are
 * in the unit of the capacity.
 */
export function fillMaxMinShares(
  demands: ArrayLike<number>,
  weights: ArrayLike<number>,
  count: number,
  capacity: number,
  shares: Float64Array,
): void {
  let weight = 0
  for (let i = 0; i < count; i++) weight += weights[i] as number
  let wanting = 0
  for (let i = 0; i < count; i++) {
    const share = (capacity * (weights[i] as number)) / weight
    shares[i] = share
    if ((demands[i] as number) >= share) wanting++
  }
  if (wanting < count) pour(demands, weights, count, capacity, weight, shares)
}

function pour(
  demands: ArrayLike<number>,
  weights: ArrayLike<number>,
  count: number,
  capacity: number,
  weight: number,
  shares: Float64Array,
): void {
  const level = (i: number) => (demands[i] as number) / (weights[i] as number)
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => level(a) - level(b) || a - b)
  // in order of rising demand per weight: all later ones can use at least as much per weight
  for (const i of order) {
    const share = Math.min(demands[i] as number, (capacity * (weights[i] as number)) / weight)
    shares[i] = share
    capacity = Math.max(0, capacity - share)
    weight -= weights[i] as number
  }
}

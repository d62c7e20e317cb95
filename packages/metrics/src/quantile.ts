/**
 * The quantile `q` in [0, 1] of values in ascending order, interpolated linearly between the two neighbours of position q x (n - 1): definition 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996, the default of R and NumPy. NaN if there are no values. Values may be infinite:
 * a finite value exactly at the position is returned even if its neighbour is infinite.
 */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const position = q * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below] ?? NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN
  return low === high || position === below ? low : low + (high - low) * (position - below)
}

/** The middle value, or the mean of the two middle ones; NaN if there are no values. `values` need not be sorted. */
export const median = (values: Iterable<number>): number => quantile(Float64Array.from(values).sort(), 0.5)

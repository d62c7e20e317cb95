import { requireNonNegative } from '../analysis/arguments.js'

/**
 * Minimum shares that fit: where they sum to more than `total`, each is scaled by total / sum; else they are returned as
 * given. Who configures the pools should warn when `overcommitted`. Throws `BAD_OPTION` for a negative or infinite number.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, HFS: overcommitted minimum shares.
 */
export function scaleMinShares(minShares: readonly number[], total: number): number[] {
  const sum = sumOf(minShares)
  requireNonNegative('total', total)
  return sum > total ? minShares.map((share) => (share * total) / sum) : [...minShares]
}

/** Whether the minimum shares sum to more than `total`. */
export function overcommitted(minShares: readonly number[], total: number): boolean {
  requireNonNegative('total', total)
  return sumOf(minShares) > total
}

function sumOf(minShares: readonly number[]): number {
  minShares.forEach((share, i) => requireNonNegative(`minShares.${i}`, share))
  return minShares.reduce((sum, share) => sum + share, 0)
}

/**
 * The number rounded to 40 of its 53 bits (Dekker 1971). Numbers that differ only by the rounding of different sums and products then become equal:
 * that rounding is in the other 13 bits.
 */
export function to40Bits(value: number): number {
  const high = value * (2 ** 13 + 1)
  return Number.isFinite(high) ? high - (high - value) : value
}

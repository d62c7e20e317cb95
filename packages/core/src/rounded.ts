/** The number with 40 of its 53 bits (Dekker 1971), so that what comes to the same in other sums and products is equal: what they round away is in the other 13. */
export function to40Bits(value: number): number {
  const high = value * (2 ** 13 + 1)
  return Number.isFinite(high) ? high - (high - value) : value
}

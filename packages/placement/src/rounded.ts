/** The number with 40 of its 53 bits (Dekker 1971): what a product of many quotients rounds away is in the other 13. */
export function to40Bits(value: number): number {
  const high = value * (2 ** 13 + 1)
  return high - (high - value)
}

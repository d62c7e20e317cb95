/** 1/k! ln(2)^k by Horner's rule needs so many terms for the last bit where |fraction| <= 1/2: ln(2)^17 / 2^17 / 17! < 2^-60. */
const TERMS = 16

/**
 * 2 to the power of x, by multiplication and addition alone: the same bits everywhere, which `Math.pow` does not promise.
 * Exact for whole x, otherwise within a few units of the last place.
 */
export function powerOfTwo(x: number): number {
  if (x < -1100) return 0
  if (x > 1023) return Infinity
  const whole = Math.round(x)
  const z = (x - whole) * Math.LN2
  let series = 1
  for (let k = TERMS; k > 0; k--) series = 1 + (series * z) / k
  return scaled(series, whole)
}

/** Times 2 to a whole power; every step but the last into the subnormal numbers is exact. */
function scaled(value: number, exponent: number): number {
  let result = value
  for (let left = Math.abs(exponent); left > 0; left--) result *= exponent > 0 ? 2 : 0.5
  return result
}

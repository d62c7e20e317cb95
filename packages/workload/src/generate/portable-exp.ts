/**
 * e to the power `x`, equal on every machine, which `Math.exp` and `Math.pow` are not bound to be: additions,
 * multiplications and divisions of doubles only, each rounded as IEEE 754 says. Within 2 units in the last place for
 * -700 < x < 700; 0 or `Infinity` beyond.
 *
 * Method: x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series of e^r to the 13th power, whose rest is below 1e-17.
 */
export function exp(x: number): number {
  if (x > 700) return Infinity
  if (x < -700) return 0
  const k = Math.floor(x / ln2 + 0.5)
  const r = x - k * ln2High - k * ln2Low
  let sum = 1
  for (let n = 13; n > 0; n--) sum = 1 + (r * sum) / n
  return sum * powerOfTwo(k)
}

/** 2 to the power `x`, -1000 < x < 1000; exact for whole numbers. */
export function exp2(x: number): number {
  const k = Math.floor(x + 0.5)
  return powerOfTwo(k) * exp((x - k) * ln2)
}

const ln2 = 0.6931471805599453
const ln2High = 0.693147180369123816490 // its upper 33 bits, so that the product with k is exact ...
const ln2Low = 1.90821492927058770002e-10 // ... and the rest

/** Exact: every step doubles or halves. */
function powerOfTwo(k: number): number {
  let power = 1
  for (let i = k; i > 0; i--) power *= 2
  for (let i = k; i < 0; i++) power /= 2
  return power
}

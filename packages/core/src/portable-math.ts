/*
 * Logarithms and exponentials that are equal on every machine, which those of `Math` are not bound to be: additions, multiplications
 * and divisions of doubles only, each rounded as IEEE 754 says. Engines take theirs from the platform, and compilers fuse
 * multiplications with additions where the processor can.
 */

const bits = new Float64Array([-1])
const words = new Uint32Array(bits.buffer)
/** Index of the word with the sign and exponent of a double. */
const HIGH = words[0] === 0 ? 1 : 0
const BIAS = 1023
const SMALLEST_NORMAL = 2 ** -1022

const ln2High = 0.69314718036912381649 // the upper 33 bits of ln 2, so that the product with a whole number is exact ...
const ln2Low = 1.90821492927058770002e-10 // ... and the rest

/** Exact powers of 2: `powers[LEAST + e]` is 2^e, for e from -1024 to 1023. */
const LEAST = 1024
const powers = new Float64Array(2 * LEAST)
powers[0] = 2 ** -LEAST
for (let i = 1; i < powers.length; i++) powers[i] = 2 * (powers[i - 1] as number)

/**
 * The natural logarithm, within 1 unit in the last place; `-Infinity` of 0, NaN below.
 *
 * Method: fdlibm 5.3, `__ieee754_log` (Sun Microsystems, 1993). x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); a polynomial in
 * s^2, where s = f / (2 + f), gives ln(1 + f) = f - s (f - polynomial).
 */
export function portableLog(x: number): number {
  if (x >= SMALLEST_NORMAL && x < Infinity) return logOf(x, 0)
  if (x === 0) return -Infinity
  if (!(x > 0)) return NaN
  return x === Infinity ? x : logOf(x * 2 ** 54, -54)
}

/** The logarithm of 2^more times a normal x. */
function logOf(x: number, more: number): number {
  bits[0] = x
  const high = words[HIGH] as number
  const mantissa = high & 0xfffff // its upper 20 bits
  const exponent = (high >> 20) - BIAS + ((mantissa + 0x95f64) >> 20)
  const f = x * (powers[LEAST - exponent] as number) - 1
  const k = exponent + more
  if (((mantissa + 2) & 0xfffff) < 3) return k * ln2High - (f * f * (0.5 - 0.3333333333333333 * f) - k * ln2Low - f) // |f| < 2^-20
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)))
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373))
  const polynomial = odd + even
  if (mantissa < 0x6147a || mantissa > 0x6b851) return k * ln2High - (s * (f - polynomial) - k * ln2Low - f)
  const half = 0.5 * f * f
  return k * ln2High - (half - (s * (half + polynomial) + k * ln2Low) - f)
}

/** The logarithm to the base 2, within 2 units in the last place, exact of powers of two; `-Infinity` of 0, NaN below. */
export function portableLog2(x: number): number {
  const log = portableLog(x) / Math.LN2
  const whole = Math.round(log)
  return powers[LEAST + whole] === x ? whole : log
}

/**
 * ln(1 + x), within 4 units in the last place also where x is so small that 1 + x loses it; `-Infinity` of -1, NaN below.
 *
 * Method: what rounding 1 + x lost is put right in proportion (W. Kahan, as in the HP-15C Advanced Functions Handbook, 1982).
 */
export function portableLog1p(x: number): number {
  const sum = 1 + x
  if (sum === 1) return x
  return sum === Infinity ? sum : (portableLog(sum) * x) / (sum - 1)
}

/**
 * e to the power x, within 2 units in the last place for -700 < x < 700; 0 or `Infinity` beyond.
 *
 * Method: x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series of e^r.
 */
export function portableExp(x: number): number {
  if (x > 700) return Infinity
  if (x < -700) return 0
  const k = Math.floor(x / Math.LN2 + 0.5)
  return scaled(series(x - k * ln2High - k * ln2Low), k)
}

/** 2 to the power x, exact for whole x and within 2 units in the last place otherwise; 0 or `Infinity` where doubles end. */
export function portableExp2(x: number): number {
  if (x < -1100) return 0
  if (x >= 1024) return Infinity
  const whole = Math.floor(x + 0.5)
  return scaled(series((x - whole) * Math.LN2), whole)
}

/** Number of terms of the series of e^r that makes the last bit right for |r| <= ln 2 / 2: (ln 2 / 2)^14 / 14! < 2^-57. */
const TERMS = 13

function series(r: number): number {
  let sum = 1
  for (let n = TERMS; n > 0; n--) sum = 1 + (r * sum) / n
  return sum
}

/** The value times 2^exponent. Every step is exact, except the last one into the subnormal numbers. */
function scaled(value: number, exponent: number): number {
  let result = value
  for (let left = Math.abs(exponent); left > 0; left--) result *= exponent > 0 ? 2 : 0.5
  return result
}

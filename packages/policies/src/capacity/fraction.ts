/** An exact part of a whole, so that 29 percent of 100 is 29. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

export const whole: Fraction = { over: 1n, under: 1n }
export const none: Fraction = { over: 0n, under: 1n }

/** A decimal number as written, at least 0: 12.5 is 125 / 10. */
export function fraction(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [head = '0', tail = ''] = mantissa.split('.')
  const power = Number(exponent) - tail.length
  const digits = BigInt(head + tail)
  return power >= 0 ? { over: digits * 10n ** BigInt(power), under: 1n } : { over: digits, under: 10n ** BigInt(-power) }
}

export const percent = (value: number): Fraction => divided(fraction(value), fraction(100))
export const times = (a: Fraction, b: Fraction): Fraction => reduced(a.over * b.over, a.under * b.under)
export const divided = (a: Fraction, b: Fraction): Fraction => reduced(a.over * b.under, a.under * b.over)
export const plus = (a: Fraction, b: Fraction): Fraction => reduced(a.over * b.under + b.over * a.under, a.under * b.under)
/** The sum of what all of these stand for; found once for those that are alike, since there may be thousands. */
export function sumOf<T>(all: Iterable<T>, fractionOf: (each: T) => Fraction): Fraction {
  const counts = new Map<T, number>()
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1)
  return sumOfCounted(counts, fractionOf)
}

/** The sum where each counts so many times. */
export const sumOfCounted = <T>(counts: ReadonlyMap<T, number>, fractionOf: (each: T) => Fraction): Fraction =>
  [...counts].reduce((sum, [each, count]) => plus(sum, times(fractionOf(each), fraction(count))), none)

export const isLess = (a: Fraction, b: Fraction): boolean => a.over * b.under < b.over * a.under
export const valueOf = ({ over, under }: Fraction): number => Number(over) / Number(under)

/** The part of a whole amount, rounded down. */
export const partOf = (amount: number, { over, under }: Fraction): number => Number((BigInt(amount) * over) / under)

/** The part of a whole amount, rounded to the nearest, halves up. */
export const nearestTo = (amount: number, { over, under }: Fraction): number => Number((2n * BigInt(amount) * over + under) / (2n * under))

function reduced(over: bigint, under: bigint): Fraction {
  let a = over
  let b = under
  while (b > 0n) [a, b] = [b, a % b]
  return a > 1n ? { over: over / a, under: under / a } : { over, under }
}

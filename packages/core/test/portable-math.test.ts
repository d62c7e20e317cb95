import { describe, expect, it } from 'vitest'
import { portableExp, portableExp2, portableLog, portableLog1p, portableLog2, randomStream } from '../src/index.js'

/** Fixed-point numbers with so many bits after the point. */
const BITS = 220n
const ONE = 1n << BITS
const times = (a: bigint, b: bigint): bigint => (a * b) >> BITS

/** A double of at least 2^-120 as a fixed-point number, exactly. */
function fixed(value: number): bigint {
  let [whole, halvings] = [value, 0n]
  for (; !Number.isInteger(whole); halvings++) whole *= 2
  return (BigInt(whole) << BITS) >> halvings
}

/** 2 atanh(z), which is ln((1 + z) / (1 - z)), by its series. */
function twiceAtanh(z: bigint): bigint {
  const square = times(z, z)
  let sum = 0n
  for (let [n, power] = [1n, z]; power !== 0n && power !== -1n; n += 2n, power = times(power, square)) sum += power / n
  return 2n * sum
}
const LN2 = twiceAtanh(ONE / 3n)

function ln(x: bigint): bigint {
  let [rest, k] = [x, 0n]
  for (; rest > 2n * ONE; k++) rest >>= 1n
  for (; rest < ONE; k--) rest <<= 1n
  return k * LN2 + twiceAtanh(((rest - ONE) << BITS) / (rest + ONE))
}

/** e to a power, by its series. */
function exp(x: bigint): bigint {
  let sum = 0n
  for (let [n, term] = [1n, ONE]; term !== 0n && term !== -1n; n++) {
    sum += term
    term = times(term, x) / n
  }
  return sum
}

/** By how many units in the last place a result is not the exact value. */
function units(result: number, exact: bigint): number {
  let unit = 2 ** -52
  for (let rest = Math.abs(result); rest >= 2; rest /= 2) unit *= 2
  for (let rest = Math.abs(result); rest < 1; rest *= 2) unit /= 2
  return Math.abs(Number(fixed(result) - exact)) / Number(ONE) / unit
}

const next = randomStream(1, 'portable')
const draws = (from: number, to: number) => Array.from({ length: 500 }, () => from + (to - from) * next())
const worst = (xs: readonly number[], of: (x: number) => number, exact: (x: bigint) => bigint) => Math.max(...xs.map((x) => units(of(x), exact(fixed(x)))))

describe('portable functions', () => {
  it('are within their units of the exact value', () => {
    const positive = [...draws(0, 1), ...draws(0.99, 1.01), ...draws(1, 1e9), ...draws(1 - 1e-6, 1 + 1e-6), 2, 3, 10, 1e-30, 0.7071067811865475, 1.414213562373095]
    expect(worst(positive, portableLog, ln)).toBeLessThan(1)
    expect(worst(positive, portableLog2, (x) => (ln(x) << BITS) / LN2)).toBeLessThan(2)
    expect(worst([...draws(-1, 1), ...draws(-1e-9, 1e-9), ...draws(1, 1e6)], portableLog1p, (x) => ln(ONE + x))).toBeLessThan(4)
    expect(worst([...draws(-60, 60), ...draws(-1e-3, 1e-3)], portableExp, exp)).toBeLessThan(2)
    expect(worst(draws(-60, 60), portableExp2, (x) => exp(times(x, LN2)))).toBeLessThan(2)
  })

  it('give the same bits everywhere', () => {
    // drawn once on an x64 machine: another bit anywhere is another sum
    const bits = new DataView(new ArrayBuffer(8))
    const sumOf = (of: (x: number) => number, from: number, to: number) => {
      const draw = randomStream(2, 'bits')
      let sum = 0
      for (let i = 0; i < 20_000; i++) {
        bits.setFloat64(0, of(from + (to - from) * draw()))
        sum = (Math.imul(sum, 31) + bits.getInt32(0) + Math.imul(bits.getInt32(4), 7)) | 0
      }
      return sum
    }
    expect([sumOf(portableLog, 0, 1), sumOf(portableLog, 0, 1e6), sumOf(portableLog2, 0, 100)]).toEqual([-466207063, -300506299, 191503090])
    expect([sumOf(portableLog1p, -1, 1), sumOf(portableExp, -50, 50), sumOf(portableExp2, -50, 50)]).toEqual([-31662486, 1689467609, -1241331420])
  })

  it('are exact where the result is', () => {
    for (let k = -1022; k < 1024; k++) expect(portableLog2(2 ** k)).toBe(k)
    for (let k = -1074; k < 1024; k++) expect(portableExp2(k)).toBe(2 ** k)
    expect([portableLog(1), portableLog1p(0), portableLog1p(1e-300), portableExp(0)]).toEqual([0, 0, 1e-300, 1])
  })

  it('have their limits at the ends', () => {
    expect([0, -0, -1, NaN, Infinity].map(portableLog)).toEqual([-Infinity, -Infinity, NaN, NaN, Infinity])
    expect([-1, -2, Infinity].map(portableLog1p)).toEqual([-Infinity, NaN, Infinity])
    expect([1000, -1000].map(portableExp)).toEqual([Infinity, 0])
    expect([1024, 2000, -2000, NaN].map(portableExp2)).toEqual([Infinity, Infinity, 0, NaN])
    expect(portableLog(5e-324)).toBeCloseTo(-1074 * Math.LN2, 10)
  })
})

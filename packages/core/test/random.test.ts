import { describe, expect, it } from 'vitest'
import { hashUnit, randomStream, SchedError, streamKey } from '../src/index.js'

const draws = 65_536

/** Pearson's statistic over equally likely cells. */
function chiSquare(cells: number, count: number, cellOf: (i: number) => number): number {
  const seen = new Float64Array(cells)
  for (let i = 0; i < count; i++) seen[cellOf(i)]!++
  const expected = count / cells
  return seen.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
}

/** With `df` degrees of freedom the statistic lies within 4 standard deviations, sqrt(2 df), of df. */
const plausible = (statistic: number, df: number) => Math.abs(statistic - df) < 4 * Math.sqrt(2 * df)

const pair = (u: number, v: number) => Math.floor(u * 16) * 16 + Math.floor(v * 16)

describe('randomStream', () => {
  it('is uniform on [0, 1): 256 cells', () => {
    for (const seed of [1, 2, 2 ** 40]) {
      const next = randomStream(seed, 'jobs')
      expect(plausible(chiSquare(256, draws, () => Math.floor(next() * 256)), 255)).toBe(true)
    }
  })

  it('fills the low bits of the fraction as evenly as the high ones', () => {
    const next = randomStream(3, 'jobs')
    expect(plausible(chiSquare(256, draws, () => (next() * 2 ** 53) % 256), 255)).toBe(true)
  })

  it('gives neighbours that are independent: 16 x 16 cells of successive pairs', () => {
    const next = randomStream(4, 'jobs')
    expect(plausible(chiSquare(256, draws, () => pair(next(), next())), 255)).toBe(true)
  })

  it('gives independent streams for two names, for two seeds and for seeds that differ above 32 bits', () => {
    const streams: [() => number, () => number][] = [
      [randomStream(1, 'jobs'), randomStream(1, 'replicas')],
      [randomStream(1, 'jobs'), randomStream(2, 'jobs')],
      [randomStream(1, 'jobs'), randomStream(1 + 2 ** 32, 'jobs')],
      [randomStream(1, 'jobs'), randomStream(-1, 'jobs')],
    ]
    for (const [left, right] of streams)
      expect(plausible(chiSquare(256, draws, () => pair(left(), right())), 255)).toBe(true)
  })

  it('starts unlike its neighbours: first numbers of 65,536 seeds are uniform', () => {
    expect(plausible(chiSquare(256, draws, (seed) => Math.floor(randomStream(seed, 'x')() * 256)), 255)).toBe(true)
  })

  it('repeats itself from the same seed and name, with the same bits as ever', () => {
    const next = randomStream(1, 'blocks')
    expect([next(), next(), next()]).toEqual([0.28296652623849905, 0.15188185702025536, 0.11535317159115699])
  })

  it('refuses a seed that is no whole number', () => {
    expect(() => randomStream(0.5, 'jobs')).toThrow(new SchedError('BAD_OPTION', 'seed is 0.5.', { field: 'seed' }, 'Use a whole number.'))
    expect(() => randomStream(NaN, 'jobs')).toThrow('seed is NaN')
  })
})

describe('hashUnit', () => {
  it('equals the published answer of Threefry-2x32-13 for key 0 and counter 0 (Random123, kat_vectors)', () => {
    // words 9d1c5ec6 8bd50731: top 27 bits of the first, top 26 of the second
    expect(hashUnit(0, 0, 0)).toBe(((0x9d1c5ec6 >>> 5) * 2 ** 26 + (0x8bd50731 >>> 6)) / 2 ** 53)
  })

  it('is uniform over each of its arguments', () => {
    const key = streamKey(1, 'durations')
    const along: ((i: number) => number)[] = [
      (i) => hashUnit(key + i, 5, 0), (i) => hashUnit(key, i, 0), (i) => hashUnit(key, 5, i), (i) => hashUnit(key, i, i),
    ]
    for (const u of along) expect(plausible(chiSquare(256, draws, (i) => Math.floor(u(i) * 256)), 255)).toBe(true)
  })

  it('gives neighbours that are independent along each argument', () => {
    const key = streamKey(1, 'durations')
    const pairs: ((i: number) => number)[] = [
      (i) => pair(hashUnit(key, i, 0), hashUnit(key, i + 1, 0)),
      (i) => pair(hashUnit(key, i, 0), hashUnit(key, i, 1)),
      (i) => pair(hashUnit(key, i, 0), hashUnit(key + 1, i, 0)),
    ]
    for (const cellOf of pairs) expect(plausible(chiSquare(256, draws, cellOf), 255)).toBe(true)
  })

  it('avalanches: one flipped input bit flips each of the first 32 output bits half of the time', () => {
    const samples = 1_000
    const bits = (key: number, a: number, b: number) => Math.floor(hashUnit(key, a, b) * 2 ** 32) | 0
    let worst = 0
    for (let bit = 0; bit < 96; bit++) {
      const flips = new Int32Array(32)
      const mask = [0, 1, 2].map((word) => (word === bit >> 5 ? 1 << (bit & 31) : 0))
      for (let i = 0; i < samples; i++) {
        const changed = bits(77, i, 3) ^ bits(77 ^ mask[0]!, i ^ mask[1]!, 3 ^ mask[2]!)
        for (let out = 0; out < 32; out++) flips[out]! += (changed >>> out) & 1
      }
      for (const n of flips) worst = Math.max(worst, Math.abs(n / samples - 0.5))
    }
    // standard deviation sqrt(0.25 / 1000) = 0.0158; the largest of 3,072 stays under 5 of them
    expect(worst).toBeLessThan(0.08)
  })

  it('takes its arguments as 32-bit integers', () => {
    expect(hashUnit(-1, -2, -3)).toBe(hashUnit(2 ** 32 - 1, 2 ** 32 - 2, 2 ** 32 - 3))
  })
})

describe('streamKey', () => {
  it('differs by seed and by name and never changes', () => {
    expect([streamKey(1, 'blocks'), streamKey(2, 'blocks'), streamKey(1, ''), streamKey(-1, 'x')])
      .toEqual([-59309438, 30004517, -808039171, -1264243060])
  })

  it('has no collision among 20,000 names and seeds beyond the odd one of chance', () => {
    const keys = new Set<number>()
    for (let i = 0; i < 10_000; i++) keys.add(streamKey(i, 'a')).add(streamKey(0, `a${i}`))
    // 2e4^2 / 2 / 2^32 = 0.05 expected
    expect(keys.size).toBeGreaterThanOrEqual(19_998)
  })
})

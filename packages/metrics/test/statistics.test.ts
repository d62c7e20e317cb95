import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jainIndex, meanInterval, median, naturalOrder, pairedDifference, quantile } from '../src/index.js'
import { fillMaxMinShares } from '../src/max-min-shares.js'
import { exactParts } from '../src/exact-parts.js'

describe('quantile', () => {
  it('interpolates between neighbours: 0.9 of 1, 2, 4, 8, 16 lies at position 3.6, at 8 + 0.6 x 8', () => {
    expect(quantile([1, 2, 4, 8, 16], 0.9)).toBeCloseTo(12.8, 12)
    expect([0, 0.25, 1].map((q) => quantile([1, 2, 4, 8, 16], q))).toEqual([1, 2, 16])
  })

  it('gives the middle value, the mean of two, and NaN of none', () => {
    expect([median([9, 1, 5]), median([10, 1, 2, 4]), median([7]), median([])]).toEqual([5, 3, 7, NaN])
    expect([median([0, Infinity, 0]), median([0, Infinity, Infinity]), median([0, Infinity])]).toEqual([0, Infinity, Infinity])
  })

  it('sorts by number, not by text', () => {
    expect(median([100, 9, 20])).toBe(20)
  })
})

describe('interval of a mean', () => {
  it('is 6 +- 2.306 x 3/3 for nine values of standard deviation 3 (t(8, 0.975) = 2.306)', () => {
    // 2, 3, 4, 5, 6, 7, 8, 9, 10: mean 6, sum of squares 2 x (16 + 9 + 4 + 1) = 60, s = sqrt(60 / 8) = 2.7386
    const interval = meanInterval([2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(interval).toMatchObject({ n: 9, mean: 6, level: 0.95 })
    expect(interval.halfWidth).toBeCloseTo((2.306004 * 2.738613) / 3, 5)
    expect(interval.high - interval.mean).toBeCloseTo(interval.halfWidth, 12)
    expect(interval.mean - interval.low).toBeCloseTo(interval.halfWidth, 12)
  })

  it.each([
    // two-sided quantiles of Student's t, from published tables
    [2, 0.95, 12.7062],
    [3, 0.9, 2.92],
    [11, 0.99, 3.1693],
  ])('uses the t distribution: %i values at level %f have t = %f', (n, level, t) => {
    const values = Array.from({ length: n }, (_, i) => i)
    const mean = (n - 1) / 2
    const s = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1))
    expect((meanInterval(values, level).halfWidth / s) * Math.sqrt(n)).toBeCloseTo(t, 4)
  })

  it('has no width for one value, and no mean for none', () => {
    expect(meanInterval([5])).toEqual({ n: 1, mean: 5, low: NaN, high: NaN, halfWidth: NaN, level: 0.95 })
    expect(meanInterval([]).mean).toBeNaN()
  })

  it('has no width for equal values, whatever the rounding of their sum', () => {
    const value = 6870.8815787690555 // five times it, divided by five, is another number
    expect(meanInterval(Array<number>(5).fill(value))).toEqual({ n: 5, mean: value, low: value, high: value, halfWidth: 0, level: 0.95 })
  })

  it('refuses a level that is no probability', () => {
    expect(() => meanInterval([1, 2], 95)).toThrow(/level is 95.*0.95/)
  })
})

describe('paired difference', () => {
  it('is exact where two policies differ by a constant, however much the seeds differ', () => {
    expect(pairedDifference([11, 101, 1001], [10, 100, 1000])).toMatchObject({ mean: 1, low: 1, high: 1, halfWidth: 0 })
  })

  it('is the interval of the differences 1, 2, 3: 2 +- 4.3027 x 1 / sqrt(3)', () => {
    expect(pairedDifference([11, 22, 33], [10, 20, 30]).halfWidth).toBeCloseTo(4.302653 / Math.sqrt(3), 5)
  })

  it('refuses lists of different length', () => {
    expect(() => pairedDifference([1, 2], [1])).toThrow(/2 values are paired with 1.*same seeds/)
  })
})

function maxMinShares(demands: readonly number[], weights: readonly number[], capacity: number): Float64Array {
  const shares = new Float64Array(demands.length)
  fillMaxMinShares(demands, weights, demands.length, capacity, shares)
  return shares
}

describe('max-min shares', () => {
  it('divides what small demands leave: 10 among demands 2, 2.6, 4, 5 gives 2, 2.6, 2.7, 2.7', () => {
    // The example of many textbooks, for example Keshav, "An Engineering Approach to Computer Networking", section 9.2.
    const shares = maxMinShares([2, 2.6, 4, 5], [1, 1, 1, 1], 10)
    expect([...shares].map((share) => Number(share.toFixed(12)))).toEqual([2, 2.6, 2.7, 2.7])
  })

  it('follows weights: 16 among demands 4, 2, 10, 4 with weights 2.5, 4, 0.5, 1 gives 4, 2, 6, 4', () => {
    // Same source: rounds give 5, 8, 1, 2; then 4, 2, 10/3, 20/3; then the third takes what is left, 6.
    expect([...maxMinShares([4, 2, 10, 4], [2.5, 4, 0.5, 1], 16)].map((share) => Number(share.toFixed(9)))).toEqual([4, 2, 6, 4])
  })

  it('wastes nothing, exceeds no demand, and nobody could gain but from one who has more', () => {
    const queue = fc.record({ demand: fc.integer({ min: 0, max: 50 }), weight: fc.integer({ min: 1, max: 5 }) })
    fc.assert(
      fc.property(fc.array(queue, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 100 }), (queues, capacity) => {
        const demands = queues.map(({ demand }) => demand)
        const weights = queues.map(({ weight }) => weight)
        const shares = [...maxMinShares(demands, weights, capacity)]
        const used = shares.reduce((sum, share) => sum + share, 0)
        expect(used).toBeCloseTo(Math.min(capacity, demands.reduce((sum, demand) => sum + demand, 0)), 9)
        const highest = Math.max(...shares.map((share, i) => share / (weights[i] as number)))
        for (const [i, share] of shares.entries()) {
          expect(share).toBeLessThanOrEqual(demands[i] as number)
          if (share < (demands[i] as number) - 1e-9) expect(share / (weights[i] as number)).toBeCloseTo(highest, 9)
        }
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe("Jain's index", () => {
  it('is 1 for equal parts, 1/4 for one of four that has all, and blind to scale', () => {
    expect(jainIndex([3, 3, 3], [1, 1, 1])).toBe(1)
    expect(jainIndex([8, 0, 0, 0], [2, 2, 2, 2])).toBe(0.25)
    expect(jainIndex([10, 20], [1, 2])).toBe(1)
  })

  it('is 0.9 for 1 and 2: 9 / (2 x 5)', () => {
    expect(jainIndex([1, 2], [1, 1])).toBeCloseTo(0.9, 12)
  })

  it('leaves out who is due nothing', () => {
    expect(jainIndex([1, 2, 5], [1, 1, 0])).toBeCloseTo(0.9, 12)
  })
})

describe('natural order', () => {
  it('reads digits as numbers and the rest by code units', () => {
    expect(['bin 10', 'bin 2', 'Bin 3', 'bin', '>20', '3-20', '1'].sort(naturalOrder)).toEqual(['1', '3-20', '>20', 'Bin 3', 'bin', 'bin 2', 'bin 10'])
  })

  it('ranks different names differently, also 01 and 1', () => {
    expect(naturalOrder('a01', 'a1')).toBeLessThan(0)
    expect(naturalOrder('a1', 'a1')).toBe(0)
  })
})

describe('exact parts', () => {
  it('add up to the whole in any order, changed by rounding alone', () => {
    const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 8 })
    fc.assert(
      fc.property(times, (unsorted) => {
        const sorted = Float64Array.from(unsorted).sort()
        const parts = Float64Array.from({ length: sorted.length - 1 }, (_, i) => (sorted[i + 1] as number) - (sorted[i] as number))
        const whole = (sorted.at(-1) as number) - (sorted[0] as number)
        const exact = exactParts(parts.slice(), whole)
        expect(exact.reduce((sum, part) => sum + part, 0)).toBe(whole)
        expect(exact.reduceRight((sum, part) => sum + part, 0)).toBe(whole)
        for (const [i, part] of exact.entries()) expect(Math.abs(part - (parts[i] as number))).toBeLessThanOrEqual(whole * 1e-14)
      }),
      { seed: 1, numRuns: 1000 },
    )
  })
})

import { describe, expect, it } from 'vitest'
import { measure, type Claim, type Class, type Finding } from '../src/papers/claim.js'
import { expectedText, publishedText, simulatedText } from '../src/papers/figures.js'
import { rowOf } from '../src/papers/row.js'
import { about, above, below, contains, distance, range, shown, type Range } from '../src/papers/range.js'
import { verdict } from '../src/papers/verdict.js'

const claim = (kind: Class, ...expected: Range[]): Claim => ({
  id: 'X', class: kind, published: 0.5, measures: expected.map((each, i) => measure(`figure ${i}`, 'share', each)),
})
const estimates = (...values: [low: number, mean: number, high: number][]): Finding => values.map(([low, mean, high]) => ({ low, mean, high }))

describe('a range', () => {
  it('holds its ends unless it is open', () => {
    expect([0.19, 0.2, 0.5, 0.51].map((value) => contains(range(0.2, 0.5), value))).toEqual([false, true, true, false])
    expect([1, 1.01].map((value) => contains(above(1), value))).toEqual([false, true])
    expect([0.8, 0.79].map((value) => contains(below(0.8), value))).toEqual([false, true])
  })

  it('does not hold NaN, not even where everything is allowed', () => {
    expect([range(0, 1), above(0), shown].map((each) => contains(each, NaN))).toEqual([false, false, false])
  })

  it('is as far from a figure as its nearer end', () => {
    // 0.27 +- 0.08 is 0.19 to 0.35
    expect([0.15, 0.19, 0.3, 0.4].map((value) => Number(distance(about(0.27, 0.08), value).toFixed(6)))).toEqual([0.04, 0, 0, 0.05])
  })
})

describe('a verdict', () => {
  it('of a quantitative target is within, or outside by the largest distance of a mean', () => {
    const target = claim('Q', about(0.92, 0.08), about(0.27, 0.08))
    expect(verdict(target, estimates([0.97, 0.979, 0.99], [0.1, 0.224, 0.4]))).toBe('within')
    expect(verdict(target, estimates([0.8, 0.82, 0.84], [0.4, 0.45, 0.5]))).toBe('outside by 0.1') // 0.84 - 0.82 and 0.45 - 0.35
  })

  it('of a direction tells whether the interval, the mean alone, or neither lies on the published side', () => {
    const direction = claim('R', above(1))
    expect(verdict(direction, estimates([1.1, 1.2, 1.3]))).toBe('direction holds')
    expect(verdict(direction, estimates([0.9, 1.2, 1.5]))).toBe('direction holds (mean only)')
    expect(verdict(direction, estimates([0.7, 0.9, 1.1]))).toBe('direction does not hold')
  })

  it('asks nothing of a figure that is only shown', () => {
    expect(verdict(claim('R', shown, above(1)), estimates([NaN, NaN, NaN], [2, 2, 2]))).toBe('direction holds')
  })

  it('needs every figure of the row', () => {
    expect(verdict(claim('Q', about(0.5, 0.1), about(0.5, 0.1)), estimates([0.5, 0.5, 0.5], [0.5, 0.7, 0.8]))).toBe('outside by 0.1')
    expect(verdict(claim('Q', about(0.5, 0.1)), [])).toBe('not measured')
  })

  it('of what cannot be reproduced says why, whatever was measured', () => {
    expect(verdict({ ...claim('N', shown), why: 'the numbers are not given' }, [])).toBe('not reproducible: the numbers are not given')
    expect(verdict(claim('own', shown), estimates([1, 2, 3]))).toBe('own figure')
  })
})

describe('a row', () => {
  it('holds numbers for one figure, lists for several and null where nothing was measured', () => {
    expect(rowOf(claim('Q', about(0.5, 0.1)), estimates([0.4, 0.5, 0.6]))).toEqual(
      { id: 'X', published: 0.5, simulated: 0.5, low: 0.4, high: 0.6, class: 'Q', verdict: 'within' })
    expect(rowOf(claim('R', above(0), above(0)), estimates([1, 2, 3], [4, 5, 6]))).toMatchObject({ simulated: [2, 5], low: [1, 4], high: [3, 6] })
    expect(rowOf(claim('N', shown), undefined)).toMatchObject({ simulated: null, low: null, high: null })
  })
})

describe('figures', () => {
  it('are printed in their unit, published ones with the digits that were published', () => {
    const measures = [measure('a', 'share', shown), measure('b', 'ratio', shown), measure('c', 'seconds', shown), measure('d', 'per second', shown)]
    const several: Claim = { id: 'X', class: 'R', measures, published: [0.92, 1.1, 100, 3200] }
    expect(publishedText(several)).toBe('92%; 1.1x; 100 s; 3,200/s')
    expect(simulatedText(several, estimates([0.91, 0.979, 0.99], [1.2, 1.2, 1.2], [9, 10, 11], [346_000, 352_345, 360_000]))).toBe(
      '97.9% (91.0% to 99.0%); 1.20x; 10.0 s (9.00 s to 11.0 s); 352,000/s (346,000/s to 360,000/s)')
    expect(publishedText({ ...several, published: 2.0 })).toBe('200%')
    expect(simulatedText(several, undefined)).toBe('-')
  })

  it('say where they must lie; shares end at 0 and 1', () => {
    expect([expectedText(range(0.99, 1), 'share'), expectedText(about(0.05, 0.05), 'share'), expectedText(range(0.9, 1.2), 'ratio'),
      expectedText(above(2), 'ratio'), expectedText(range(40, 40), 'slots'), expectedText(shown, 'share'), expectedText(range(-0.02, 0.02), 'share')]).toEqual(
      ['at least 99.0%', 'at most 10.0%', '0.90x to 1.20x', 'above 2.00x', '40', '', '-2.0% to 2.0%'])
  })
})

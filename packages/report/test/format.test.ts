import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, integer, interval, percent, seconds, significant } from '../src/index.js'

describe('numbers', () => {
  it('have three significant digits, no exponent, and all digits before the point', () => {
    expect([12.345, 1.2345, 0.0012345, 123456.7, 999.6, 9.996, 0, -2.5].map((value) => significant(value))).toEqual(
      ['12.3', '1.23', '0.00123', '123457', '1000', '10.0', '0', '-2.50'],
    )
    expect([significant(0.000001234, 2), significant(1e22), significant(3.14159, 5)]).toEqual(['0.0000012', '10000000000000000000000', '3.1416'])
  })

  it('are within half a unit of the last digit shown', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 8 }), (value, digits) => {
        expect(Math.abs(Number(significant(value, digits)) - value)).toBeLessThanOrEqual(Math.max(0, 0.5000001 * 10 ** (1 - digits)) * value + 1e-15)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('show a dash where there is none, without its unit', () => {
    expect([significant(NaN), integer(NaN), percent(NaN), seconds(NaN), duration(NaN), interval({ mean: NaN, halfWidth: NaN }, { unit: ' s' })]).toEqual(Array(6).fill('-'))
    expect([significant(Infinity), seconds(-Infinity)]).toEqual(['inf', '-inf s'])
  })

  it('never show a minus zero', () => {
    expect([significant(-0), percent(-0.0001), integer(-0.3), interval({ mean: -0.01, halfWidth: 14 })]).toEqual(['0', '0.0%', '0', '0 ± 14'])
  })

  it('put commas between thousands of integers alone', () => {
    expect([0, 999, 26410, 1234567.6, -1000].map(integer)).toEqual(['0', '999', '26,410', '1,234,568', '-1,000'])
  })

  it('show fractions in percent', () => {
    expect([percent(0.9523), percent(1), percent(0.12345, 2)]).toEqual(['95.2%', '100.0%', '12.35%'])
  })

  it('show durations in their two largest units, carrying what rounds up', () => {
    expect([4.25, 59.4, 320, 3600, 7980, 273_600, -320].map(duration)).toEqual(['4.25 s', '59.4 s', '5 min 20 s', '1 h', '2 h 13 min', '3 d 4 h', '-5 min 20 s'])
    expect([59.7, 3599.7, 7199, 86_399, 86_400 * 2 - 1].map(duration)).toEqual(['1 min', '1 h', '2 h', '1 d', '2 d'])
  })
})

describe('intervals', () => {
  it('show two digits of the half width and the mean to the same place', () => {
    const shown = (mean: number, halfWidth: number) => interval({ mean, halfWidth })
    expect([shown(123.456, 4.21), shown(123.456, 42.1), shown(0.123456, 0.00421), shown(123.4, 0.996)]).toEqual(['123.5 ± 4.2', '123 ± 42', '0.1235 ± 0.0042', '123.4 ± 1.0'])
  })

  it('show the mean alone when there is one value, and a width of 0 when all are equal', () => {
    expect([interval({ mean: 12.345, halfWidth: NaN }), interval({ mean: 12.345, halfWidth: 0 })]).toEqual(['12.3', '12.3 ± 0.0'])
  })

  it('scale, sign and add a unit', () => {
    expect(interval({ mean: 0.941, halfWidth: 0.018 }, { scale: 100, unit: '%', signed: true })).toBe('+94.1 ± 1.8%')
    expect(interval({ mean: -0.2, halfWidth: 0.05 }, { unit: ' s', signed: true })).toBe('-0.200 ± 0.050 s')
  })
})

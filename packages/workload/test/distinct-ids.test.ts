import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DistinctIds } from '../src/trace/distinct-ids.js'

describe('DistinctIds', () => {
  it('answers as a set of strings does', () => {
    const id = fc.oneof(
      fc.integer({ min: 0, max: 3_000 }).map((n) => `job${n}`),
      fc.integer({ min: 0, max: 3 }).map((n) => `job0${n}`),
      fc.integer({ min: 0, max: 5_000 }).map((n) => `j1${n}`),
      fc.nat().map(String),
      fc.constantFrom('', 'job', '0', '00', 'job999999999', 'job9999999999', 'job12345678901234567890', '__proto__'),
    )
    fc.assert(fc.property(fc.array(id, { maxLength: 300 }), fc.array(id, { maxLength: 50 }), (added, asked) => {
      const ids = new DistinctIds()
      const known = new Set<string>()
      for (const one of added) {
        expect(ids.add(one)).toBe(!known.has(one))
        known.add(one)
      }
      for (const one of [...added, ...asked]) expect(ids.has(one)).toBe(known.has(one))
    }), { numRuns: 200, seed: 77 })
  })

  it('tells apart job1 and job01, and one prefix from another that starts like it', () => {
    const ids = new DistinctIds()
    expect(['job1', 'job01', 'job11', 'job1', 'ob1'].map((id) => ids.add(id))).toEqual([true, true, true, false, true])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BitSet } from '../src/bit-set.js'

const size = 2100 // three words of the summary, the last not full

describe('BitSet', () => {
  it('agrees with a sorted list of members, for the next one from anywhere', () => {
    const step = fc.record({ add: fc.boolean(), value: fc.oneof(fc.nat({ max: size - 1 }), fc.constantFrom(0, 31, 32, 63, 1023, 1024, 2099)), from: fc.nat({ max: size + 40 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const set = new BitSet(size)
        const members = new Set<number>()
        for (const { add, value, from } of steps) {
          if (add) {
            set.add(value)
            members.add(value)
          } else {
            set.delete(value)
            members.delete(value)
          }
          expect(set.has(value)).toBe(add)
          expect(set.next(from)).toBe([...members].sort((a, b) => a - b).find((member) => member >= from) ?? -1)
        }
        expect(set.members()).toEqual([...members].sort((a, b) => a - b))
        set.clear()
        expect([set.next(0), set.members()]).toEqual([-1, []])
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  it('reads all members in order', () => {
    const set = new BitSet(100)
    for (const value of [99, 0, 31, 64, 32]) set.add(value)
    const read: number[] = []
    for (let value = set.next(0); value >= 0; value = set.next(value + 1)) read.push(value)
    expect(read).toEqual([0, 31, 32, 64, 99])
  })
})

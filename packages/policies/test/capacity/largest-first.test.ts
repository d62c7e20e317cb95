import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LargestFirst } from '../../src/capacity/largest-first.js'

/** All that is read of ids 0, 1, ... with these keys; ties go by id. */
function read(list: LargestFirst, keys: readonly number[], most = Infinity): number[] {
  list.clear()
  for (const [id, key] of keys.entries()) list.add(id, key, id)
  const ids: number[] = []
  for (let id = list.next(); id >= 0 && ids.length < most; id = list.next()) ids.push(id)
  return ids
}

describe('reading the largest first', () => {
  it('is sorting, in whatever order ids were added, and as far as one reads', () => {
    const list = new LargestFirst() // one for all runs: what was left unread is gone
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 150 }), fc.boolean(), fc.nat({ max: 150 }), (drawn, isAscending, most) => {
        const keys = isAscending ? [...drawn].sort((a, b) => a - b) : drawn
        const sorted = [...keys.keys()].sort((a, b) => (keys[b] as number) - (keys[a] as number) || b - a)
        expect(read(list, keys, most)).toEqual(sorted.slice(0, most))
      }),
      { seed: 6, numRuns: 200 },
    )
  })
})

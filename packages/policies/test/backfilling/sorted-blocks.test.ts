import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SortedBlocks } from '../../src/orders/sorted-blocks.js'
import { Keys } from '../../src/orders/sorted-ids.js'

const contents = (list: SortedBlocks): number[][] => {
  const blocks: number[][] = []
  list.begin()
  for (let block = list.next(); block !== undefined; block = list.next()) blocks.push([...block.ids.subarray(block.from, block.to)])
  return blocks
}

describe('SortedBlocks', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ add: fc.nat({ max: 600 }), key: fc.integer({ min: 0, max: 30 }) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ removeFirst: fc.nat({ max: 80 }) }) },
  )

  it('agrees with sorting by key and tie after any sequence of additions and removals, in blocks of 1 to 64', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 900, size: 'max' }), (steps) => {
        const keys = new Keys()
        const list = new SortedBlocks(keys)
        const members = new Map<number, number>()
        const sorted = () => [...members].sort(([a, x], [b, y]) => x - y || a - b).map(([id]) => id)
        const remove = (id: number) => {
          list.remove(id)
          members.delete(id)
        }
        for (const each of steps) {
          if ('add' in each) {
            if (members.has(each.add)) continue
            keys.set(each.add, each.key, each.add)
            list.add(each.add)
            members.set(each.add, each.key)
          } else if ('remove' in each) {
            const ids = [...members.keys()]
            if (ids.length > 0) remove(ids[each.remove % ids.length] ?? 0)
          } else for (const id of sorted().slice(0, each.removeFirst)) remove(id)
        }
        const blocks = contents(list)
        expect(blocks.flat()).toEqual(sorted())
        expect(blocks.every(({ length }) => length >= 1 && length <= 64)).toBe(true)
      }),
      { seed: 51, numRuns: 60 },
    )
  })

  it('gives a block another version whenever its contents change, and only then', () => {
    const keys = new Keys()
    const list = new SortedBlocks(keys)
    const versions = () => {
      const found: string[] = []
      list.begin()
      for (let block = list.next(); block !== undefined; block = list.next()) found.push(`${block.id}:${block.version}`)
      return found
    }
    for (let id = 0; id < 130; id++) {
      keys.set(id, id, id)
      list.add(id)
    }
    const before = versions()
    expect(before.length).toBe(3)
    expect(versions()).toEqual(before)
    list.remove(70)
    const after = versions()
    expect(after.map((version, i) => version === before[i])).toEqual([true, false, true])
  })
})

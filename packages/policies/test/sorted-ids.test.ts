import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LeadingIds } from '../src/orders/leading-ids.js'
import { placeAmong } from '../src/orders/sibling-ties.js'
import { Keys, SortedIds } from '../src/orders/sorted-ids.js'

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.nat({ max: 150 }), key: fc.integer({ min: -3, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ rekey: fc.nat(), key: fc.integer({ min: -3, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ removeFirst: fc.constant(true) }) },
)

/** As readers have it: without the gap. */
const contents = (list: SortedIds) => {
  const gap = list instanceof LeadingIds ? list.gap : -1
  return Array.from({ length: list.to - list.from }, (_, i) => list.from + i)
    .filter((at) => at !== gap)
    .map((at) => list.ids[at])
}

describe.each([SortedIds, LeadingIds])('%o', (Ids) => {
  it('agrees with sorting by key and tie after any sequence of additions, moves and removals', () => {
    // up to 150 members, so that both the loop and the block copy of long moves are met
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const keys = new Keys()
        const list = new Ids(keys)
        const members = new Map<number, number>()
        const sorted = () => [...members].sort(([a, x], [b, y]) => x - y || tie(a) - tie(b)).map(([id]) => id)
        for (const each of steps) {
          if ('add' in each) {
            if (members.has(each.add)) continue
            keys.set(each.add, each.key, tie(each.add))
            list.add(each.add)
            members.set(each.add, each.key)
          } else {
            const ids = sorted()
            const id = ids['removeFirst' in each ? 0 : ('remove' in each ? each.remove : each.rekey) % Math.max(1, ids.length)]
            if (id === undefined) continue
            if ('key' in each) {
              list.rekey(id, each.key)
              members.set(id, each.key)
            } else {
              list.remove(id)
              members.delete(id)
            }
          }
          expect(list.size).toBe(members.size)
          expect(contents(list)).toEqual(sorted())
        }
      }),
      { seed: 6, numRuns: 80 },
    )
  })

  it('moves a member over any distance, in both directions, among many', () => {
    for (const count of [2, 48, 49, 50, 97, 300]) {
      const keys = new Keys()
      const list = new Ids(keys)
      for (let id = 0; id < count; id++) {
        keys.set(id, 2 * id, id)
        list.add(id)
      }
      for (const [id, key] of [[0, 2 * count], [count - 1, -1], [Math.floor(count / 2), 0.5], [1, count + 0.5], [1, 1.5], [0, 2 * count]] as const) {
        list.rekey(id, key)
        const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => (keys.key[a] as number) - (keys.key[b] as number) || a - b)
        expect(contents(list)).toEqual(order)
      }
    }
  })

  it('keeps equal keys in the order of their ties', () => {
    const keys = new Keys()
    const list = new Ids(keys)
    for (const [id, at] of [[7, 2], [3, 3], [5, 1]] as const) {
      keys.set(id, 0, at)
      list.add(id)
    }
    expect(contents(list)).toEqual([5, 7, 3])
  })
})

describe('LeadingIds', () => {
  const made = () => {
    const keys = new Keys()
    const list = new LeadingIds(keys)
    for (let id = 0; id < 5; id++) {
      keys.set(id, 10 * id, id)
      list.add(id)
    }
    return list
  }

  it('leaves the place open of a member that comes first, which goes back there with its old key', () => {
    const list = made()
    const before = [...list.ids]
    list.rekey(3, -1)
    expect([contents(list), list.gap >= 0]).toEqual([[3, 0, 1, 2, 4], true])
    list.rekey(3, -2)
    list.rekey(3, -1)
    expect([contents(list), list.gap >= 0]).toEqual([[3, 0, 1, 2, 4], true])
    list.rekey(3, 30)
    expect([contents(list), list.gap, [...list.ids].slice(1, 6)]).toEqual([[0, 1, 2, 3, 4], -1, before.slice(1, 6)])
  })

  it.each([
    ['another key', (list: LeadingIds) => list.rekey(3, 15), [0, 1, 3, 2, 4]],
    ['another member first', (list: LeadingIds) => list.rekey(4, -5), [4, 3, 0, 1, 2]],
    ['one fewer', (list: LeadingIds) => list.remove(1), [3, 0, 2, 4]],
    ['no gap asked for', (list: LeadingIds) => list.close(), [3, 0, 1, 2, 4]],
  ])('closes the gap for %s', (_, change, expected) => {
    const list = made()
    list.rekey(3, -1)
    change(list)
    expect(contents(list)).toEqual(expected)
    expect(list.size).toBe(expected.length)
  })
})

/** Ties are unique and not in the order of ids. */
const tie = (id: number): number => (id * 61) % 151

describe('ties of siblings', () => {
  it('are in the order of the siblings, whichever came first, also where no number lies between two of them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 80, size: 'max' }), fc.boolean(), (places, isHalved) => {
        // each below half of those before: a new one always stands beside the last one, where the gaps run out
        const place = (id: number) => (isHalved ? 2 ** -id * (id % 2 === 0 ? 1 : -1) : (places[id] as number))
        const keys = [new Keys(), new Keys()]
        const siblings: number[] = []
        for (const id of places.keys()) placeAmong(siblings, id, (a, b) => place(a) < place(b), keys)
        const sorted = [...places.keys()].sort((a, b) => place(a) - place(b))
        expect(siblings).toEqual(sorted)
        for (const { tie } of keys) for (const [i, id] of sorted.entries()) if (i > 0) expect(tie[id]).toBeGreaterThan(tie[sorted[i - 1] as number] as number)
      }),
      { seed: 5, numRuns: 100 },
    )
  })

  it('take few comparisons, also where thousands come one after another', () => {
    const siblings: number[] = []
    let comparisons = 0
    const place = (id: number) => (id * 1237) % 4001
    for (let id = 0; id < 4000; id++) placeAmong(siblings, id, (a, b) => (comparisons++, place(a) < place(b)), [new Keys()])
    expect(siblings).toEqual([...siblings].sort((a, b) => place(a) - place(b)))
    expect(comparisons).toBeLessThan(4000 * 13)
  })
})

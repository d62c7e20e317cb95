import { describe, expect, it } from 'vitest'
import { KeyRows, RankedIds } from '../src/orders/ranked-ids.js'

describe('RankedIds', () => {
  /** So many ids with keys (id modulo 3, id); ties are unique and not in the order of ids. */
  const filled = (count: number) => {
    const keys = new KeyRows(2)
    const list = new RankedIds(keys)
    const key = new Map<number, number[]>()
    for (let id = 0; id < count; id++) {
      keys.setTie(id, (id * 61) % 307)
      keys.set(id, Float64Array.of(id % 3, 2 * id))
      key.set(id, [id % 3, 2 * id])
      list.add(id)
    }
    const sorted = () => [...key].sort(([a, [a1 = 0, a2 = 0]], [b, [b1 = 0, b2 = 0]]) => a1 - b1 || a2 - b2 || ((a * 61) % 307) - ((b * 61) % 307)).map(([id]) => id)
    const contents = () => [...list.ids.subarray(list.from, list.to)]
    return { list, key, sorted, contents }
  }

  it('agrees with sorting by keys in turn and ties after moves over any distance, few members or many', () => {
    for (const count of [1, 2, 24, 25, 26, 50, 300]) {
      const { list, key, sorted, contents } = filled(count)
      for (let step = 0; step < 200; step++) {
        const id = (step * 37) % count
        const next = [(step * 7) % 4, ((step * 13) % 11) * (step % 2 === 0 ? 1 : 100)]
        list.rekey(id, Float64Array.from(next))
        key.set(id, next)
        expect(contents()).toEqual(sorted())
      }
    }
  })

  it('agrees with it after removals and additions between moves', () => {
    const { list, key, sorted, contents } = filled(120)
    for (let id = 0; id < 120; id += 2) {
      list.remove(id)
      const own = key.get(id) as number[]
      key.delete(id)
      list.rekey(id + 1, Float64Array.of(1, 0))
      key.set(id + 1, [1, 0])
      if (id % 4 === 0) {
        list.add(id) // its key has stayed
        key.set(id, own)
      }
      expect(contents()).toEqual(sorted())
    }
  })
})

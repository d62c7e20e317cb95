import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Blocks } from '../src/blocks.js'

describe('Blocks', () => {
  it('never hands out an index twice, whatever is taken and given back', () => {
    const step = fc.oneof(fc.record({ take: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5000 })) }), fc.record({ giveBack: fc.nat() }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const blocks = new Blocks()
        const held: { at: number; size: number }[] = []
        for (const each of steps) {
          if ('take' in each) {
            const block = { at: blocks.take(each.take), size: each.take }
            expect(held.filter((other) => other.at < block.at + block.size && block.at < other.at + other.size)).toEqual([])
            expect(block.at + block.size).toBeLessThanOrEqual(blocks.end)
            held.push(block)
          } else if (held.length > 0) {
            const [block] = held.splice(each.giveBack % held.length, 1)
            if (block !== undefined) blocks.giveBack(block.at, block.size)
          }
        }
      }),
      { seed: 2, numRuns: 300 },
    )
  })

  it('uses a block again for another of its size class, and wastes at most a quarter', () => {
    const blocks = new Blocks()
    const at = blocks.take(100) // 100 is rounded to 112, the next multiple of 64 / 4
    blocks.giveBack(at, 100)
    expect(blocks.take(112)).toBe(at)
    expect(blocks.take(113)).not.toBe(at)
    for (const size of [1, 7, 9, 17, 33, 65, 1000, 12345, 999_999]) {
      const each = new Blocks()
      each.take(size)
      expect(each.end).toBeGreaterThanOrEqual(size)
      expect(each.end).toBeLessThanOrEqual(1.25 * size)
    }
  })

  it('needs no more room for a thousand jobs one after another than for one', () => {
    const blocks = new Blocks()
    for (let i = 0; i < 1000; i++) blocks.giveBack(blocks.take(50), 50)
    expect(blocks.end).toBe(56)
  })
})

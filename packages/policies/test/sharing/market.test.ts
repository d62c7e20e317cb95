import { ceeiShares, type Sharers } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { naiveMarket } from '../reference/market.js'

/** Users of a few shapes, some with the same list of demands and some with a list of their own that says the same. */
const worlds = fc
  .record({
    capacities: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 }),
    shapes: fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
    users: fc.array(
      fc.record({ shape: fc.nat(), isOwn: fc.boolean(), weight: fc.constantFrom(1, 2, 0.3), most: fc.constantFrom(0, 0.5, 3, Infinity) }),
      { maxLength: 20 },
    ),
  })
  .map(({ capacities, shapes, users }): Sharers => {
    const demands = shapes.map((shape) => capacities.map((_, r) => (shape.every((amount) => amount === 0) || capacities.every((__, s) => shape[s] === 0) ? 1 : shape[r]!)))
    const demandOf = ({ shape, isOwn }: (typeof users)[number]) => {
      const demand = demands[shape % demands.length]!
      return isOwn ? [...demand] : demand
    }
    return { capacities, demands: users.map(demandOf), weights: users.map(({ weight }) => weight), tasks: users.map(({ most }) => most) }
  })

describe('a market of users of whom many are alike', () => {
  it('gives every user, to the last bit, what it gives where each is computed by itself', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        expect(ceeiShares(world)).toEqual(naiveMarket(world))
      }),
      { seed: 2011, numRuns: 500 },
    )
  })

  it('looks at the demand of each of a thousand users who are alike a few times only', () => {
    const looks = (users: number) => {
      let reads = 0
      const shape = new Proxy([2, 1], { get: (list, key, self) => (key === '0' && reads++, Reflect.get(list, key, self) as unknown) })
      const world = { capacities: [100, 50], demands: Array.from({ length: users }, () => shape) }
      ceeiShares(world)
      return reads
    }
    expect(looks(1000) - looks(500)).toBe(500 * 4) // each demand is checked in three ways and looked up, and nothing else is computed for each
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairShareSolver, fairShares } from '../src/shares/fair-shares.js'
import type { Pools } from '../src/shares/fair-shares.js'
import { overcommitted, scaleMinShares } from '../src/shares/min-shares.js'

// Examples: facts 9 and 10 and result DS-F4 drawn from Zaharia et al., "Delay Scheduling", EuroSys 2010, section on HFS.
const any = Infinity
const seeded = { seed: 20100414, numRuns: 400 }

describe('fair shares of 100 slots', () => {
  const equal = { weights: [1, 1, 1] }
  it.each<[string, Pools, number[]]>([
    // r = 40: max(40, 60), max(40, 0), min(max(40, 10), 0)
    ['hands an idle pool nothing, whatever its minimum (DS-F4)', { ...equal, minShares: [60, 0, 10], demands: [any, any, 0] }, [60, 40, 0]],
    // r = 20: max(20, 60) + 20 + max(20, 10)
    ['grants a minimum and divides the rest', { ...equal, minShares: [60, 0, 10], demands: [any, any, any] }, [60, 20, 20]],
    // r = 30: 2 * 30 + 30 + min(30, 10)
    ['divides by weight what a small demand leaves', { weights: [2, 1, 1], demands: [any, any, 10] }, [60, 30, 10]],
    // r = 12.5: 3 * 12.5 + max(12.5, 50) + 12.5, the third below its demand of 20
    ['combines weights, a minimum and a demand', { weights: [3, 1, 1], minShares: [0, 50, 0], demands: [any, any, 20] }, [37.5, 50, 12.5]],
    // r = 40: min(40, 20), 40, 40
    ['holds a pool to its maximum share', { ...equal, demands: [any, any, any], maxShares: [20, any, any] }, [20, 40, 40]],
    // min(max(r, 60), 20): the maximum has the last word
    ['lets a maximum below the minimum win', { weights: [1, 1], minShares: [60, 0], demands: [any, any], maxShares: [20, any] }, [20, 80]],
    ['gives every pool its demand when all fit', { weights: [5, 1], minShares: [50, 0], demands: [30, 70] }, [30, 70]],
    // 80 + 120 = 200 for 100 slots: halves
    ['scales minimum shares that do not fit', { weights: [1, 9], minShares: [80, 120], demands: [any, any] }, [40, 60]],
    ['has an answer for minimums that take everything', { ...equal, minShares: [70, 30, 0], demands: [any, any, any] }, [70, 30, 0]],
    ['divides nothing among no pools', { weights: [], demands: [] }, []],
  ])('%s', (_, pools, shares) => {
    expect(fairShares(pools, 100)).toEqual(shares)
  })

  it('divides 30 slots as 12.5, 12.5 and a demand of 5', () => {
    expect(fairShares({ weights: [1, 1, 1], demands: [any, any, 5] }, 30)).toEqual([12.5, 12.5, 5])
  })

  it('gives whole numbers where the exact answer is whole', () => {
    // r = 2/98 = 1/49, and 49 * (1/49) is 0.9999999999999999 in floating point
    expect(fairShares({ weights: [49, 49], demands: [any, any] }, 2)).toEqual([1, 1])
  })
})

describe('fair shares down a tree', () => {
  it('divides the share of a pool among its children, at any depth', () => {
    // top: a, b share 100 as 50 + 50; a holds c (weight 3) and d; d holds e and f
    const pools = { weights: [1, 1, 3, 1, 1, 1], demands: [0, any, any, 0, any, any], parents: [-1, -1, 0, 0, 3, 3] }
    expect(fairShares(pools, 100)).toEqual([50, 50, 37.5, 12.5, 6.25, 6.25])
  })

  it('takes the demand of a pool from its children and leaves the rest to others', () => {
    // a wants 5 + 15 = 20 of the 50 it could have; its own column is not read
    const pools = { weights: [1, 1, 1, 1], demands: [99, any, 5, 15], parents: [-1, -1, 0, 0] }
    expect(fairShares(pools, 100)).toEqual([20, 80, 5, 15])
  })

  it('bounds children by the cap of their pool', () => {
    const pools = { weights: [1, 1, 1, 3], demands: [0, any, any, any], maxShares: [40, any, any, any], parents: [-1, -1, 0, 0] }
    expect(fairShares(pools, 100)).toEqual([40, 60, 10, 30])
  })

  it('scales minimum shares of children that exceed the share of their pool', () => {
    // 60 + 40 asked of a share of 50
    const pools = { weights: [1, 1, 1, 1], demands: [0, any, any, any], minShares: [0, 0, 60, 40], parents: [-1, -1, 0, 0] }
    expect(fairShares(pools, 100)).toEqual([50, 50, 30, 20])
  })
})

describe('laws of fair shares', () => {
  const amount = fc.integer({ min: 0, max: 60 })
  const pool = fc.record({
    weight: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0.01, max: 20, noNaN: true })),
    minShare: fc.oneof(fc.constant(0), amount),
    demand: fc.oneof(fc.constant(any), amount, fc.double({ min: 0, max: 60, noNaN: true })),
    maxShare: fc.oneof(fc.constant(any), amount),
  })
  type Pool = typeof pool extends fc.Arbitrary<infer P> ? P : never
  const some = fc.array(pool, { minLength: 1, maxLength: 12 })
  const total = fc.integer({ min: 0, max: 300 })
  const columns = (pools: readonly Pool[]): Pools => ({
    weights: pools.map((p) => p.weight),
    minShares: pools.map((p) => p.minShare),
    demands: pools.map((p) => p.demand),
    maxShares: pools.map((p) => p.maxShare),
  })
  const usable = (p: Pool) => Math.min(p.demand, p.maxShare)
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
  const minsFit = (pools: readonly Pool[], slots: number) => sum(pools.map((p) => Math.min(p.minShare, usable(p)))) <= slots

  /** The definition, by bisection of r to 1e-12. */
  function byBisection(pools: readonly Pool[], slots: number): number[] {
    const at = (r: number) => pools.map((p) => Math.min(Math.max(p.weight * r, p.minShare), usable(p)))
    const target = Math.min(slots, sum(pools.map(usable)))
    let low = 0
    let high = 1
    while (sum(at(high)) < target && high < 1e9) high *= 2
    while (high - low > 1e-12 * Math.max(1, high)) {
      const r = (low + high) / 2
      if (sum(at(r)) < target) low = r
      else high = r
    }
    return at(high)
  }

  it('agree with the definition solved by bisection', () => {
    const law = fc.property(some, total, (pools, slots) => {
      fc.pre(minsFit(pools, slots))
      const expected = byBisection(pools, slots)
      fairShares(columns(pools), slots).forEach((share, i) => expect(share).toBeCloseTo(expected[i]!, 8))
    })
    fc.assert(law, seeded)
  })

  it('sum to the slots or to the demand, whichever is smaller, and exceed no demand', () => {
    const law = fc.property(some, total, (pools, slots) => {
      const shares = fairShares(columns(pools), slots)
      expect(sum(shares)).toBeCloseTo(Math.min(slots, sum(pools.map(usable))), 9)
      shares.forEach((share, i) => expect(share).toBeLessThanOrEqual(usable(pools[i]!)))
    })
    fc.assert(law, seeded)
  })

  it('never shrink for the pool whose weight grows, nor grow for another', () => {
    const law = fc.property(some, total, fc.nat(), fc.double({ min: 1, max: 10, noNaN: true }), (pools, slots, pick, factor) => {
      const chosen = pick % pools.length
      const before = fairShares(columns(pools), slots)
      const after = fairShares(columns(pools.map((p, i) => (i === chosen ? { ...p, weight: p.weight * factor } : p))), slots)
      const gain = after.map((share, i) => (i === chosen ? share - before[i]! : before[i]! - share))
      expect(Math.min(...gain)).toBeGreaterThanOrEqual(-1e-9)
    })
    fc.assert(law, seeded)
  })

  it('are the same to the last bit when whole-numbered pools are declared in another order', () => {
    const whole = pool.map((p) => ({ ...p, weight: Math.ceil(p.weight), demand: Math.ceil(p.demand) }))
    const shuffled = fc
      .array(whole, { minLength: 1, maxLength: 12 })
      .chain((pools) => fc.tuple(fc.constant(pools), fc.shuffledSubarray([...pools.keys()], { minLength: pools.length })))
    const law = fc.property(shuffled, total, ([pools, order], slots) => {
      const shares = fairShares(columns(pools), slots)
      expect(fairShares(columns(order.map((i) => pools[i]!)), slots)).toEqual(order.map((i) => shares[i]))
    })
    fc.assert(law, seeded)
  })

  it('divide every parent among its children as if they were alone', () => {
    const tree = fc.array(fc.tuple(pool, fc.integer({ min: 0, max: 99 })), { minLength: 1, maxLength: 14 })
    const law = fc.property(tree, total, (nodes, slots) => {
      const parents = nodes.map(([, pick], i) => (i === 0 ? -1 : (pick % (i + 1)) - 1))
      const pools = nodes.map(([p]) => p)
      const childrenOf = (parent: number) => [...parents.keys()].filter((i) => parents[i] === parent)
      const want = (i: number): number => {
        const children = childrenOf(i)
        return Math.min(children.length === 0 ? pools[i]!.demand : sum(children.map(want)), pools[i]!.maxShare)
      }
      const shares = fairShares({ ...columns(pools), parents }, slots)
      for (const parent of [-1, ...parents.keys()]) {
        const children = childrenOf(parent)
        const alone = fairShares(columns(children.map((i) => ({ ...pools[i]!, demand: want(i) }))), parent === -1 ? slots : shares[parent]!)
        children.forEach((i, k) => expect(shares[i]).toBeCloseTo(alone[k]!, 9))
      }
    })
    fc.assert(law, seeded)
  })
})

describe('the solver for frequent use', () => {
  const column = (...values: number[]) => Float64Array.from(values)

  it('writes into the given column and answers alike after larger and smaller problems', () => {
    const solver = new FairShareSolver()
    const two = { count: 2, weights: column(3, 1), minShares: column(0, 0), demands: column(any, any) }
    const all = (amount: number) => new Float64Array(9).fill(amount)
    const nine = { count: 9, weights: all(1), minShares: all(0), demands: all(2) }
    const shares = new Float64Array(9)
    solver.solve(two, 100, shares)
    expect([...shares.subarray(0, 3)]).toEqual([75, 25, 0])
    solver.solve(nine, 9, shares)
    expect([...shares]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1])
    solver.solve(two, 40, shares)
    expect([...shares.subarray(0, 3)]).toEqual([30, 10, 1])
  })
})

describe('minimum shares', () => {
  it('of 60, 50 and 40 on 100 slots scale to 40, 33.3 and 26.7', () => {
    expect(scaleMinShares([60, 50, 40], 100)).toEqual([40, 100 / 3, 80 / 3]) // times 100/150
    expect(overcommitted([60, 50, 40], 100)).toBe(true)
  })

  it('that fit stay as they are', () => {
    expect(scaleMinShares([60, 40], 100)).toEqual([60, 40])
    expect(overcommitted([60, 40], 100)).toBe(false)
  })
})

describe('arguments of fair shares', () => {
  const bad = (field: string): unknown => expect.objectContaining({ code: 'BAD_OPTION', place: { field } })
  it.each<[string, () => unknown]>([
    ['weights.1', () => fairShares({ weights: [1, 0], demands: [1, 1] }, 1)],
    ['weights.0', () => fairShares({ weights: [any], demands: [1] }, 1)],
    ['demands', () => fairShares({ weights: [1, 1], demands: [1] }, 1)],
    ['demands.0', () => fairShares({ weights: [1], demands: [-1] }, 1)],
    ['demands.0', () => fairShares({ weights: [1], demands: [Number.NaN] }, 1)],
    ['minShares.0', () => fairShares({ weights: [1], demands: [1], minShares: [any] }, 1)],
    ['maxShares', () => fairShares({ weights: [1], demands: [1], maxShares: [] }, 1)],
    ['maxShares.0', () => fairShares({ weights: [1], demands: [1], maxShares: [-1] }, 1)],
    ['parents.0', () => fairShares({ weights: [1], demands: [1], parents: [0] }, 1)],
    ['parents.1', () => fairShares({ weights: [1, 1], demands: [1, 1], parents: [-1, -2] }, 1)],
    ['total', () => fairShares({ weights: [1], demands: [1] }, any)],
    ['minShares.1', () => scaleMinShares([1, -1], 1)],
    ['total', () => overcommitted([1], -1)],
  ])('names %s when it is out of range', (field, call) => {
    expect(call).toThrow(bad(field))
  })
})

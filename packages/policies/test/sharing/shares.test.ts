import { assetFairShares, ceeiShares, dominantShare, drfAllocate, drfShares, maxMinShares, type AllocateOptions, type Sharers } from '@sched/policies'
import { describe, expect, it } from 'vitest'

// Ghodsi et al., "Dominant Resource Fairness", NSDI 2011; the survey's fact 5 for whole tasks.

const paper: Sharers = { capacities: [9, 18], demands: [[1, 4], [3, 1]] }
const close = (numbers: readonly number[], digits = 9) => numbers.map((number) => expect.closeTo(number, digits) as unknown)

describe('the example of 9 CPU and 18 GB, A <1, 4> and B <3, 1>', () => {
  it('is divided 3 and 2 by drf, 2.52 and 2.16 by assets, 45/11 and 18/11 by a market', () => {
    expect(drfShares(paper)).toEqual({ tasks: close([3, 2]), shares: close([2 / 3, 2 / 3]) })
    // assets per task: 1/9 + 4/18 = 1/3 and 3/9 + 1/18 = 7/18, so y = 6/7 x, and x + 18/7 x = 9
    expect(assetFairShares(paper).tasks).toEqual(close([2.52, 2.16]))
    // x y is largest where both resources are used up: x + 3 y = 9, 4 x + y = 18 (section 5.2)
    expect(ceeiShares(paper).tasks).toEqual(close([45 / 11, 18 / 11]))
  })

  it('is sold at prices that earn 1 of each user', () => {
    const { prices } = ceeiShares(paper)
    // of all CPU p and all memory q: (1/9 p + 4/18 q) 45/11 = 1 and (3/9 p + 1/18 q) 18/11 = 1
    expect(prices).toEqual(close([9 / 5, 1 / 5]))
  })

  it('gives twice the share to twice the weight, in all resources or in one', () => {
    // shares 2 t and t: tasks 9 t and 3 t, memory 36 t + 3 t and CPU 9 t + 9 t: t = 18/39
    expect(drfShares({ ...paper, weights: [2, 1] }).tasks).toEqual(close([(9 * 18) / 39, (3 * 18) / 39]))
    expect(dominantShare([3, 12], [9, 18], [1, 4])).toBe(1 / 3) // CPU 3/9, memory 12/18/4
  })
})

describe('whole tasks', () => {
  const order = (sharers: Sharers, options?: AllocateOptions) => drfAllocate(sharers, options).order.map((user) => 'ABC'[user]).join('')

  it('are given to the poorest one by one', () => {
    expect(drfAllocate(paper)).toEqual({ tasks: [3, 2], order: [0, 1, 0, 1, 0], used: [9, 14], shares: [12 / 18, 6 / 9] })
    expect(order(paper, { ties: [1, 0] })).toBe('BAABA')
  })

  it('are given past a blocked user, or not', () => {
    const sizes = { capacities: [12], demands: [[1], [2], [3]] }
    expect(drfAllocate(sizes).tasks).toEqual([5, 2, 1])
    expect(drfAllocate(sizes, { blocked: 'strict' }).tasks).toEqual([4, 2, 1])
    expect(drfAllocate({ ...paper, weights: [2, 1] })).toMatchObject({ tasks: [4, 1], used: [7, 17] })
    expect(drfAllocate({ capacities: [20, 30], demands: [[2, 1], [1, 2]] }).tasks).toEqual([6, 8])
    expect(drfAllocate({ capacities: [100, 200], demands: [[1, 1], [1, 4], [4, 1]] })).toMatchObject({ tasks: [40, 20, 10], shares: [0.4, 0.4, 0.4] })
  })

  it('end with the demand', () => {
    expect(drfAllocate({ ...paper, tasks: [1, 2] })).toMatchObject({ tasks: [1, 2], order: [0, 1, 1] })
    expect(drfAllocate({ ...paper, tasks: [0.5, 1.5] }).tasks).toEqual([0, 1])
  })
})

describe('divisible tasks', () => {
  it('leave what one user cannot use to the others', () => {
    // A stops at 1 task; B alone could have 9/3 - 1/3 = 8/3 of CPU
    expect(drfShares({ ...paper, tasks: [1, Infinity] }).tasks).toEqual(close([1, 8 / 3]))
    expect(assetFairShares({ ...paper, tasks: [1, Infinity] }).tasks).toEqual(close([1, 8 / 3]))
    expect(ceeiShares({ ...paper, tasks: [1, Infinity] }).tasks).toEqual(close([1, 8 / 3]))
  })

  it('grow on for who does not need what is used up', () => {
    // both at 1/2 when CPU is gone; C, of memory alone, has the rest: 10 - 5 * 1
    expect(drfShares({ capacities: [10, 10], demands: [[1, 1], [1, 0], [0, 1]] }).tasks).toEqual(close([5, 5, 5]))
    expect(drfShares({ capacities: [10, 20], demands: [[1, 1], [1, 0], [0, 1]] }).tasks).toEqual(close([5, 5, 15]))
  })

  it('of a resource there is none of get nothing', () => {
    const without: Sharers = { capacities: [0, 8], demands: [[1, 1], [0, 1]] }
    expect(drfShares(without).tasks).toEqual([0, 8])
    expect(assetFairShares(without).tasks).toEqual([0, 8])
    expect(ceeiShares(without).tasks).toEqual(close([0, 8]))
    expect(drfAllocate(without).tasks).toEqual([0, 8])
  })
})

describe('why drf: what the others do wrong (section 5)', () => {
  it('asset fairness may give less than the half that each of two would have alone', () => {
    // <1, 3> and <1, 1> of 30 and 30: assets 4/30 x = 2/30 y; 3 x + y = 30: 6 and 12, but half of all would run 15
    expect(assetFairShares({ capacities: [30, 30], demands: [[1, 3], [1, 1]] }).tasks).toEqual(close([6, 12]))
  })

  it('a market pays for a lie', () => {
    // <16, 1> and <1, 2> of 100 and 100: 100/31 and 1500/31; A claims 8 of the second as well: 25/6
    expect(ceeiShares({ capacities: [100, 100], demands: [[16, 1], [1, 2]] }).tasks).toEqual(close([100 / 31, 1500 / 31], 7))
    expect(ceeiShares({ capacities: [100, 100], demands: [[16, 8], [1, 2]] }).tasks).toEqual(close([25 / 6, 100 / 3], 7))
  })

  it('a market may take from one when another leaves', () => {
    const all = ceeiShares({ capacities: [100, 100], demands: [[1, 2], [1, 1], [3, 1]] }).tasks
    const left = ceeiShares({ capacities: [100, 100], demands: [[1, 2], [1, 1]] }).tasks
    expect(all[0]).toBeCloseTo(80 / 3, 8)
    expect(left[0]).toBeCloseTo(25, 8)
  })

  it('more of one resource may leave a user with less under drf, too: it is not resource monotonic', () => {
    // (4, 4): x = y, 3 x = 4. (8, 4): A's dominant resource is now the second: x = 2 y, x + 2 y = 4
    const demands = [[2, 1], [1, 2]]
    expect(drfShares({ capacities: [4, 4], demands }).tasks).toEqual(close([4 / 3, 4 / 3]))
    expect(drfShares({ capacities: [8, 4], demands }).tasks).toEqual(close([2, 1]))
  })
})

describe('max-min shares of 100', () => {
  it.each([
    ['grow alike', [{}, {}, { demand: 20 }], [40, 40, 20]],
    ['grow by weight', [{ weight: 3 }, {}], [75, 25]],
    ['begin at the minimum', [{ min: 60 }, {}, {}], [60, 20, 20]],
    ['end at the maximum', [{ max: 10 }, {}, {}], [10, 45, 45]],
    ['hold no minimum for who does not ask', [{ min: 60, demand: 5 }, {}], [5, 95]],
  ])('%s', (_, sharers, shares) => {
    expect(maxMinShares(sharers, 100)).toEqual(shares)
  })
})

describe('arguments', () => {
  const bad = (field: string): unknown => expect.objectContaining({ code: 'BAD_OPTION', place: { field } })
  it.each<[string, Sharers, AllocateOptions?]>([
    ['capacities.1', { ...paper, capacities: [9, -1] }],
    ['demands.1', { ...paper, demands: [[1, 4], [3]] }],
    ['demands.0', { ...paper, demands: [[0, 0], [3, 1]] }],
    ['demands.0.1', { ...paper, demands: [[1, Number.NaN], [3, 1]] }],
    ['weights', { ...paper, weights: [1] }],
    ['weights.1', { ...paper, weights: [1, 0] }],
    ['tasks.0', { ...paper, tasks: [-1, 1] }],
    ['tasks', { ...paper, tasks: [] }],
    ['ties', paper, { ties: [0, 0] }],
    ['ties', paper, { ties: [0] }],
  ])('names %s when it is wrong', (field, sharers, options) => {
    expect(() => drfAllocate(sharers, options)).toThrow(bad(field))
    if (field === 'ties') return
    for (const divide of [drfShares, assetFairShares, ceeiShares]) expect(() => divide(sharers)).toThrow(bad(field))
  })
})

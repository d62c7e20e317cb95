import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePools } from '../src/shares/compare-pools.js'
import type { PoolStanding } from '../src/shares/compare-pools.js'
import { fairShares } from '../src/shares/fair-shares.js'
import { belowFairShare, belowMinShare, preemptionClaim, victims } from '../src/shares/preemption.js'
import type { RunningTask } from '../src/shares/preemption.js'

// Examples: facts 8 and 11 drawn from Zaharia et al., "Delay Scheduling", EuroSys 2010, section on HFS.
const idle: PoolStanding = { running: 0, demand: 1000, minShare: 0, weight: 1, start: 0, name: 'a' }
const standing = (change: Partial<PoolStanding>): PoolStanding => ({ ...idle, ...change })

describe('order of pools', () => {
  const firstOf = (...pools: PoolStanding[]) => [...pools].sort(comparePools)[0]

  it('serves the pool further below its minimum: 50 of 100 before 8 of 10', () => {
    const a = standing({ running: 8, minShare: 10, name: 'a' }) // 0.8
    const b = standing({ running: 50, minShare: 100, name: 'b' }) // 0.5
    expect(firstOf(a, b)).toBe(b)
  })

  it('serves the lower running per weight: 3/1 before 8/2', () => {
    const a = standing({ running: 8, weight: 2, name: 'a' })
    const b = standing({ running: 3, weight: 1, name: 'b' })
    expect(firstOf(a, b)).toBe(b)
  })

  it('serves a pool below its minimum before all others, whatever they run', () => {
    const needy = standing({ running: 99, minShare: 100, name: 'b' })
    expect(firstOf(idle, needy)).toBe(needy)
  })

  it('does not count a minimum beyond the demand', () => {
    const small = standing({ running: 4, demand: 4, minShare: 10, name: 'a' })
    const needy = standing({ running: 9, minShare: 10, name: 'b' })
    expect(firstOf(small, needy)).toBe(needy)
  })

  it('takes a minimum below one slot for one: at 0 running a tie, so the earlier pool goes first', () => {
    const later = standing({ minShare: 0.5, start: 2, name: 'a' })
    const earlier = standing({ minShare: 10, start: 1, name: 'b' })
    expect(firstOf(later, earlier)).toBe(earlier)
    // 0.4/max(0.5, 1) = 0.4 < 5/10, where 0.4/0.5 would be 0.8
    const fractional = standing({ running: 0.4, minShare: 0.5 })
    expect(firstOf(standing({ running: 5, minShare: 10 }), fractional)).toBe(fractional)
  })

  it('breaks ties by start, then by name in code units', () => {
    const pools = [standing({ name: 'b' }), standing({ name: 'a' }), standing({ name: 'B' }), standing({ name: 'c', start: -1 })]
    expect(pools.sort(comparePools).map((pool) => pool.name)).toEqual(['c', 'B', 'a', 'b'])
  })
})

// S = 100, equal weights: P runs 10 (minimum 30, demand 50), Q runs 60, R runs 30.
const shares = fairShares({ weights: [1, 1, 1], minShares: [30, 0, 0], demands: [50, 500, 500] }, 100)
const p = { running: 10, demand: 50, minShare: 30, fairShare: shares[0]!, belowMinFor: 0, starvedFor: 0 }
const timeouts = { minTimeout: 60, fairTimeout: 300 }

describe('preemption claims', () => {
  it('starts from equal thirds in the example', () => {
    expect(shares).toEqual([100 / 3, 100 / 3, 100 / 3])
  })

  it.each([
    ['nothing before either timeout', { belowMinFor: 59, starvedFor: 299 }, 0],
    ['30 - 10 once below the minimum for Tmin', { belowMinFor: 60, starvedFor: 299 }, 20],
    ['floor(33.3) - 10 once starved for Tfair', { belowMinFor: 59, starvedFor: 300 }, 23],
    ['the larger when both are due', { belowMinFor: 60, starvedFor: 300 }, 23],
    ['the larger when the minimum exceeds the share', { belowMinFor: 60, starvedFor: 300, minShare: 40 }, 30],
    ['no more than its demand', { belowMinFor: 60, starvedFor: 300, demand: 12 }, 2],
    ['whole tasks of a scaled minimum', { belowMinFor: 60, minShare: 26.67 }, 16],
    ['nothing when it is no longer below either', { belowMinFor: 60, starvedFor: 300, running: 30 }, 0],
  ])('are for %s', (_, change, claim) => {
    expect(preemptionClaim({ ...p, ...change }, timeouts)).toBe(claim)
  })

  it('leave a pool above half its share alone unless the fraction says otherwise', () => {
    const half = { ...p, running: 20, minShare: 0, starvedFor: 300 }
    expect([preemptionClaim(half, timeouts), preemptionClaim(half, timeouts, 1)]).toEqual([0, 13])
  })

  it('are never due with infinite timeouts', () => {
    expect(preemptionClaim({ ...p, belowMinFor: 1e9, starvedFor: 1e9 }, { minTimeout: Infinity, fairTimeout: Infinity })).toBe(0)
  })
})

describe('starvation', () => {
  it('is running fewer than floor(16.7) of a fair share of 33.3 by the half rule', () => {
    expect([10, 15, 16].map((running) => belowFairShare({ ...p, running }))).toEqual([true, true, false])
  })

  it('of a minimum is running fewer than its whole slots within the demand', () => {
    expect([29, 30].map((running) => belowMinShare({ ...p, running }))).toEqual([true, false])
    expect(belowMinShare({ ...p, demand: 10 })).toBe(false)
  })
})

/** Whole numbers from one to the other, up or down, both included. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + Math.sign(to - from) * i)
}

describe('victims', () => {
  const running = [10, 60, 30]
  /** Pools are launched in turn; R's tasks are the newest, Q's before them, P's the oldest. */
  const launched = (pool: number, n: number) => range(100 * pool, 100 * pool + n - 1).map((i) => ({ pool, task: i, started: i }))
  const tasks: RunningTask[] = running.flatMap((n, pool) => launched(pool, n))
  const ids = (chosen: readonly RunningTask[]) => chosen.map(({ task }) => task)

  it('of a claim of 20 all come from the pool above its share, newest first', () => {
    expect(ids(victims(tasks, { running, fairShares: shares }, 20))).toEqual(range(159, 140))
  })

  it('of a claim of 23 all come from that pool too', () => {
    expect(ids(victims(tasks, { running, fairShares: shares }, 23))).toEqual(range(159, 137))
  })

  it('never take a pool below its share: 60 - 26 = 34 is the end', () => {
    expect(victims(tasks, { running, fairShares: shares }, 99)).toHaveLength(26)
  })

  it('may be the oldest instead', () => {
    expect(ids(victims(tasks, { running, fairShares: shares }, 3, { first: 'oldest' }))).toEqual([100, 101, 102])
  })

  it('with equal start times are the higher ids, or the lower when the oldest go first', () => {
    const level = tasks.map((task) => ({ ...task, started: 7 }))
    expect(ids(victims(level, { running, fairShares: shares }, 2))).toEqual([159, 158])
    expect(ids(victims(level, { running, fairShares: shares }, 2, { first: 'oldest' }))).toEqual([100, 101])
  })

  describe('in a tree', () => {
    // 0 holds 2 and 3, 1 holds 4. Pool 3 is above its share, but its parent 0 is at its own.
    const pools = { running: [50, 50, 10, 40, 50], fairShares: [50, 50, 25, 25, 50], parents: [-1, -1, 0, 0, 1] }
    const inThree = range(0, 39).map((task) => ({ task, pool: 3, started: task }))

    it('are not taken through a pool that is at its share', () => {
      expect(victims(inThree, pools, 5, { claimant: 4 })).toEqual([])
    })

    it('end where the pool around them reaches its share', () => {
      const twoAbove = { ...pools, running: [52, 48, 10, 42, 48] } // 17 above its own share, 2 above that of 0
      expect(ids(victims(inThree, twoAbove, 5, { claimant: 4 }))).toEqual([39, 38])
    })

    it('are taken from a sibling of the claimant, whose parent gets back what it gives', () => {
      expect(ids(victims(inThree, pools, 99, { claimant: 2 }))).toEqual(range(39, 25))
    })

    it('are not the tasks of the claimant itself', () => {
      expect(victims(inThree, pools, 5, { claimant: 3 })).toEqual([])
      expect(victims(inThree, pools, 5, { claimant: 0 })).toEqual([])
    })
  })

  describe('in gangs', () => {
    // one pool of 8 with a share of 2: a task of age 4, a gang of 3 of age 3, one of 2 of age 2, two tasks of ages 1 and 0
    const gang = [undefined, 1, 1, 1, 2, 2, undefined, undefined]
    const loads = { running: [8], fairShares: [2] }
    const mixed = [4, 3, 3, 3, 2, 2, 1, 0].map((started, task) => ({ task, pool: 0, started, gang: gang[task] }))

    it('go whole, and spare whom they make needless', () => {
      expect(ids(victims(mixed, loads, 1))).toEqual([0])
      expect(ids(victims(mixed, loads, 2))).toEqual([3, 2, 1]) // 0 first, then three more: without 0 there are enough
      expect(ids(victims(mixed, loads, 4))).toEqual([0, 3, 2, 1])
      expect(ids(victims(mixed, loads, 5))).toEqual([3, 2, 1, 5, 4])
      expect(ids(victims(mixed, loads, 3, { first: 'oldest' }))).toEqual([7, 4, 5])
    })

    it('are passed over where a part of them would be too much', () => {
      expect(ids(victims(mixed, { running: [8], fairShares: [5.5] }, 8))).toEqual([0, 6])
    })
  })

  it('take a share as whole that is so within rounding', () => {
    const two = [0, 1].map((task) => ({ task, pool: 0, started: 0 }))
    expect(victims(two, { running: [2], fairShares: [4.4e-16] }, 2)).toHaveLength(2)
    expect(preemptionClaim({ ...p, fairShare: 12.999999999999998, starvedFor: 300 }, timeouts, 1)).toBe(3)
  })

  it('are as many as asked, or leave no pool a whole task above its share', () => {
    const load = fc.record({ running: fc.nat(12), share: fc.nat(96).map((eighths) => eighths / 8) })
    const loads = fc.array(load, { minLength: 1, maxLength: 6 })
    const law = fc.property(loads, fc.nat(40), fc.infiniteStream(fc.nat(9)), (given, count, starts) => {
      const pools = { running: given.map((g) => g.running), fairShares: given.map((g) => g.share) }
      const start = () => starts.next().value as number
      const all = pools.running.flatMap((n, pool) => Array.from({ length: n }, (_, i) => ({ pool, task: 20 * pool + i, started: start() })))
      const chosen = victims(all, pools, count)
      const left = pools.running.map((n, pool) => n - chosen.filter((task) => task.pool === pool).length)
      const spare = left.map((n, pool) => Math.max(0, Math.floor(n - pools.fairShares[pool]!)))
      left.forEach((n, pool) => expect(n).toBeGreaterThanOrEqual(Math.min(pools.running[pool]!, pools.fairShares[pool]!)))
      expect(chosen.length === count || (chosen.length < count && spare.every((n) => n === 0))).toBe(true)
      expect(chosen.map((task) => task.started)).toEqual(chosen.map((task) => task.started).sort((a, b) => b - a))
    })
    fc.assert(law, { seed: 20100415, numRuns: 300 })
  })
})

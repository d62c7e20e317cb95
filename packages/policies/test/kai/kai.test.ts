import { dispatcher } from '@sched/cluster'
import { greedy, kai, type KaiOptions } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, worlds, type JobChange, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fairShares, type Claimant } from '../../src/kai/fair-shares.js'
import { compareQueues, type Standing } from '../../src/kai/queue-order.js'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveKai } from '../reference/kai.js'
import { recorded } from '../reference/recorded.js'

// Cases of the KAI Scheduler's own tests (resource_division_test.go, queue_order_test.go), in numbers of ours.

describe('fair shares', () => {
  const claimant = (change: Partial<Claimant> = {}): Claimant => ({ priority: 100, quota: 2, limit: Infinity, weight: 1, request: 6, ...change })
  it.each<[string, number, readonly Partial<Claimant>[], readonly number[]]>([
    ['are what is asked, within the quota', 3, [{ quota: 4, request: 3 }], [3]],
    ['are what is asked, if there is less than the quota', 1, [{ quota: 4, request: 3 }], [3]],
    ['are at most the limit', 4, [{ quota: 4, request: 3, limit: 2 }], [2]],
    ['are at most the quota with no weight', 9, [{ quota: 4, request: 7, weight: 0 }], [4]],
    ['have fractions where quotas or requests have', 3, [{ quota: 1.5, request: 2, weight: 0 }, { quota: 4, request: 0.5 }], [1.5, 0.5]],
    ['are all there is with a quota without bound', 5, [{ quota: Infinity, request: 9 }], [5]],
    ['are more than the quota where there is more', 8, [{ quota: 3, request: 7 }], [7]],
    ['leave what nobody asks', 15, [{}, {}], [6, 6]],
    ['divide what no quota takes by weight', 12, [{ weight: 1, request: 9 }, { weight: 3, request: 9 }], [4, 8]],
    ['give what one may not have to others', 12, [{ limit: 4 }, { request: 9 }], [4, 8]],
    ['give a rest to who lost most by rounding', 11, [{ weight: 1, request: 9 }, { weight: 4, request: 9 }], [3, 8]], // 7/5 and 28/5
    ['give a rest to the first of equals', 11, [{}, {}], [6, 5]],
    ['do not count priorities within quotas', 4, [{ priority: 1 }, { priority: 2 }], [2, 2]],
    ['count priorities beyond quotas', 6, [{ priority: 1 }, { priority: 2 }], [2, 4]],
    ['count priorities beyond quotas, whatever the weights', 6, [{ priority: 1, weight: 100 }, { priority: 2 }], [2, 4]],
    ['give no rest to lower priorities while higher ones ask more', 8, [{ priority: 2, request: 9 }, { priority: 2, request: 9 }, { priority: 1, quota: 1, request: 9 }], [4, 3, 1]], // 3/2 each beyond the quotas
    ['give rests in the order of priorities', 5, [{ priority: 2, request: 5 }, { priority: 2, request: 5 }, { priority: 1, request: 0 }], [3, 2, 0]],
  ])('%s', (_, total, claimants, expected) => {
    expect(fairShares(total, claimants.map(claimant))).toEqual(expected)
  })

  it('are whole devices beyond quotas, whatever part of one an amount of 1 is', () => {
    const inThousandths = (total: number, ...claimants: readonly Partial<Claimant>[]) =>
      fairShares(total * 1000, claimants.map(claimant).map(({ quota, request, ...rest }) => ({ ...rest, quota: quota * 1000, request: request * 1000 })), 1000).map((share) => share / 1000)
    expect(inThousandths(11, { weight: 1, request: 9 }, { weight: 4, request: 9 })).toEqual([3, 8])
    expect(inThousandths(11, {}, {})).toEqual([6, 5])
    expect(inThousandths(7.5, {}, {})).toEqual([4, 3.5]) // 1.75 each: 1, then 1 and what is left
  })

  it('give nobody more than it asks or may have, and all there is as long as somebody with a weight asks', () => {
    const amount = fc.integer({ min: 0, max: 9 })
    const any = fc.record({ priority: fc.integer({ min: 1, max: 3 }), quota: amount, limit: fc.oneof(fc.constant(Infinity), amount), weight: fc.integer({ min: 0, max: 3 }), request: amount })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.array(any, { maxLength: 6 }), (total, claimants) => {
        const shares = fairShares(total, claimants)
        const asked = claimants.map(({ limit, request }) => Math.min(limit, request))
        const owed = claimants.map(({ quota }, i) => Math.min(quota, asked[i] as number))
        for (const [i, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(owed[i] as number)
          expect(share).toBeLessThanOrEqual(asked[i] as number)
        }
        const sum = (amounts: readonly number[]): number => amounts.reduce((all, each) => all + each, 0)
        const isHungry = claimants.some(({ weight }, i) => weight > 0 && (shares[i] as number) < (asked[i] as number))
        if (isHungry) expect(sum(shares)).toBe(Math.max(total, sum(owed)))
        else expect(sum(shares)).toBeLessThanOrEqual(Math.max(total, sum(owed)))
      }),
      { seed: 9, numRuns: 200 },
    )
  })

  it('stay as they are, with the bounds, while queues ask for more than their bounds', () => {
    const oneOf = fc.constantFrom
    const any = fc.record({ priority: oneOf(1, 1, 2), quota: oneOf(0, 0, 3, 7, Infinity), limit: oneOf(Infinity, Infinity, 4, 20), weight: oneOf(0, 1, 1, 2, 3), request: fc.integer({ min: 0, max: 30 }) })
    let changes = 0
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), oneOf(1, 4), fc.array(fc.tuple(any, fc.integer({ min: 0, max: 30 })), { minLength: 1, maxLength: 7 }), (total, step, drawn) => {
        const claimants = drawn.map(([each]) => each)
        const bounds: number[] = []
        const shares = fairShares(total, claimants, step, 0, bounds)
        const isAbove = (i: number, request: number): boolean => Math.min(request, claimants[i]?.limit as number) > (bounds[i] as number)
        const others = drawn.map(([each, request], i) => (isAbove(i, each.request) && isAbove(i, request) ? { ...each, request } : each))
        changes += others.filter(({ request }, i) => request !== claimants[i]?.request).length
        const boundsThen: number[] = []
        expect(fairShares(total, others, step, 0, boundsThen)).toEqual(shares)
        expect(boundsThen).toEqual(bounds)
      }),
      { seed: 9, numRuns: 1000 },
    )
    expect(changes).toBeGreaterThan(500)
  })
})

describe('of two queues the first is', () => {
  interface Side {
    readonly quota?: readonly number[]
    readonly limit?: readonly number[]
    readonly fair: readonly number[]
    readonly has: readonly number[]
    readonly asks?: readonly number[]
    readonly priority?: number
  }
  const standing = ({ quota = [2, 2], limit = [Infinity, Infinity], fair, has, asks = [1, 1], priority = 100 }: Side): Standing => ({
    priority,
    quota: Float64Array.from(quota),
    limit: Float64Array.from(limit),
    weight: Float64Array.of(1, 1),
    fairShare: fair,
    allocated: has,
    asked: asks,
  })
  it.each<[string, Side, Side]>([
    ['the one that has not more than its fair share', { fair: [9, 9], has: [9, 9] }, { fair: [3, 3], has: [4, 4], priority: 200 }],
    ['the one within its quota with its next job, whatever priorities say', { fair: [2, 2], has: [1, 1] }, { fair: [9, 9], has: [3, 3], priority: 200 }],
    ['the one of higher priority, if both are above their quota', { fair: [9, 9], has: [5, 5], priority: 101 }, { fair: [9, 9], has: [3, 3] }],
    ['the one of higher priority, if both are above their fair share', { fair: [3, 3], has: [9, 9], priority: 101 }, { fair: [3, 3], has: [4, 4] }],
    ['the one that uses nothing of what it is due nothing of', { fair: [9, 2], has: [8, 2], asks: [1, 0] }, { quota: [2, 0], fair: [9, 0], has: [2, 0] }],
    ['the one with the smaller dominant share with its next job', { fair: [10, 10], has: [5, 2], asks: [1, 1] }, { fair: [10, 10], has: [4, 2], asks: [3, 1] }],
    ['the one with the smaller dominant share without it', { fair: [10, 10], has: [4, 2], asks: [3, 1] }, { fair: [10, 10], has: [5, 2], asks: [2, 1] }],
    ['the one that is due less', { fair: [6, 3], has: [3, 1], asks: [1, 0] }, { fair: [6, 6], has: [3, 2], asks: [1, 0] }],
  ])('%s', (_, first, second) => {
    const [a, b] = [standing(first), standing(second)]
    expect(compareQueues(a, b, [0, 1], [100, 100])).toBeLessThan(0)
    expect(compareQueues(b, a, [0, 1], [100, 100])).toBeGreaterThan(0)
  })
  it('above its fair share only with all resources', () => {
    const [a, b] = [standing({ fair: [3, 9], has: [4, 1] }), standing({ fair: [3, 9], has: [2, 8] })]
    expect(compareQueues(a, b, [0, 1], [100, 100])).toBeGreaterThan(0) // by the share: 5/3 against 3/3
  })
})

describe('the order', () => {
  const claim = (quota: number, change: object = {}) => ({ resources: { gpu: { quota, ...change } } })
  const play = (gpus: number, queues: KaiOptions['queues'], more: KaiOptions = {}) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: greedy(kai({ queues, ...more })) })
    let now = 0
    return {
      come: (...wanted: readonly (readonly [id: string, tasks: number, change?: JobChange])[]) => {
        now++
        for (const [id, tasks, change] of wanted) master.submit(job({ id, queue: id.split(' ')[0] as string, tasks, demand: { gpu: 1 }, ...change }), now)
        return master.pass(now).start
      },
    }
  }
  const count = (start: readonly { readonly job: string }[], ...ids: readonly string[]) => ids.map((id) => start.filter((each) => each.job === id).length)

  it('fills quotas, then divides by weight', () => {
    const queues = { a: claim(2), b: claim(4, { overQuotaWeight: 3 }), c: claim(0, { overQuotaWeight: 0 }) }
    expect(count(play(14, queues).come(['a', 20], ['b', 20], ['c', 20]), 'a', 'b', 'c')).toEqual([4, 10, 0])
    expect(count(play(14, queues).come(['a', 20], ['b', 5], ['c', 20]), 'a', 'b', 'c')).toEqual([9, 5, 0])
  })
  it('gives what no quota takes to the higher priority', () => {
    const queues = { a: { ...claim(2), priority: 200 }, b: claim(2) }
    expect(count(play(8, queues).come(['a', 5], ['b', 20]), 'a', 'b')).toEqual([5, 3])
  })
  it('never exceeds a limit, and refuses what asks more', () => {
    const queues = { 'team.a': claim(1, { limit: 3 }), 'team.b': claim(1), team: claim(2, { limit: 5 }), other: claim(0) }
    expect(count(play(20, queues).come(['team.a', 20], ['team.b', 20], ['other', 20]), 'team.a', 'team.b', 'other')).toEqual([3, 2, 15])
    expect(() => play(20, queues).come(['team.a', 4, { gang: true }])).toThrow(/a gang asks 4 gpu, and the limit of "team\/a" is 3/)
  })
  it('divides a team\'s part among its projects', () => {
    const queues = { 'x.a': claim(0), 'x.b': claim(0), x: claim(6), y: claim(2) }
    expect(count(play(12, queues).come(['x.a', 20], ['x.b', 20], ['y', 20]), 'x.a', 'x.b', 'y')).toEqual([4, 4, 4])
  })
  it('goes by priority before fair shares where nobody can have more than its fair share, as without GPUs in KAI', () => {
    // a is due nothing beyond its quota of 0 and has 1; both are above their quotas with one more
    const started = (fairSharesFirst?: boolean) => {
      const { come } = play(2, { a: { ...claim(0, { overQuotaWeight: 0 }), priority: 200 }, b: claim(0) }, fairSharesFirst === undefined ? {} : { fairSharesFirst })
      come(['a 0', 1])
      return come(['a 1', 1], ['b 1', 1]).map((each) => each.job)
    }
    expect([started(), started(true), started(false)]).toEqual([['b 1'], ['b 1'], ['a 1']])
  })
  it('asks for a gang at once', () => {
    // of 6 a has 2 and asks 3 more, above its quota of 4; b's next task is within its own
    const { come } = play(6, { a: claim(4), b: claim(2) })
    come(['a 0', 2, { queue: 'a' }])
    expect(come(['a 1', 3, { queue: 'a', gang: true }], ['b', 3]).map((each) => each.job)).toEqual(['b', 'b', 'b'])
  })
  it('has jobs of a queue by priority, then by submission', () => {
    expect(play(2, {}).come(['q 0', 1], ['q 1', 1], ['q 2', 1, { priority: 1 }]).map((each) => each.job)).toEqual(['q 2', 'q 0'])
  })
  it('has equal queues by name, or who came first', () => {
    const first = (ties: 'name' | 'submission') => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 1 } }] }), policy: greedy(kai({ ties })) })
      for (const id of ['b', 'a']) master.submit(job({ id, queue: id, demand: { gpu: 1 } }), 0)
      return master.pass(0).start[0]?.job
    }
    expect(first('name')).toBe('a')
    expect(first('submission')).toBe('b')
  })
  it('has equal queues by name at any depth, whatever the priorities of their jobs (TestNLevelQueueHierarchy)', () => {
    const first = (queues: readonly string[], ...loads: readonly (readonly [queue: string, priority: number])[]) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 1 } }] }), policy: greedy(kai({ queues: Object.fromEntries(queues.map((queue) => [queue, {}])) })) })
      for (const [i, [queue, priority]] of loads.entries()) master.submit(job({ id: `${i}`, queue, priority, demand: { gpu: 1 } }), 0)
      return master.pass(0).start[0]?.job
    }
    expect(first(['r.dept1.team1', 'r.dept1.team2', 'r.dept2.team3'], ['r.dept1.team1', 100], ['r.dept1.team2', 200], ['r.dept2.team3', 150], ['r.dept1.team1', 250])).toBe('3')
    expect(first(['r.leaf1', 'r.leaf2'], ['r.leaf2', 200], ['r.leaf1', 100])).toBe('1')
    expect(first(['r.leaf1', 'r.dept.team'], ['r.leaf1', 150], ['r.dept.team', 200])).toBe('1')
    expect(first(['r1.leaf1', 'r2.leaf2'], ['r2.leaf2', 200], ['r1.leaf1', 100])).toBe('1')
  })
  it('names what it does not know', () => {
    expect(() => play(2, { a: { resources: { gpus: { quota: 1 } } } })).toThrow(/no resource "gpus".*Did you mean "?gpu/)
  })

  it('refuses a queue that is named twice', () => {
    expect(() => play(2, { 'team.a': {}, 'root.team.a': { priority: 5 } })).toThrow('queues.root.team.a: is the same queue as another one here: `root.` may be left out, and "/" is ".". Name it once.')
  })
})

describe('the order in any small world', { tags: 'long' }, () => {
  /** Of settings that depend on the name of a queue alone. */
  const options = (queues: readonly string[], resources: readonly string[], limit: number): KaiOptions => ({
    queues: Object.fromEntries(
      ['c', ...queues].map((name) => {
        const i = name.charCodeAt(name.length - 1)
        return [name, { priority: 100 + (i % 2), resources: Object.fromEntries(resources.map((resource, r) => [resource, { quota: ((i + r) % 3) - 1, overQuotaWeight: i % 3, limit: name === 'a' ? limit : -1 }])) }]
      }),
    ),
  })
  const optionsOf = ({ queues, jobs }: World, limit = -1) => options(queues, [...new Set(jobs.flatMap(({ stages }) => stages.flatMap(({ demand }) => Object.keys(demand))))], limit)

  it('keeps the laws of policies', () => {
    expect(checkPolicyLaws((world) => greedy(kai(optionsOf(world)), firstNode()), { runs: 20 }).launches).toBeGreaterThan(150)
  })

  it('decides as one that counts and divides everything anew at every decision', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), fc.constantFrom(-1, 9), (world, limit) => {
        const recorder = recorded(world, greedy(kai(optionsOf(world, limit)), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveKai(optionsOf(world, limit)))), 'the reference')).toBeUndefined()
      }),
      { seed: 13, numRuns: 40 },
    )
    expect(launches).toBeGreaterThan(240)
  })
})

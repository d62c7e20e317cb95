import type { JobSpec, Plug } from '@sched/core'
import { adaptive, dynamicPriority, easy, greedy, remainingWork, slotsNeeded, spend, strict, type DynamicPriorityOptions, type Spender } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds, type JobChange, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { IdWindow } from '../src/orders/id-window.js'
import { firstNode } from './first-node.js'
import { naiveAdaptive, naiveDynamicPriority, type Purse } from './reference/deadlines-and-budgets.js'
import { naiveGreedy } from './reference/disciplines.js'
import { recorded } from './reference/recorded.js'

const cpu = (change: JobChange) => job({ demand: { cpu: 1 }, ...change })
const machine = (cpus: number) => instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus } }] })
const launches = (jobs: readonly JobSpec[], policy: Plug<'policy'>, cpus: number) => run({ policy, jobs, cluster: machine(cpus) }).recorder.launches.map(({ job: id, time }) => `${id} ${time}`)

describe('the slots that a job needs', () => {
  it('are its remaining work over the time left (survey, fact 11)', () => {
    const finished = [10, 12, 8, 10]
    const mean = finished.reduce((a, b) => a + b) / finished.length
    const progress = { mean, pending: 30, elapsed: [4, 6] }
    expect([mean, remainingWork(progress), slotsNeeded(progress, 60)]).toEqual([10, 310, 6]) // 300 + 6 + 4; 310 / 60 = 5.17
  })

  it('needs no slot more because a mean is rounded', () => {
    // mean 32/3; 6 pending, running for 10, 2 and 0 s: (9 * 32 / 3 - 12) / 21 = 4, in floating point 4.000000000000001
    expect(slotsNeeded({ mean: 32 / 3, pending: 6, elapsed: [10, 2, 0] }, 21)).toBe(4)
    expect(slotsNeeded({ mean: 32 / 3, pending: 6, elapsed: [10, 2, 0] }, 20.999)).toBe(5)
  })

  it('count nothing for a task that has run longer than the mean', () => {
    expect(remainingWork({ mean: 10, pending: 0, elapsed: [25, 10, 9] })).toBe(1)
  })
})

describe('adaptive', () => {
  it('learns from one task first, then gives slots to the largest need', () => {
    // 3 slots. b comes first without a deadline. The probes of x and y run 0-10; then x needs ceil(3 x 10 / 30) = 1 slot and
    // y ceil(4 x 10 / 20) = 2, so y gets both free slots that come at 10 before x gets the third
    const jobs = [
      cpu({ id: 'b', tasks: 3, duration: 10 }),
      cpu({ id: 'x', tasks: 4, deadline: 40 }),
      cpu({ id: 'y', tasks: 5, deadline: 30 }),
    ]
    expect(launches(jobs, greedy(adaptive(), firstNode()), 3)).toEqual(['x 0', 'y 0', 'b 0', 'y 10', 'y 10', 'x 10', 'y 20', 'y 20', 'x 20', 'x 30', 'b 30', 'b 30'])
  })

  it('puts jobs that cannot be done in time after those that can, and before those that need nothing more', () => {
    // after the probes, at 10: late would need 6 x 10 / 15 = 4 of 2 slots; good needs 2 x 10 / 30 = 1
    const jobs = [cpu({ id: 'free', tasks: 4 }), cpu({ id: 'late', tasks: 7, deadline: 25 }), cpu({ id: 'good', tasks: 3, deadline: 40 })]
    expect(launches(jobs, greedy(adaptive(), firstNode()), 2).slice(0, 6)).toEqual(['late 0', 'good 0', 'good 10', 'late 10', 'good 20', 'late 20'])
    expect(launches(jobs, greedy(adaptive(), firstNode()), 2).slice(-4)).toEqual(['free 40', 'free 40', 'free 50', 'free 50'].map((each) => expect.stringContaining(each.split(' ')[0] as string) as string))
  })

  it('is an order for any discipline', () => {
    const jobs = [cpu({ id: 'a', estimate: 10, deadline: 99 }), cpu({ id: 'b', submit: 1, estimate: 10 }), cpu({ id: 'c', submit: 1, estimate: 10, deadline: 50 })]
    for (const policy of [strict(adaptive()), easy(adaptive())]) expect(launches(jobs, policy, 1)).toEqual(['a 0', 'c 10', 'b 20'])
  })

  it('decides as a reference that computes every need at every decision', { tags: 'long' }, () => {
    let count = 0
    fc.assert(
      fc.property(worlds(), fc.array(fc.constantFrom(undefined, 5, 12, 30, 100), { minLength: 7, maxLength: 7 }), (world, deadlines) => {
        const jobs = world.jobs.map((each, i) => ({ ...each, ...(deadlines[i] !== undefined && { deadline: each.submit + deadlines[i] }) }))
        const shipped = recorded({ ...world, jobs }, greedy(adaptive(), firstNode()))
        count += shipped.launches.length
        expect(firstDifference(shipped, recorded({ ...world, jobs }, naiveGreedy(naiveAdaptive)), 'the reference')).toBeUndefined()
      }),
      { seed: 41, numRuns: 60 },
    )
    expect(count).toBeGreaterThan(400)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    expect(checkPolicyLaws(() => greedy(adaptive(), firstNode()), { runs: 15 }).launches).toBeGreaterThan(150)
  })
})

describe('an interval of spending', () => {
  it('takes what queues use and gives shares for it (survey, fact 10)', () => {
    const queues = [
      { budget: 100, rate: 3, usage: 10, pending: 1 },
      { budget: 50, rate: 1, usage: 20, pending: 0 },
      { budget: 5, rate: 2, usage: 4, pending: 1 },
      { budget: 10, rate: 4, usage: 0, pending: 0 },
    ]
    const { price, shares, budgets } = spend(queues)
    expect([price, budgets]).toEqual([6, [70, 30, 5, 10]]) // 3 + 1 + 2; C cannot pay 8, D is idle
    expect(shares).toEqual([3 / 6, 1 / 6, 0, 0]) // together 2/3
  })

  it('never makes a budget negative, nor shares of more than all', () => {
    const amount = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 40, noNaN: true }))
    const spender: fc.Arbitrary<Spender> = fc.record({ budget: fc.oneof(amount, fc.constant(Infinity)), rate: amount, usage: fc.nat({ max: 9 }), pending: fc.nat({ max: 2 }) })
    fc.assert(
      fc.property(fc.array(spender, { minLength: 1, maxLength: 6 }), (queues) => {
        let now: readonly Spender[] = queues
        for (let interval = 0; interval < 8; interval++) {
          const { shares, budgets } = spend(now)
          for (const budget of budgets) expect(budget).toBeGreaterThanOrEqual(0)
          expect(shares.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1 + 1e-12)
          now = now.map((queue, i) => ({ ...queue, budget: budgets[i] as number }))
        }
      }),
      { seed: 42, numRuns: 200 },
    )
  })
})

describe('dynamic-priority', () => {
  const two = (ann: Partial<JobChange> = {}, bob: Partial<JobChange> = {}) => [cpu({ id: 'a', queue: 'ann', tasks: 40, ...ann }), cpu({ id: 'b', queue: 'bob', tasks: 40, ...bob })]
  /** Tasks of a and b that start at each time, on 4 slots, all tasks of 10 s. */
  const starts = (options: DynamicPriorityOptions, jobs = two()) => {
    const times: Record<string, string> = {}
    for (const launch of run({ policy: greedy(dynamicPriority(options), firstNode()), jobs, cluster: machine(4), until: 90 }).recorder.launches) times[launch.time] = (times[launch.time] ?? '') + launch.job
    return Object.fromEntries(Object.entries(times).map(([time, all]) => [time, [...all].sort().join('')]))
  }

  it('shares by spending rate from the first interval on, evenly before', () => {
    expect(starts({ queues: { ann: { rate: 3 }, bob: { rate: 1 } } })).toEqual({ 0: 'aabb', 10: 'aabb', 20: 'aaab', 30: 'aaab', 40: 'aaab', 50: 'aaab', 60: 'aaab', 70: 'aaab', 80: 'aaab', 90: 'aaab' })
  })

  it('gives nothing to a queue that cannot pay, but what nobody else wants', () => {
    // ann pays 3 x 2 = 6 at 20 and would pay 3 x 3 = 9 at 40, of which she has 8 left: bob gets all
    expect(starts({ queues: { ann: { rate: 3, budget: 14 }, bob: { rate: 1 } } })).toMatchObject({ 20: 'aaab', 30: 'aaab', 40: 'bbbb', 50: 'bbbb' })
    expect(starts({ queues: { ann: { rate: 3, budget: 14 } } }, two({}, { tasks: 1 }))).toMatchObject({ 40: 'aaaa' })
  })

  it('follows changes of rates and deposits at their time', () => {
    const changes = [{ at: 55, rate: 1 }]
    expect(starts({ queues: { ann: { rate: 3, changes }, bob: { rate: 1 } } })).toMatchObject({ 40: 'aaab', 50: 'aaab', 60: 'aabb', 70: 'aabb' })
    expect(starts({ queues: { ann: { rate: 3, budget: 14, changes: [{ at: 60, deposit: 100 }] }, bob: { rate: 1 } } })).toMatchObject({ 50: 'bbbb', 60: 'aaab' })
  })

  it('pays at every interval', () => {
    expect(starts({ interval: 50, queues: { ann: { rate: 3 }, bob: { rate: 1 } } })).toMatchObject({ 40: 'aabb', 50: 'aaab' })
    expect(starts({ defaults: { rate: 2 }, queues: { bob: { rate: 6 } } })).toMatchObject({ 40: 'abbb' })
  })

  it('is the same after as many intervals as one likes in which nothing happens', () => {
    const later = (then: number) => [cpu({ id: 'a', user: 'ann', tasks: 2 }), cpu({ id: 'z', user: 'bob', submit: then, tasks: 5 }), cpu({ id: 'y', user: 'ann', submit: then, tasks: 5 })]
    const started = (then: number) =>
      launches(later(then), greedy(dynamicPriority({ queues: { ann: { rate: 1 }, bob: { rate: 1, changes: [{ at: then - 5, rate: 3 }] } } }), firstNode()), 2).map((launch) => launch.split(' ')[0])
    expect(started(1e15)).toEqual(started(1000))
  })

  it('takes queues for equal that are so but for rounding: 5 tasks at a rate of 5, 9 at 9', () => {
    const order = dynamicPriority({ queues: { ann: { rate: 5 }, bob: { rate: 9 } } })
    const at20 = launches(two(), greedy(order, firstNode()), 15).filter((launch) => launch.endsWith(' 20'))
    expect(at20.filter((launch) => launch.startsWith('a'))).toHaveLength(6) // the last of 15 by name, not 9 / (9/14) before 5 / (5/14)
  })

  it('looks at its queues again only where something has changed since the last payments', () => {
    // b waits while a runs: 50 intervals in which nothing comes or goes
    const looks = vi.spyOn(IdWindow.prototype, 'size', 'get')
    expect(launches([cpu({ id: 'a', queue: 'a', duration: 1000 }), cpu({ id: 'b', queue: 'b', demand: { cpu: 2 } })], greedy(dynamicPriority(), firstNode()), 2)).toEqual(['a 0', 'b 1000'])
    expect(looks.mock.calls.length).toBeGreaterThan(0)
    expect(looks.mock.calls.length).toBeLessThan(40)
    looks.mockRestore()
  })

  const purses: fc.Arbitrary<Readonly<Record<string, Purse>>> = fc.dictionary(fc.constantFrom('a', 'b', 'c.x', 'c.y', 'ann'), fc.record({ budget: fc.constantFrom(0, 3, 10, 40, 1000), rate: fc.constantFrom(0, 1, 2, 4, 0.5) }))

  it('decides as a reference that counts everything anew', { tags: 'long' }, () => {
    let count = 0
    fc.assert(
      fc.property(worlds({ jobs: 9 }), purses, fc.constantFrom(2, 7.5, 20), (world, queues, interval) => {
        world = { ...world, claims: undefined } // it asks for rounds of its own, in which a limit would let more start
        const shipped = recorded(world, greedy(dynamicPriority({ queues, interval }), firstNode()))
        count += shipped.launches.length
        expect(firstDifference(shipped, recorded(world, naiveGreedy(naiveDynamicPriority(queues, interval))), 'the reference')).toBeUndefined()
      }),
      { seed: 43, numRuns: 60 },
    )
    expect(count).toBeGreaterThan(400)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const make = ({ queues }: World) => greedy(dynamicPriority({ interval: 5, queues: Object.fromEntries(queues.map((name) => [name, { rate: name.length, budget: 50 }])) }), firstNode())
    expect(checkPolicyLaws(make, { runs: 15 }).launches).toBeGreaterThan(150)
  })
})

import { dispatcher } from '@sched/cluster'
import { drf, greedy, kaiPreempting, yarnFair, yarnPreempting, type KueueOptions, type YarnFairOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { preempted, world, type Load } from '../kueue/world.js'

// Cases of Volcano's own tests, under the policies that docs/kubernetes.md names for its plugins.

type Queues = NonNullable<KueueOptions['queues']>
type Amounts = Readonly<Record<string, number>>

describe('capacity, as a kueue that reclaims from any (capacity_test.go)', () => {
  /** Deserved: the nominal quota; capability: what may be had by borrowing; guarantee: what is not lent. */
  const queue = (deserved: Amounts, capability?: Amounts, guarantee: Amounts = {}): Queues[string] => ({
    cohort: 'cluster',
    nominalQuota: deserved,
    ...(capability !== undefined && { borrowingLimit: Object.fromEntries(Object.entries(capability).map(([r, amount]) => [r, amount - (deserved[r] ?? 0)])) }),
    lendingLimit: Object.fromEntries(Object.entries(deserved).map(([r, amount]) => [r, amount - (guarantee[r] ?? 0)])),
    preemption: { reclaimWithinCohort: 'Any' },
  })
  const unit = { cpu: 1, mem: 1 }

  it('gives a queue no more than its capability', () => {
    const options = (capability: number): KueueOptions => ({ queues: { q: queue({ cpu: 0, mem: 0 }, { cpu: capability, mem: capability }), rest: queue({ cpu: 4, mem: 8 }) } })
    expect(preempted(options(2), [['q_1', unit]], ['q_in', unit])).toEqual([])
    expect(preempted(options(1.5), [['q_1', unit]], ['q_in', unit])).toBeUndefined()
  })

  it.each<[string, Queues, readonly Load[], Load, readonly string[] | undefined]>([
    ['what a queue has less than it deserves', { a: queue({ cpu: 2, mem: 4 }), b: queue({ cpu: 2, mem: 4 }) }, [['a_1', { cpu: 2, mem: 4 }], ['a_2', { cpu: 2, mem: 4 }]], ['b_in', { cpu: 2, mem: 4 }], ['a_2']],
    [
      'the GPUs of which a queue has less, though it has more of all else',
      { a: queue({ cpu: 2, mem: 4, gpu: 10 }), b: queue({ cpu: 2, mem: 4, gpu: 10 }) },
      [['a_1', { gpu: 10 }], ['a_2', { gpu: 10 }], ['b_1', { cpu: 2, mem: 4 }], ['b_2', { cpu: 2, mem: 4 }]],
      ['b_in', { gpu: 10 }],
      ['a_2'],
    ],
    ['nothing for what is more than a queue deserves', { a: queue({ cpu: 1, mem: 2 }), b: queue({ cpu: 0, mem: 0 }), rest: queue({ cpu: 1, mem: 2 }) }, [['a_1', unit], ['b_1', unit]], ['a_in', { cpu: 1, mem: 2 }], undefined],
    ['nothing of what another queue is guaranteed', { a: queue({ cpu: 4 }, undefined, { cpu: 2 }), b: queue({ cpu: 0 }) }, [['b_1', 2]], ['b_in', 1], undefined],
  ])('reclaims %s', (_, queues, held, incoming, expected) => {
    const resources = { cpu: 1000, mem: 1000, gpu: 1000 }
    const { come } = world({ queues }, resources)
    for (const load of held) expect(come(load)).toEqual({ started: [load[0]], killed: [] })
    const { started, killed } = come(incoming)
    expect(started.includes(incoming[0]) ? killed : undefined).toEqual(expected)
  })
})

describe('guarantees of capacity (capacity.go: realCapability, checkGuaranteeConstraint)', () => {
  /** Of 12 CPUs q2 is guaranteed 3 of the 4 that it deserves, q1 its only one. */
  const queue = (deserved: number, limit: object): Queues[string] => ({ cohort: 'cluster', nominalQuota: { cpu: deserved }, ...limit, preemption: { reclaimWithinCohort: 'Any' } })
  const held: readonly Load[] = [['q1_1', 2], ['q1_2', 2], ['q1_3', 2], ['q1_4', 2], ['q1_5', 1]]
  /** What starts or is killed as more come to queues of these limits, which have 9 CPUs for q1. */
  const play = (limits: Readonly<Record<'q0' | 'q1' | 'q2', object>>, ...loads: readonly Load[]) => {
    const { come } = world({ queues: { q0: queue(2, limits.q0), q1: queue(1, limits.q1), q2: queue(4, limits.q2), rest: queue(5, {}) } })
    for (const load of held) expect(come(load)).toEqual({ started: [load[0]], killed: [] })
    return loads.map((load) => come(load))
  }

  it('bound what each other queue has, as borrowing limits: several together use them, and give back', () => {
    const limits = { q0: { borrowingLimit: { cpu: 12 - 1 - 3 - 2 } }, q1: { borrowingLimit: { cpu: 12 - 3 - 1 } }, q2: { borrowingLimit: { cpu: 12 - 1 - 4 } } }
    // in Volcano q1 gives q1_4 and q1_5, since it has most of what it deserves: the later of two queues that borrow gives here
    expect(play(limits, ['q1_6', 1], ['q0_7', 3], ['q2_8', 3])).toEqual([{ started: [], killed: [] }, { started: ['q0_7'], killed: [] }, { started: ['q2_8'], killed: ['q0_7'] }])
  })
  it('are kept free as lending limits, as in Volcano they are not', () => {
    const limits = { q0: { lendingLimit: { cpu: 2 } }, q1: { lendingLimit: { cpu: 0 } }, q2: { lendingLimit: { cpu: 1 } } }
    expect(play(limits, ['q1_6', 1], ['q0_7', 3], ['q2_8', 3])).toEqual([{ started: [], killed: [] }, { started: [], killed: [] }, { started: ['q2_8'], killed: [] }])
  })
  it('do not keep the last task of a queue above what it deserves, as in Volcano they do', () => {
    // q1 is guaranteed the one that it deserves, and would have none without its task
    const options: KueueOptions = { queues: { q0: queue(5, {}), q1: queue(1, {}) } }
    expect(preempted(options, [['q1_1', 3]], ['q0_in', 5])).toEqual(['q1_1'])
  })
})

describe('preempt, as a kueue within its queues (preempt_test.go)', () => {
  const of = (cpu: number): KueueOptions => ({ queues: { q: { nominalQuota: { cpu }, preemption: { withinClusterQueue: 'LowerPriority' } } } })
  const low = (count: number, cpu: number): Load[] => Array.from({ length: count }, (_, i): Load => [`q_${i + 1}`, cpu, 10])
  it.each<[string, KueueOptions, readonly Load[], Load, readonly string[] | undefined]>([
    ['nothing while there is room', of(10), low(2, 1), ['q_in', 1, 100_000], []],
    ['nothing of the same priority', of(3), low(3, 1), ['q_in', 1, 10], undefined],
    ['as many as a large task needs', of(6), low(3, 1), ['q_in', 5, 100_000], ['q_2', 'q_3']],
    ['what keeps the queue below its capability', of(4), low(1, 3), ['q_in', 3, 100_000], ['q_1']],
    ['nothing below its capability', of(6), low(1, 3), ['q_in', 3, 100_000], []],
    ['the lowest priority', of(3), [['q_1', 1, 10], ['q_2', 1, 100_000], ['q_3', 1, 100_000]], ['q_in', 1, 100_001], ['q_1']],
  ])('takes %s', (_, options, held, incoming, expected) => {
    expect(preempted(options, held, incoming)).toEqual(expected)
  })
})

describe('proportion, as the shares of YARN\'s fair scheduler (proportion_test.go, reclaim_test.go)', () => {
  const play = (cpu: number, options: YarnFairOptions, wanted: Readonly<Record<string, number>>) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu, mem: 1000 } }] }), policy: greedy(yarnFair({ ...options, defaults: { policy: 'drf' } })) })
    for (const [queue, tasks] of Object.entries(wanted)) master.submit(job({ id: queue, queue, tasks, demand: { cpu: 1, mem: 1 } }), 0)
    const { start } = master.pass(0)
    return Object.keys(wanted).map((queue) => start.filter((each) => each.job === queue).length)
  }

  it('divides by weight, what one does not ask among the others, and up to the capability', () => {
    const weights = { queues: { a: { weight: 1 }, b: { weight: 3 } } }
    expect(play(8, { root: weights }, { a: 8, b: 8 })).toEqual([2, 6])
    expect(play(8, { root: weights }, { a: 8, b: 4 })).toEqual([4, 4])
    expect(play(8, { root: { queues: { a: { weight: 1 }, b: { weight: 3, maxResources: { cpu: 3 } } } } }, { a: 8, b: 8 })).toEqual([5, 3])
  })

  it('reclaims a task for a queue below its share (TestReclaim)', () => {
    const policy = yarnPreempting(greedy(yarnFair({ root: { fairSharePreemptionTimeout: 1 }, defaults: { policy: 'drf' } })), { waitBeforeKill: 0, utilizationThreshold: 0 })
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 3, mem: 3 } }] }), policy })
    master.submit(job({ id: 'over', queue: 'a', tasks: 3, demand: { cpu: 1, mem: 1 } }), 0)
    expect(master.pass(0).start.length).toBe(3)
    master.submit(job({ id: 'starved', queue: 'b', demand: { cpu: 1, mem: 1 } }), 1)
    const killed = [1, 2, 3, 4, 5].flatMap((now) => master.pass(now).kill)
    expect(killed.map((each) => each.job)).toEqual(['over'])
  })
})

describe('proportion with reclaim, as kai-preempting', () => {
  /** What queues have, `[weight, tasks, capability]`, when their jobs have come to so many CPUs, one a minute. */
  const held = (cpu: number, ...queues: readonly (readonly [weight: number, tasks: number, capability?: number])[]) => {
    const names = queues.map((_, i) => `q${i}`)
    const options = Object.fromEntries(queues.map(([overQuotaWeight, , limit = -1], i) => [names[i], { resources: { cpu: { overQuotaWeight, limit } } }]))
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu } }] }), policy: kaiPreempting({ queues: options }) })
    const has = new Map(names.map((name) => [name, 0]))
    for (const [i, [, tasks]] of queues.entries()) {
      const queue = names[i] as string
      master.submit(job({ id: queue, queue, tasks, demand: { cpu: 1 } }), 60 * i)
      for (const now of [60 * i, 60 * i + 1]) {
        const { start, kill } = master.pass(now)
        for (const each of start) has.set(each.job, (has.get(each.job) ?? 0) + 1)
        for (const each of kill) has.set(each.job, (has.get(each.job) ?? 0) - 1)
      }
    }
    return [...has.values()]
  }

  it.each<[string, number, Parameters<typeof held>[1][], readonly number[]]>([
    ['by weight', 8, [[1, 9], [3, 9]], [2, 6]],
    ['by weight what others do not ask', 12, [[1, 12], [2, 12], [3, 3]], [3, 6, 3]],
    ['up to the capability', 10, [[1, 10], [3, 10, 4], [1, 10]], [3, 4, 3]],
    ['all to the only one', 5, [[1, 9]], [5]],
  ])('gives back %s', (_, cpu, queues, expected) => {
    expect(held(cpu, ...queues)).toEqual(expected)
  })
})

describe('hdrf, as drf with hierarchy: rescaled (hdrf_test.go)', () => {
  it('is not held back by queues that can grow no more (blocking nodes)', () => {
    const demands: Readonly<Record<string, Amounts>> = { 'pg1': { cpu: 1 }, 'pg2': { cpu: 1 }, 'pg3.pg31': { cpu: 1 }, 'pg3.pg32': { mem: 1 }, 'pg4': { mem: 1 } }
    const weights = { pg1: 25, pg2: 25, pg3: 25, pg4: 25, 'pg3.pg31': 50, 'pg3.pg32': 50 }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 30, mem: 30 } }] }), policy: greedy(drf({ by: 'queue', hierarchy: 'rescaled', weights })) })
    for (const [queue, demand] of Object.entries(demands)) master.submit(job({ id: queue, queue, demand, tasks: 30 }), 0)
    const { start } = master.pass(0)
    expect(Object.keys(demands).map((queue) => start.filter((each) => each.job === queue).length)).toEqual([10, 10, 10, 15, 15])
  })
})

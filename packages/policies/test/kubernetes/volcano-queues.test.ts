import { dispatcher } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { drf, greedy, kueue, yarnFair, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { preempted, world, type Load } from '../kueue/world.js'

// Cases of Volcano's own tests of its actions and of queues in queues, under the policies that docs/kubernetes.md names for its plugins.

type Queues = NonNullable<KueueOptions['queues']>
type Amounts = Readonly<Record<string, number>>
const both = (amount: number): Amounts => ({ cpu: amount, mem: amount })

describe('allocate (allocate_test.go)', () => {
  /** What starts on nodes of so many CPUs and as much memory when jobs come together. */
  const started = (policy: Plug<'policy'>, nodes: readonly number[], ...specs: readonly JobSpec[]) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((amount) => ({ count: 1, resources: both(amount) })) }), policy })
    for (const spec of specs) master.submit(spec, 0)
    return master.pass(0).start.map((each) => each.job)
  }
  const wants = (id: string, cpu: number, tasks = 1, gang = false) => job({ id, queue: id.split('_')[0] as string, tasks, gang, demand: both(cpu) })
  const policies: readonly (readonly [string, Plug<'policy'>])[] = [
    ['proportion', greedy(yarnFair({ defaults: { policy: 'drf' } }), firstNode())],
    ['drf', greedy(drf({ by: 'queue' }), firstNode())],
    ['capacity', kueue({ queues: { c1: { cohort: 'all', nominalQuota: both(1) }, c2: { cohort: 'all', nominalQuota: both(1) } } })],
  ]
  it.each(policies)('gives a job of two tasks a node, and one each to the jobs of two queues (%s)', (_, policy) => {
    expect(started(policy, [2], wants('c1_1', 1, 2))).toEqual(['c1_1', 'c1_1'])
    expect(started(policy, [2], wants('c1_1', 1, 2), wants('c2_1', 1, 2)).sort()).toEqual(['c1_1', 'c2_1'])
  })
  it.each(policies.slice(0, 2))('lets no job that fits no free node stand in the way of another queue (%s)', (_, policy) => {
    expect(started(policy, [4], wants('c1_0', 2), wants('c1_1', 3), wants('c2_1', 1))).toEqual(['c1_0', 'c2_1'])
  })
  it.each(policies.slice(0, 2))('serves the queue that has less, again and again (TestFareShareAllocate, %s)', (_, policy) => {
    const run = (...specs: readonly JobSpec[]) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: both(5) }] }), policy })
      master.submit(wants('c1_small', 1), 0)
      master.pass(0)
      for (const spec of specs) master.submit(spec, 1)
      return master.pass(1).start.map((each) => each.job)
    }
    expect(run(wants('c1_large', 2), job({ id: 'c2_large', queue: 'c2', demand: { cpu: 3, mem: 2 } }))).toEqual(['c2_large'])
    expect(run(wants('c1_large', 2), wants('c2_large', 2), wants('c2_small', 1))).toEqual(['c2_large', 'c1_large'])
    expect(run(wants('c1_large', 2))).toEqual(['c1_large'])
  })
  it.each(policies)('starts a gang as a whole or not at all (%s)', (_, policy) => {
    expect(started(policy, [1, 1], wants('c1_0', 1), wants('c1_1', 1, 2, true))).toEqual(['c1_0'])
    expect(started(policy, [1, 1], wants('c1_1', 1, 2, true))).toEqual(['c1_1', 'c1_1'])
  })
})

describe('the dequeue strategy, as queueingStrategy (dequeue_strategy_test.go)', () => {
  const run = (strategies: Readonly<Record<string, 'StrictFIFO' | 'BestEffortFIFO' | undefined>>, ...loads: readonly Load[]) => {
    const queues = Object.fromEntries(Object.entries(strategies).map(([name, queueingStrategy]) => [name, { cohort: 'all', nominalQuota: both(0), ...(queueingStrategy !== undefined && { queueingStrategy }) }]))
    const { come } = world({ queues: { ...queues, rest: { cohort: 'all', nominalQuota: both(12) } } })
    come(['rest_0', both(10)])
    return come(...loads).started
  }
  const [large, small] = [both(10), both(1)]
  it('fifo lets nobody pass', () => {
    expect(run({ q: 'StrictFIFO' }, ['q_1', large], ['q_2', small])).toEqual([])
    expect(run({ q: 'StrictFIFO' }, ['q_1', small], ['q_2', small])).toEqual(['q_1', 'q_2'])
  })
  it('traverse, the default, passes over who has no room', () => {
    expect(run({ q: 'BestEffortFIFO' }, ['q_1', large], ['q_2', small])).toEqual(['q_2'])
    expect(run({ q: undefined }, ['q_1', large], ['q_2', small])).toEqual(['q_2'])
  })
  it('is that of each queue', () => {
    expect(run({ fifo: 'StrictFIFO', traverse: 'BestEffortFIFO' }, ['fifo_1', large], ['fifo_2', small], ['traverse_1', large], ['traverse_2', small])).toEqual(['traverse_2'])
  })
})

describe('capacity with queues in queues, as cohorts (capacity_test.go, OnSessionOpenWithHierarchy)', () => {
  const reclaim = { reclaimWithinCohort: 'Any' } as const
  /** What a queue deserves of the queue around it, and the most that it may have. */
  const leaf = (cohort: string, deserved: number, capability?: number): Queues[string] => ({
    cohort,
    nominalQuota: both(deserved),
    preemption: reclaim,
    ...(capability !== undefined && { borrowingLimit: both(capability - deserved) }),
  })
  /** An inner queue, which deserves so much more than those in it together. */
  const inner = (more: number, limit?: number) => ({ parent: 'root', nominalQuota: both(more), ...(limit !== undefined && { borrowingLimit: both(limit) }) })

  it('starts a gang in a queue that deserves less, up to its capability', () => {
    const { submit } = world({ cohorts: { q3: inner(0, 0) }, queues: { q31: leaf('q3', 2, 4), q32: leaf('q3', 2, 4), q4: leaf('root', 2, 4), rest: leaf('root', 2) } })
    expect(submit(job({ id: 'pg3', queue: 'q31', tasks: 2, gang: true, demand: both(2) })).started).toEqual(['pg3', 'pg3'])
  })
  it('reclaims of the queue beside it, and nothing of others', () => {
    const options: KueueOptions = { cohorts: { q3: inner(0, 0) }, queues: { q31: leaf('q3', 2, 4), q32: leaf('q3', 2, 4), q4: leaf('root', 2, 4), rest: leaf('root', 2) } }
    expect(preempted(options, [['q4_5', both(4)], ['q31_6', both(2)], ['q31_7', both(2)]], ['q32_8', both(2)])).toEqual(['q31_7'])
  })
  it('starts nothing beyond what a queue around it may have', () => {
    const options: KueueOptions = { cohorts: { q3: inner(0, 0) }, queues: { q31: leaf('q3', 2, 4), q32: leaf('q3', 2, 4), q33: { ...leaf('q3', 0, 4), preemption: {} }, rest: leaf('root', 4) } }
    expect(preempted(options, [['q31_6', both(2)], ['q32_9', both(2)]], ['q33_10', both(3)])).toBeUndefined()
  })
  it('takes the capability of a queue around it where it has none of its own', () => {
    const { come } = world({ cohorts: { q6: inner(0, 2) }, queues: { q61: leaf('q6', 0), q62: leaf('q6', 0), rest: leaf('root', 8) } })
    expect(come(['q61_10', both(2)], ['q62_11', both(2)]).started).toEqual(['q61_10'])
  })
  it('reclaims for a queue within what it deserves of all that is asked; in Volcano of one resource (case12)', () => {
    // of 16 CPUs and 5 GPUs q12 has 2 CPUs and 4 GPUs, and deserves none of either; q11 deserves 2 GPUs
    const taken = (cpu: number) => {
      const options: KueueOptions = {
        cohorts: { q1: { parent: 'root', nominalQuota: { gpu: 0 } }, root: { nominalQuota: { cpu: 16 - cpu, gpu: 3 } } },
        queues: { q11: { cohort: 'q1', nominalQuota: { cpu, gpu: 2 }, preemption: reclaim }, q12: { cohort: 'q1', nominalQuota: { cpu: 0, gpu: 0 } } },
      }
      const { come } = world(options, { cpu: 100, mem: 100, gpu: 100 })
      for (const id of ['q12_18', 'q12_17']) come([id, { cpu: 1, gpu: 2 }])
      return come(['q11_16', { cpu: 1, gpu: 2 }])
    }
    expect(taken(1)).toEqual({ started: ['q11_16'], killed: ['q12_17'] })
    expect(taken(0)).toEqual({ started: [], killed: [] })
  })
})

describe('capacity: what is not asked does not count (TestEnqueueAndAllocatable)', () => {
  const options: KueueOptions = { queues: { q1: { cohort: 'all', nominalQuota: { cpu: 2, mem: 2 }, borrowingLimit: { cpu: 0, mem: 1 } }, q2: { cohort: 'all', nominalQuota: { cpu: 2, mem: 2 }, borrowingLimit: { cpu: 1, mem: 1 } }, rest: { cohort: 'all', nominalQuota: { cpu: 2, mem: 2 } } } }
  const held: readonly Load[] = [['q1_1', { cpu: 1, mem: 3 }], ['q2_2', { cpu: 3, mem: 1 }]]
  it.each<[string, Load, readonly string[] | undefined]>([
    ['CPUs alone, of a queue that has all its memory', ['q1_3', { cpu: 1 }], []],
    ['memory alone, of a queue that has all its CPUs', ['q2_4', { mem: 1 }], []],
    ['both, of a queue that has all its memory', ['q1_5', { cpu: 1, mem: 1 }], undefined],
  ])('%s', (_, incoming, expected) => {
    expect(preempted(options, held, incoming)).toEqual(expected)
  })
})

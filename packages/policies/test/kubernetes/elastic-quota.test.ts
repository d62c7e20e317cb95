import { dispatcher } from '@sched/cluster'
import { greedy, kueue, priority, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { preempted, world, type Load } from '../kueue/world.js'

// Cases of the tests of Kubernetes' scheduler-plugins (capacityscheduling, coscheduling), under the policies that docs/kubernetes.md names for them.

type Queues = NonNullable<KueueOptions['queues']>

describe('an ElasticQuota, as a queue of kueue (capacity_scheduling_test.go)', () => {
  /** `min` of a namespace is its nominal quota, `max` what it may have by borrowing; all namespaces are one cohort. */
  const quota = (min: number, max: number, others: object = { reclaimWithinCohort: 'Any' }): Queues[string] => ({
    cohort: 'all', nominalQuota: { mem: min }, borrowingLimit: { mem: max - min }, preemption: { withinClusterQueue: 'LowerPriority', ...others },
  })
  const mem = (amount: number) => ({ mem: amount })
  const [mid, high] = [100, 1000]

  it('lets a pod in that stays within the max of its namespace, and no other (TestPreFilter)', () => {
    const options: KueueOptions = { queues: { ns1: quota(10, 20), ns2: quota(30, 30) } }
    expect(preempted(options, [['ns1_used', mem(3)]], ['ns1_p1', mem(5)])).toEqual([])
    expect(preempted(options, [['ns1_used', mem(3)]], ['ns1_p2', mem(18)])).toBeUndefined()
  })
  it('lets nobody in beyond the sum of all min (TestPreFilter)', () => {
    const run = (others: object) => preempted({ queues: { ns1: quota(10, 20), ns2: quota(10, 20, others) } }, [['ns1_a', mem(12)], ['ns1_b', mem(6)], ['ns2_used', mem(1)]], ['ns2_p1', mem(5)])
    expect(run({})).toBeUndefined()
    expect(run({ reclaimWithinCohort: 'Any' })).toEqual(['ns1_b'])
  })
  it.each<[string, Queues, readonly Load[], Load, readonly string[] | undefined]>([
    // TestPostFilter, TestDryRunPreemption; the min of all together are as much as the node has
    ['a lower priority of its own namespace where that has its min', { ns1: quota(5, 20), ns2: quota(10, 20) }, [['ns1_2', mem(5), mid], ['ns2_3', mem(5), mid], ['ns2_4', mem(5), mid]], ['ns1_in', mem(5), high], ['ns1_2']],
    ['nothing of its own priority there', { ns1: quota(5, 20), ns2: quota(10, 20) }, [['ns1_2', mem(5), mid], ['ns2_3', mem(5), mid], ['ns2_4', mem(5), mid]], ['ns1_in', mem(5), mid], undefined],
    ['the lower priority of a namespace above its min, for one below its own', { ns1: quota(10, 20), ns2: quota(5, 20) }, [['ns1_2', mem(5), mid], ['ns2_3', mem(5), high], ['ns2_4', mem(5), mid]], ['ns1_in', mem(5), high], ['ns2_4']],
    ['even one of higher priority than its own', { ns1: quota(10, 20), ns2: quota(5, 20) }, [['ns1_2', mem(5), mid], ['ns2_3', mem(5), high], ['ns2_4', mem(5), high]], ['ns1_in', mem(5), mid], ['ns2_4']],
  ])('takes %s', (_, queues, held, incoming, expected) => {
    expect(preempted({ queues }, held, incoming)).toEqual(expected)
  })

  it('takes its own back of others beside pods of its own, where the plugin takes only its own (SelectVictimsOnNode)', () => {
    // ns1, of min 3, has 2 and asks 2 more: the plugin takes both of its own
    const queues = { ns1: quota(3, 20), ns2: quota(0, 20) }
    expect(preempted({ queues }, [['ns1_1', mem(1), 1], ['ns1_2', mem(1)], ['ns2_3', mem(1)]], ['ns1_in', mem(2), 2])).toEqual(['ns1_2', 'ns2_3'])
  })
  it('takes nothing for a pod that asks more than its min, unless it may by borrowing', () => {
    const run = (others: object) => preempted({ queues: { ns1: quota(0, 2, others), ns2: quota(4, 8) } }, [['ns1_1', mem(1), 1], ['ns2_2', mem(2)], ['ns1_3', mem(1)]], ['ns1_in', mem(1), 3])
    expect(run({ reclaimWithinCohort: 'Any' })).toBeUndefined() // in the plugin ns1_3
    expect(run({ reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } })).toEqual(['ns1_3'])
  })

  it('is lent while it is idle, and taken back pod by pod (the demo of the plugin)', () => {
    // two namespaces have a min of 3 and a max of 5 of 6 CPUs
    const ns: Queues[string] = { cohort: 'all', nominalQuota: { cpu: 3 }, borrowingLimit: { cpu: 2 }, preemption: { reclaimWithinCohort: 'Any' } }
    const { submit } = world({ queues: { q1: ns, q2: ns } }, { cpu: 6 })
    const pods = (id: string, queue: string, tasks: number) => job({ id, queue, tasks, demand: { cpu: 1 } })
    expect(submit(pods('app1', 'q1', 8))).toEqual({ started: Array.from({ length: 5 }, () => 'app1'), killed: [] })
    expect(submit(pods('app2', 'q2', 3))).toEqual({ started: ['app2', 'app2', 'app2'], killed: ['app1', 'app1'] })
  })

  it('takes nothing of a namespace that is above its min of another resource alone, as in the plugin it does', () => {
    const both = (cpu: number, amount: number): Queues[string] => ({ cohort: 'all', nominalQuota: { cpu, mem: amount }, preemption: { reclaimWithinCohort: 'Any' } })
    // ns2 has 4 of 2 GB and 2 of 2 CPUs; the CPU that ns1 lacks is with ns3
    const queues = { ns1: both(2, 2), ns2: both(2, 2), ns3: both(0, 2) }
    const held: Load[] = [['ns2_1', { cpu: 1, mem: 2 }], ['ns2_2', { cpu: 1, mem: 2 }], ['ns3_1', { cpu: 1 }, 5], ['ns1_1', { cpu: 1 }]]
    expect(preempted({ queues }, held, ['ns1_in', { cpu: 1 }])).toEqual(['ns3_1'])
  })
})

describe('a PodGroup of coscheduling, as a gang (coscheduling_test.go, core_test.go)', () => {
  it.each([
    ['priority', greedy(priority(), firstNode())],
    ['kueue', kueue({ queues: { q: { nominalQuota: { cpu: 4 } } } })],
  ] as const)('goes by priority, then by its age, and starts whole (%s)', (_, policy) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 4, resources: { cpu: 1 } }] }), policy })
    const gang = (id: string, tasks: number, change: object = {}) => job({ id, queue: 'q', tasks, gang: true, demand: { cpu: 1 }, ...change })
    for (const [i, each] of [gang('old', 2), gang('young', 2), gang('important', 3, { priority: 1 })].entries()) master.submit(each, i)
    expect(master.pass(9).start.map((each) => each.job)).toEqual(['important', 'important', 'important']) // 1 CPU is left, and no half gang starts
    master.submit(gang('single', 1), 10)
    expect(master.pass(10).start.map((each) => each.job)).toEqual(['single'])
  })
})

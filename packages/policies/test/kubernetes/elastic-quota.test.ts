import { dispatcher } from '@sched/cluster'
import { greedy, kubeScheduler, kueue, priority, volcano, type KueueOptions } from '@sched/policies'
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

describe('ElasticQuotas of whole namespaces (TestCapacityScheduling)', () => {
  const [low, mid, high] = [0, 100, 1000]
  const quota = (resource: string, min: number, max: number): Queues[string] => ({
    cohort: 'all', nominalQuota: { [resource]: min }, borrowingLimit: { [resource]: max - min }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' },
  })
  const two: Queues = { ns1: quota('mem', 100, 200), ns2: quota('mem', 100, 200) }
  const mem = (id: string, priority: number): Load => [id, { mem: 50 }, priority]
  const cpu = (id: string, priority = mid): Load => [id, { cpu: 1 }, priority]
  /** What runs once nothing happens any more. */
  const runs = (queues: Queues, held: readonly Load[], coming: readonly Load[]) => {
    const { come, passes, running } = world({ queues })
    for (const load of held) come(load)
    expect(running()).toHaveLength(held.length)
    come(...coming)
    passes()
    return running()
  }

  it.each<[string, Queues, readonly Load[], readonly Load[], readonly string[]]>([
    ['cross-namespace preemption', two, [mem('ns1_p1', mid), mem('ns1_p2', mid), mem('ns1_p3', low)], [mem('ns2_p4', mid), mem('ns2_p5', mid), mem('ns2_p6', low)], ['ns1_p1', 'ns1_p2', 'ns2_p4', 'ns2_p5']],
    ['in-namespace preemption', two, [mem('ns1_p1', mid), mem('ns1_p2', low), mem('ns2_p3', mid), mem('ns2_p4', low)], [mem('ns1_p5', mid), mem('ns2_p6', mid)], ['ns1_p1', 'ns1_p5', 'ns2_p3', 'ns2_p6']],
    ["pod subjects to overused quota can't preempt pods subjects to other quotas", two, [mem('ns1_p1', mid), mem('ns2_p2', high), mem('ns2_p3', high), mem('ns2_p4', high)], [mem('ns2_p5', high)], ['ns1_p1', 'ns2_p2', 'ns2_p3', 'ns2_p4']],
    [
      'cross-namespace preemption with three elasticquota',
      { ns1: quota('cpu', 1, 3), ns2: quota('cpu', 3, 3), ns3: quota('cpu', 3, 4) },
      [cpu('ns1_p1', high), cpu('ns1_p2'), cpu('ns1_p3'), cpu('ns2_p5'), cpu('ns2_p6'), cpu('ns2_p7')],
      [cpu('ns3_p09'), cpu('ns3_p10'), cpu('ns3_p11'), cpu('ns3_p12')],
      ['ns1_p1', 'ns2_p5', 'ns2_p6', 'ns2_p7', 'ns3_p09', 'ns3_p10', 'ns3_p11'],
    ],
  ])('%s', (_, queues, held, coming, expected) => {
    expect(runs(queues, held, coming)).toEqual(expected)
  })
  it('regular preemption without Elastic Quota, by kube-scheduler', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { mem: 100 } }] }), policy: kubeScheduler({}, firstNode()) })
    for (const [i, priority] of [high, low, high, low].entries()) master.submit(job({ id: `p${i + 1}`, priority, demand: { mem: 50 } }))
    expect(master.pass(0).start).toHaveLength(4)
    for (const id of ['p5', 'p6']) master.submit(job({ id, priority: mid, demand: { mem: 50 } }), 1)
    const { start, kill } = master.pass(1)
    expect([kill.map((each) => each.job).sort(), start.map((each) => each.job).sort()]).toEqual([['p2', 'p4'], ['p5', 'p6']])
  })
})

describe.each([
  ['priority', greedy(priority(), firstNode())],
  ['kube-scheduler', kubeScheduler({}, firstNode())],
  ['kube-scheduler with workloadAwarePreemption', kubeScheduler({ workloadAwarePreemption: true }, firstNode())],
  ['volcano', volcano({ actions: ['allocate', 'preempt'] }, firstNode())],
  ['kueue', kueue({ queues: { q: { nominalQuota: { mem: 600 } } } })],
] as const)('PodGroups of coscheduling on a node of 300 (TestCoschedulingPlugin), under %s', (_, policy) => {
  const [mid, high] = [100, 1000]
  type Pods = readonly [id: string, tasks: number, mem: number, priority?: number]
  it.each<[string, readonly Pods[], Readonly<Record<string, number>>]>([
    ['equal priority, pg1 meet min and pg2 not meet min', [['pg1', 3, 50], ['pg2', 4, 100]], { pg1: 3 }],
    ['equal priority, pg1 not meet min and regular pods', [['pg1', 4, 100], ['p2', 1, 100], ['p3', 1, 100]], { p2: 1, p3: 1 }],
    ['different priority, pg1 meet min and pg2 meet min', [['pg1', 3, 100], ['pg2', 3, 50, high]], { pg2: 3 }],
    ['different priority, pg1 meet min and 3 regular pods', [['pg1', 3, 50], ['p2', 1, 100, high], ['p3', 1, 100, high], ['p4', 1, 100, high]], { p2: 1, p3: 1, p4: 1 }],
    ['equal priority, pg1 meet min and p2 p3 not meet min', [['pg1', 3, 50], ['pg2', 4, 100], ['pg3', 4, 100]], { pg1: 3 }],
  ])('%s', (__, pods, expected) => {
    // on a second node runs something that nobody may preempt: a gang that could never start would be refused
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { mem: 300 } }] }), policy })
    master.submit(job({ id: 'other', queue: 'q', priority: high, demand: { mem: 300 } }))
    expect(master.pass(0).start).toHaveLength(1)
    for (const [id, tasks, each, own = mid] of pods) master.submit(job({ id, queue: 'q', priority: own, tasks, demand: { mem: each }, ...(tasks > 1 && { gang: true }) }), 1)
    const counts: Record<string, number> = {}
    for (const { job: id } of master.pass(1).start) counts[id] = (counts[id] ?? 0) + 1
    expect(counts).toEqual(expected)
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

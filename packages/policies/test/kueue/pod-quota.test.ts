import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { dispatcher } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { flavored, world } from './world.js'

// Quotas of pods, which are tasks here. Cases of Kueue's own tests (TestAssignFlavors: "num pods fit", "num pods don't fit", and those of flavors with a quota of pods).

type Queues = NonNullable<KueueOptions['queues']>
const gang = (id: string, tasks: number) => job({ id, queue: id.split('_')[0] as string, tasks, gang: true, demand: { cpu: 1 } })
const of = (pods: number, more: Queues[string] = {}): Queues[string] => ({ nominalQuota: { cpu: 10, pods }, ...more })

describe('a quota of pods', () => {
  it('is of all tasks of a gang (num pods fit, num pods don\'t fit)', () => {
    expect(world({ queues: { a: of(3) } }).submit(gang('a_in', 3)).started).toHaveLength(3)
    expect(() => world({ queues: { a: of(2) } }).submit(gang('a_in', 3))).toThrow('queue a: 3 pods of at most 2')
  })

  it('is given back by every task that ends', () => {
    const { come, end } = world({ queues: { a: of(2) } })
    expect(come(['a_1', 1], ['a_2', 1], ['a_3', 1]).started).toEqual(['a_1', 'a_2'])
    expect(end('a_1').started).toEqual(['a_3'])
  })

  it('counts those of queues that have one, and is theirs to borrow and to take back', () => {
    const cohort = { cohort: 'c' }
    const queues = { a: of(1, { ...cohort, preemption: { reclaimWithinCohort: 'Any' } }), b: of(1, cohort), c: { ...cohort, nominalQuota: { cpu: 10 } } } satisfies Queues
    const { come } = world({ queues })
    expect(come(['c_1', 1], ['c_2', 1], ['c_3', 1]).started).toEqual(['c_1', 'c_2', 'c_3'])
    expect(come(['b_1', 1], ['b_2', 1], ['b_3', 1]).started).toEqual(['b_1', 'b_2'])
    expect(come(['a_1', 1])).toEqual({ started: ['a_1'], killed: ['b_2'] })
  })

  it('with fair sharing is shared as other resources are', () => {
    // b has 3 of the 4 pods, which are more of them than what a has of the CPUs
    const rules = { cohort: 'c', preemption: { reclaimWithinCohort: 'Any' } } as const
    const none = { nominalQuota: { cpu: 0, pods: 0 }, ...rules } as const
    const { come } = world({ fairSharing: true, queues: { a: none, b: none, pool: { ...rules, nominalQuota: { cpu: 100, pods: 4 } } } })
    come(['a_1', 30], ['b_1', 1])
    come(['b_2', 1])
    come(['b_3', 1])
    expect(come(['a_2', 1])).toEqual({ started: ['a_2'], killed: ['b_3'] })
  })

  it.each<[string, Queues[string], readonly string[]]>([
    ['the first, by preemption (preempt before try next flavor)', { flavorFungibility: { whenCanPreempt: 'MayStopSearch' } }, ['-a_low', '+a_in@one']],
    ['the next, where there is room (preempt try next flavor)', {}, ['+a_in@two']],
  ])('is of a flavor, and leads to %s', (_, rules, expected) => {
    const { come } = flavored(['one', 'two'], { queues: { a: { nominalQuota: { one: { cpu: 10, pods: 1 }, two: { cpu: 10, pods: 1 } }, preemption: { withinClusterQueue: 'LowerPriority' }, ...rules } } })
    expect(come(['a_low', 2, -1])).toEqual(['+a_low@one'])
    expect(come(['a_in', 2])).toEqual(expected)
  })

  it('may be in a group with flavors of its own', () => {
    const labels = { type: 'x' }
    const options = { flavors: { x: labels, y: labels, few: labels, many: labels }, queues: { a: { nominalQuota: { x: { cpu: 3 }, y: { cpu: 9 }, few: { pods: 1 }, many: { pods: 2 } }, resourceGroups: [['cpu'], ['pods']] } } }
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 20 }, labels }] }), policy: kueue(options) })
    for (const id of ['a_1', 'a_2', 'a_3', 'a_4']) master.submit(job({ id, queue: 'a', demand: { cpu: 2 } }), 0)
    expect(master.pass(0).start.map((each) => each.job)).toEqual(['a_1', 'a_2', 'a_3'])
  })

  it('is of all tasks of a job that is one gang, stage by stage in the flavor of each, and outlives a restart', () => {
    const flavors = { one: { type: 'one' }, two: { type: 'two' } }
    const options: KueueOptions = { flavors, queues: { a: { nominalQuota: { one: { cpu: 9, pods: 2 }, two: { cpu: 9, pods: 4 } } } } }
    const nodes = Object.entries(flavors).map(([name, labels]) => ({ name, count: 1, resources: { cpu: 20 }, labels }))
    const make = () => dispatcher({ cluster: instantCluster({ nodes }), policy: kueue(options) })
    const whole = { id: 'in', queue: 'a', gang: true, stages: [2, 3].map((tasks, i) => ({ name: `s${i}`, tasks, gang: true, demand: { cpu: 1 }, duration: 1 })) }
    const next = job({ id: 'next', queue: 'a', tasks: 2, demand: { cpu: 1 } })
    const [before, after] = [make(), make()]
    for (const each of [before, after]) each.submit(whole, 0)
    const running = before.pass(0).start
    expect(running.map(({ node }) => node)).toEqual(['one-0', 'one-0', 'two-0', 'two-0', 'two-0'])
    for (const placed of running) after.adopt(placed, 0)
    after.recall(JSON.parse(JSON.stringify(before.memory())) as ReturnType<typeof before.memory>)
    for (const each of [before, after]) {
      each.submit(next, 1)
      expect(each.pass(1).start.map(({ job: id, node }) => `${id} ${node}`)).toEqual(['next two-0'])
    }
  })

  it('is a resource of nodes where they have one of this name', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 20, pods: 20 } }] }), policy: kueue({ queues: { a: of(2) } }) })
    for (const id of ['1', '2', '3']) master.submit(job({ id, queue: 'a', demand: { cpu: 1 } }), 0)
    expect(master.pass(0).start).toHaveLength(3) // none of them asks for any
  })

  it('counts in past usage, one as a resource of the same amount', () => {
    const shared = { admissionMode: 'UsageBasedAdmissionFairSharing' } as const
    const order = (pods: number) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 20 } }] }), policy: kueue({ queues: { a: { nominalQuota: { cpu: 20, pods: 3 }, ...shared } }, admissionFairSharing: { resourceWeights: { pods } } }) })
      const submit = (id: string, user: string, cpu: number) => { master.submit({ ...job({ id, queue: 'a', demand: { cpu } }), user }, 0) }
      for (const [id, user, cpu] of [['u_0', 'u', 4], ['v_0', 'v', 1], ['v_1', 'v', 1]] as const) submit(id, user, cpu)
      const [first] = master.pass(0).start
      for (const [id, user] of [['u_2', 'u'], ['v_2', 'v']] as const) submit(id, user, 1)
      master.taskEnded(first as NonNullable<typeof first>, 0)
      return master.pass(0).start.map((each) => each.job)
    }
    // u has 4 CPUs and a pod, v 2 of each
    expect([order(1), order(9)]).toEqual([['v_2'], ['u_2']])
  })
})

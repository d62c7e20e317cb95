import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// Cases of Kueue's own tests (TestAssignFlavors: "multiple resource groups ..."): flavors one and two are of CPU and memory, b_one and b_two of GPUs.

type Load = readonly [id: string, asks: Readonly<Record<string, number>>, priority?: number]
type Quotas = Readonly<Record<string, Readonly<Record<string, number>>>>

const FLAVORS = { one: { type: 'one' }, two: { type: 'two' }, b_one: { b_type: 'one' }, b_two: { b_type: 'two' } }
const GROUPS = [['cpu', 'mem'], ['gpu']]

/** On a node for every two flavors of different groups: who is preempted, `-id`, and where others start, `+id node`. */
function world(options: KueueOptions) {
  const nodes = ['one', 'two'].flatMap((type) => ['one', 'two'].map((other) => ({ name: `${type}+b_${other}`, count: 1, resources: { cpu: 100, mem: 100, gpu: 100 }, labels: { type, b_type: other } })))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ flavors: FLAVORS, ...options }) })
  let now = 0
  return {
    master,
    come: (...loads: readonly Load[]) => {
      now++
      for (const [id, demand, priority = 0] of loads) master.submit(job({ id, queue: id.split('_')[0] as string, priority, demand }), now)
      const { start, kill } = master.pass(now)
      return [...kill.map((each) => `-${each.job}`), ...start.map((each) => `+${each.job} ${each.node.replace(/-\d+$/, '')}`)]
    },
  }
}

const queueOf = (nominalQuota: Quotas, rules: NonNullable<KueueOptions['queues']>[string] = {}) => ({ nominalQuota, resourceGroups: GROUPS, ...rules })

describe('resources in groups', () => {
  it('have a flavor for each group of which a workload asks something', () => {
    // 3 CPUs are too many for flavor one, 3 GPUs for none that comes first
    const quotas = { one: { cpu: 2, mem: 90 }, two: { cpu: 4, mem: 15 }, b_one: { gpu: 4 }, b_two: { gpu: 2 } }
    expect(world({ queues: { a: queueOf(quotas) } }).come(['a_in', { cpu: 3, mem: 10, gpu: 3 }])).toEqual(['+a_in two+b_one'])
    expect(world({ queues: { a: queueOf(quotas) } }).come(['a_1', { cpu: 2, gpu: 3 }], ['a_2', { cpu: 2, gpu: 2 }], ['a_3', { gpu: 1 }])).toEqual(['+a_1 one+b_one', '+a_2 two+b_two', '+a_3 one+b_one'])
  })

  it('are each held to their own quota: one that the second group could never have is refused, though the first could by preemption', () => {
    const { come, master } = world({ queues: { a: queueOf({ one: { cpu: 3, mem: 9 }, b_one: { gpu: 1 } }, { preemption: { withinClusterQueue: 'LowerPriority' } }) } })
    expect(come(['a_0', { cpu: 1 }])).toEqual(['+a_0 one+b_one'])
    expect(() => master.submit(job({ id: 'in', queue: 'a', priority: 1, demand: { cpu: 3, gpu: 10 } }), 9)).toThrow('queue a: 10 gpu of at most 1')
    const several = world({ queues: { a: queueOf({ one: { cpu: 3, mem: 9 }, two: { cpu: 8, mem: 9 }, b_one: { gpu: 1 } }) } })
    expect(() => several.master.submit(job({ id: 'in', queue: 'a', demand: { cpu: 9 } }), 9)).toThrow('queue a: 9 cpu of at most 8')
  })

  it('are preempted for in the flavors of all groups together', () => {
    // of flavor two 5 of 15 of the memory are left, of b_one 2 GPUs of 4, which another queue has borrowed: both have to give
    const preemption = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } as const
    const queues = {
      a: queueOf({ two: { cpu: 4, mem: 15 }, b_one: { gpu: 4 } }, { cohort: 'c', preemption }),
      b: queueOf({ one: { cpu: 9, mem: 9 }, b_one: { gpu: 0 } }, { cohort: 'c' }),
    }
    const { come } = world({ queues })
    expect(come(['a_0', { mem: 10 }], ['b_0', { gpu: 2 }])).toEqual(['+a_0 two+b_one', '+b_0 one+b_one'])
    expect(come(['a_in', { cpu: 3, mem: 10, gpu: 3 }, 1])).toEqual(['-b_0', '-a_0', '+a_in two+b_one'])
  })

  it('are preempted of those in the chosen flavor alone, lower priorities in others are left (TestPreemption: "only preempt workloads using the chosen flavor")', () => {
    const preemption = { withinClusterQueue: 'LowerPriority' } as const
    const quota = queueOf({ one: { cpu: 6 }, b_one: { gpu: 3 }, b_two: { gpu: 3 } }, { preemption })
    const { come, master } = world({ queues: { a: { ...quota, resourceGroups: [['cpu'], ['gpu']] } } })
    expect(come(['a_low', { gpu: 2 }, -1], ['a_mid', { gpu: 3 }], ['a_high', { cpu: 1 }, 1])).toEqual(['+a_high one+b_one', '+a_mid one+b_one', '+a_low one+b_two'])
    const ids = (placed: readonly { readonly job: string }[]) => placed.map((each) => each.job)
    // no more than 2 of flavor b_two may be had without anybody of b_one: its workload chooses nodes of b_two
    const stage = { name: 's', tasks: 1, demand: { cpu: 1, gpu: 2 }, duration: 1, constraints: { require: { b_type: 'two' } } }
    master.submit({ id: 'in', queue: 'a', priority: 1, stages: [stage] }, 9)
    const { start, kill } = master.pass(9)
    expect([ids(kill), ids(start)]).toEqual([['a_low'], ['in']])
    const other = { ...stage, constraints: { require: { b_type: 'one' } } }
    master.submit({ id: 'in2', queue: 'a', priority: 1, stages: [other] }, 10)
    expect(ids(master.pass(10).kill)).toEqual(['a_mid'])
  })

  it('are preempted of those that have some in the same flavor, whatever they have of other groups', () => {
    const preemption = { withinClusterQueue: 'LowerPriority' } as const
    const { come } = world({ queues: { a: queueOf({ one: { cpu: 9, mem: 9 }, b_one: { gpu: 1 }, b_two: { gpu: 1 } }, { preemption, flavorFungibility: { whenCanPreempt: 'MayStopSearch' } }) } })
    expect(come(['a_0', { cpu: 1, gpu: 1 }], ['a_1', { cpu: 1, gpu: 1 }], ['a_2', { cpu: 1 }])).toEqual(['+a_0 one+b_one', '+a_1 one+b_two', '+a_2 one+b_one'])
    expect(come(['a_in', { cpu: 1, gpu: 1 }, 1])).toEqual(['-a_0', '+a_in one+b_one'])
  })

  it('are of nodes that have all the flavors: others are passed over, and where there are none the job is refused', () => {
    const nodes = [{ name: 'x', count: 1, resources: { cpu: 9, gpu: 9 }, labels: { type: 'one', b_type: 'two' } }, { name: 'y', count: 1, resources: { cpu: 9, gpu: 9 }, labels: { type: 'two', b_type: 'one' } }]
    const start = (quotas: Quotas) => {
      const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ flavors: FLAVORS, queues: { a: { nominalQuota: quotas, resourceGroups: [['cpu'], ['gpu']] } } }) })
      master.submit(job({ id: 'in', queue: 'a', demand: { cpu: 1, gpu: 1 } }), 0)
      return master.pass(0).start.map(({ node }) => node)
    }
    expect(start({ one: { cpu: 9 }, two: { cpu: 9 }, b_one: { gpu: 9 } })).toEqual(['y-0'])
    expect(() => start({ one: { cpu: 9 }, b_one: { gpu: 9 } })).toThrow('queue a: no nodes of flavor one with b_one could hold a task')
  })

  it('are remembered by flavor', () => {
    const all = { all: 'yes' }
    const options = { flavors: { one: all, two: all, b_one: all, b_two: all }, queues: { a: queueOf({ one: { cpu: 2 }, two: { cpu: 2 }, b_one: { gpu: 1 }, b_two: { gpu: 1 } }) } }
    const cluster = instantCluster({ nodes: [{ count: 1, name: 'n', resources: { cpu: 9, mem: 9, gpu: 9 }, labels: all }] })
    const specs = [job({ id: '0', queue: 'a', demand: { cpu: 2, gpu: 1 } }), job({ id: '1', queue: 'a', demand: { cpu: 1, gpu: 1 } })]
    const more = ['2', '3'].map((id) => job({ id, queue: 'a', demand: { cpu: 1 } }))
    const next = (remembers: boolean) => {
      const [before, after] = [1, 2].map(() => dispatcher({ cluster, policy: kueue(options) })) as [ReturnType<typeof dispatcher>, ReturnType<typeof dispatcher>]
      for (const spec of specs) before.submit(spec, 0)
      const running = before.pass(0).start
      for (const spec of specs) after.submit(spec, 0)
      for (const placed of running) after.adopt(placed, 0)
      if (remembers) after.recall(JSON.parse(JSON.stringify(before.memory())) as ReturnType<typeof before.memory>)
      for (const spec of more) after.submit(spec, 1)
      return after.pass(1).start.map((each) => each.job)
    }
    // of flavor two, in which 1 is, a CPU is left; taken over by its node alone 1 would be in flavor one
    expect([next(true), next(false)]).toEqual([['2'], ['2', '3']])
  })

  it.each<[string, KueueOptions, RegExp]>([
    ['a resource that is not there', { queues: { a: { ...queueOf({ one: { cpu: 1 } }), resourceGroups: [['cpu'], ['gup']] } } }, /queues\.a\.resourceGroups.*the cluster has no resource "gup".*gpu/s],
    ['a resource in two groups', { queues: { a: { ...queueOf({ one: { cpu: 1 } }), resourceGroups: [['cpu'], ['mem', 'cpu']] } } }, /resource "cpu" is in two groups/],
    ['a group without a flavor', { queues: { a: queueOf({ one: { cpu: 1 } }) } }, /no flavor has a nominal quota of gpu/],
  ])('refuse %s', (_, options, message) => {
    expect(() => world(options)).toThrow(message)
  })

  it('change nothing where all flavors have all nodes and each group has one', { tags: 'long' }, () => {
    const load = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }), fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 2 })).filter(([cpu, gpu]) => cpu + gpu > 0)
    const quota = fc.tuple(fc.integer({ min: 4, max: 8 }), fc.integer({ min: 4, max: 8 }))
    const rules = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } as const
    fc.assert(
      fc.property(quota, quota, fc.boolean(), fc.array(load, { minLength: 4, maxLength: 14 }), (ofA, ofB, fairSharing, loads) => {
        const run = (options: KueueOptions) => {
          const nodes = [{ count: 1, resources: { cpu: 1000, gpu: 1000 }, labels: { all: 'yes' } }]
          const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ fairSharing, ...options }) })
          return loads.map(([cpu, gpu, queue, priority], i) => {
            const spec: JobSpec = job({ id: `${i}`, queue, priority, demand: { ...(cpu > 0 && { cpu }), ...(gpu > 0 && { gpu }) } })
            master.submit(spec, i)
            const { start, kill } = master.pass(i)
            return [start.map((each) => each.job), kill.map((each) => each.job)]
          })
        }
        const shared = { cohort: 'c', preemption: rules }
        const whole = ([cpu, gpu]: readonly [number, number]) => ({ ...shared, nominalQuota: { cpu, gpu } })
        const divided = ([cpu, gpu]: readonly [number, number]) => ({ ...shared, nominalQuota: { x: { cpu }, y: { gpu } }, resourceGroups: [['cpu'], ['gpu']] })
        const flavors = { x: { all: 'yes' }, y: { all: 'yes' } }
        expect(run({ flavors, queues: { a: divided(ofA), b: divided(ofB) } })).toEqual(run({ queues: { a: whole(ofA), b: whole(ofB) } }))
      }),
      { seed: 7, numRuns: 150 },
    )
  })
})

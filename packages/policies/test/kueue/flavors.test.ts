import { dispatcher } from '@sched/cluster'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { flavored, type Load } from './world.js'

// Cases of Kueue's own tests (TestAssignFlavors, TestReclaimBeforePriorityPreemption, TestSchedule, TestFairPreemptions), in numbers of ours.

describe('flavors', () => {
  const nodes = { nodes: [{ count: 1, resources: { cpu: 4 }, labels: { type: 'spot' } }, { count: 1, resources: { cpu: 4 }, labels: { type: 'reserved' } }] }
  const start = (options: KueueOptions, sizes: readonly number[]) => {
    const master = dispatcher({ cluster: instantCluster(nodes), policy: kueue({ flavors: { reserved: { type: 'reserved' }, spot: { type: 'spot' } }, ...options }) })
    for (const [i, cpu] of sizes.entries()) master.submit(job({ id: `${i}`, queue: 'a', demand: { cpu } }), i)
    return master.pass(9).start.map(({ job: id, node }) => `${id} on ${node.startsWith('node0') ? 'spot' : 'reserved'}`)
  }

  it('are tried in the order of the queue, each with its own nodes and quota', () => {
    expect(start({ queues: { a: { nominalQuota: { reserved: { cpu: 2 }, spot: { cpu: 4 } } } } }, [2, 2, 2])).toEqual(['0 on reserved', '1 on spot', '2 on spot'])
    expect(start({ queues: { a: { nominalQuota: { spot: { cpu: 2 }, reserved: { cpu: 4 } } } } }, [2, 2, 2])).toEqual(['0 on spot', '1 on reserved', '2 on reserved'])
    expect(start({ queues: { a: { nominalQuota: { spot: { cpu: 2 } } } } }, [2, 2])).toEqual(['0 on spot'])
  })

  it('that a queue does not name are not its own, to use or to lend', () => {
    const queues = { a: { cohort: 'c', nominalQuota: { spot: { cpu: 0 } } }, b: { cohort: 'c', nominalQuota: { reserved: { cpu: 4 } } }, c: { cohort: 'c', nominalQuota: { spot: { cpu: 2 } } } }
    expect(start({ queues }, [1, 1, 1])).toEqual(['0 on spot', '1 on spot'])
  })

  it('on whose nodes a workload could never be are passed over; where no other is left it is refused', () => {
    const quota = { nominalQuota: { reserved: { cpu: 9 }, big: { cpu: 9 } } }
    const sizes = { nodes: [{ count: 2, resources: { cpu: 4 }, labels: { type: 'reserved' } }, { count: 1, resources: { cpu: 6 }, labels: { type: 'big' } }] }
    const master = dispatcher({ cluster: instantCluster(sizes), policy: kueue({ flavors: { reserved: { type: 'reserved' }, big: { type: 'big' } }, queues: { a: quota, b: { nominalQuota: { reserved: { cpu: 9 } } } } }) })
    const gang = (queue: string, id: string, tasks: number, cpu: number) => job({ id, queue, tasks, gang: true, demand: { cpu } })
    master.submit(gang('a', 'wide', 3, 2), 0) // six CPUs in twos are on both: the first is taken
    master.submit(gang('a', 'tall', 1, 5), 0)
    expect(master.pass(0).start.map((each) => `${each.job} ${each.node}`)).toEqual(['wide node0-0', 'wide node0-0', 'wide node0-1', 'tall node1-0'])
    expect(() => master.submit(gang('b', 'huge', 1, 5), 1)).toThrow(/queue b: no nodes of flavor reserved could hold a task/)
    expect(() => master.submit(gang('b', 'three', 3, 3), 1)).toThrow(/queue b: no nodes of flavor reserved could hold its gang/)
  })

  describe('of nodes with taints', () => {
    const spot = { key: 'instance', value: 'spot', effect: 'NoSchedule' as const }
    const two = { nodes: [{ name: 'tainted', count: 1, resources: { cpu: 8 }, labels: { type: 'tainted' }, taints: [spot] }, { name: 'two', count: 1, resources: { cpu: 8 }, labels: { type: 'two' } }] }
    const tolerations = [{ key: 'instance', operator: 'Equal' as const, value: 'spot', effect: 'NoSchedule' as const }]
    const stage = { name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, gang: true }
    const world = (flavors: readonly string[]) => {
      const nominalQuota = Object.fromEntries(flavors.map((name) => [name, { cpu: 4 }]))
      return dispatcher({ cluster: instantCluster(two), policy: kueue({ flavors: Object.fromEntries(flavors.map((name) => [name, { type: name }])), queues: { a: { nominalQuota } } }) })
    }

    it.each([
      ['single flavor, fits tainted flavor', ['tainted'], true, 'tainted-0'], ['single flavor, fits tainted flavor with toleration of another', ['tainted', 'two'], true, 'tainted-0'],
      ['multiple flavors, tainted one passed over', ['tainted', 'two'], false, 'two-0'],
    ])('are for those that tolerate them: %s', (_, flavors, tolerates, node) => {
      const master = world(flavors)
      master.submit({ id: 'j', queue: 'a', stages: [{ ...stage, ...(tolerates && { constraints: { tolerations } }) }] }, 0)
      expect(master.pass(0).start.map((each) => each.node)).toEqual([node])
    })

    it('are of a job that is one gang for those of its stages that tolerate them', () => {
      const parts = (constraints?: { tolerations: typeof tolerations }) => [{ ...stage, constraints: { tolerations } }, { ...stage, name: 't', demand: { cpu: 2 }, ...(constraints && { constraints }) }]
      const master = world(['tainted', 'two'])
      master.submit({ id: 'some', queue: 'a', gang: true, stages: parts() }, 0)
      expect(master.pass(0).start.map((each) => each.node)).toEqual(['tainted-0', 'two-0'])
      master.submit({ id: 'all', queue: 'a', gang: true, stages: parts({ tolerations }) }, 0)
      expect(master.pass(0).start.map((each) => each.node)).toEqual(['tainted-0', 'tainted-0'])
    })

    it('refuse those that do not tolerate the only ones', () => {
      expect(() => world(['tainted']).submit({ id: 'j', queue: 'a', stages: [stage] }, 0)).toThrow(/queue a: no nodes of flavor tainted could hold a task/)
    })
  })

  it('are held to what nodes can ever have, in slots that come and in whole devices', () => {
    const pools = { one: { pool: 'one' }, two: { pool: 'two' } }
    const nodesOf = (flavor: keyof typeof pools, count: number, more: object) => ({ count, labels: pools[flavor], ...more })
    // 4 tasks need 4 of the 6 slots that 2 nodes may have, of which each begins with 1 and gets another every 5 s
    const slots = { slots: { slot: 3 }, hardware: { cores: 4 } }
    const { recorder } = run({
      cluster: { nodes: [nodesOf('one', 2, slots), nodesOf('two', 1, slots)], dynamicSlots: { initial: 1, min: 1, interval: 5, below: 0.9, above: 2 } },
      policy: kueue({ flavors: pools, defaults: { nominalQuota: { one: { slot: 6 } } } }),
      jobs: [job({ id: 'gang', tasks: 4, gang: true, demand: { slot: 1 } })],
      until: 100,
    })
    expect(recorder.events.flatMap((each) => (each.kind === 'launch' ? [each.time] : []))).toEqual([5, 5, 5, 5])
    // 3 tasks of 650, together less than 2 devices, need 3 devices of 1000, of which a node of one has 2 and a node of two 3
    const devices = { nodes: [nodesOf('one', 1, { devices: { gpu: 2 } }), nodesOf('two', 1, { devices: { gpu: 3 } })] }
    const master = dispatcher({ cluster: instantCluster(devices), policy: kueue({ flavors: pools, defaults: { nominalQuota: { one: { gpu: 9000 }, two: { gpu: 9000 } } } }) })
    master.submit(job({ id: 'gang', tasks: 3, gang: true, demand: { gpu: 650 } }), 0)
    expect(master.pass(0).start.map(({ node }) => node)).toEqual(['node1-0', 'node1-0', 'node1-0'])
  })

  it('are borrowed at once, or only if no other has room (whenCanBorrow)', () => {
    const queues = (whenCanBorrow: 'Borrow' | 'TryNextFlavor') => ({
      a: { cohort: 'c', nominalQuota: { reserved: { cpu: 0 }, spot: { cpu: 2 } }, flavorFungibility: { whenCanBorrow } },
      b: { cohort: 'c', nominalQuota: { reserved: { cpu: 4 } } },
    })
    expect(start({ queues: queues('Borrow') }, [2, 2, 2])).toEqual(['0 on reserved', '1 on reserved', '2 on spot'])
    expect(start({ queues: queues('TryNextFlavor') }, [2, 2, 2])).toEqual(['0 on spot', '1 on reserved', '2 on reserved'])
  })

  it('are preempted in only if no other has room, unless whenCanPreempt says so', () => {
    const preempting = (whenCanPreempt: 'Preempt' | 'TryNextFlavor') => {
      const queues = { a: { nominalQuota: { reserved: { cpu: 2 }, spot: { cpu: 2 } }, preemption: { withinClusterQueue: 'LowerPriority' as const }, flavorFungibility: { whenCanPreempt } } }
      const master = dispatcher({ cluster: instantCluster(nodes), policy: kueue({ flavors: { reserved: { type: 'reserved' }, spot: { type: 'spot' } }, queues }) })
      master.submit(job({ id: 'low', queue: 'a', demand: { cpu: 2 } }), 0)
      master.pass(0)
      master.submit(job({ id: 'high', queue: 'a', priority: 1, demand: { cpu: 2 } }), 1)
      return master.pass(1).kill.map((each) => each.job)
    }
    expect(preempting('TryNextFlavor')).toEqual([])
    expect(preempting('Preempt')).toEqual(['low'])
  })
})

describe('the choice of a flavor', () => {
  type Queues = NonNullable<KueueOptions['queues']>
  const of = (one: number, two: number, more: object = {}) => ({ cohort: 'all', nominalQuota: { one: { cpu: one }, two: { cpu: two } }, ...more }) as Queues[string]
  const lower = { withinClusterQueue: 'LowerPriority' } as const
  const stop = { whenCanBorrow: 'MayStopSearch', whenCanPreempt: 'MayStopSearch' } as const
  /** What the last one comes to, after the others. */
  const last = (options: KueueOptions, ...loads: readonly Load[]) => {
    const { come } = flavored(['one', 'two'], options)
    return loads.map((load) => come(load)).at(-1)
  }

  it('goes on where there is nobody to preempt, though the search may stop', () => {
    // b uses 2 of one, which are its own
    const preemption = { reclaimWithinCohort: 'LowerPriority', borrowWithinCohort: { policy: 'LowerPriority' } }
    const queues = { a: of(0, 0, { borrowingLimit: { one: { cpu: 2 }, two: { cpu: 2 } }, preemption, flavorFungibility: stop }), b: of(2, 2) }
    expect(last({ queues }, ['b_1', 2], ['a_in', 2])).toEqual(['+a_in@two'])
    const fair = { a: of(0, 12, { preemption: { reclaimWithinCohort: 'Any' }, flavorFungibility: stop }), b: of(12, 0) }
    expect(last({ queues: fair, fairSharing: true }, ['b_1', 10], ['a_in', 12])).toEqual(['+a_in@two'])
  })

  it('is one where others give back rather than one where its own queue does, unless the search stops before', () => {
    const queues = (rules: object) => ({ a: of(2, 2, { preemption: { ...lower, reclaimWithinCohort: 'Any' }, flavorFungibility: rules }), b: of(0, 0) })
    const loads: Load[] = [['a_low', 2, -1], ['b_1', 2], ['a_in', 2]]
    expect(last({ queues: queues({}) }, ...loads)).toEqual(['-b_1', '+a_in@two'])
    expect(last({ queues: queues(stop) }, ...loads)).toEqual(['-a_low', '+a_in@one'])
  })

  it('is one where it borrows rather than one where it preempts, or the other way (preference)', () => {
    const queues = (rules: object) => ({ a: of(2, 0, { preemption: lower, flavorFungibility: { whenCanBorrow: 'TryNextFlavor', ...rules } }), b: of(0, 4) })
    const loads: Load[] = [['a_low', 2, -1], ['a_in', 2]]
    expect(last({ queues: queues({}) }, ...loads)).toEqual(['+a_in@two'])
    expect(last({ queues: queues({ preference: 'PreemptionOverBorrowing' }) }, ...loads)).toEqual(['-a_low', '+a_in@one'])
    expect(last({ queues: queues({ preference: 'PreemptionOverBorrowing', whenCanBorrow: 'MayStopSearch' }) }, ...loads)).toEqual(['+a_in@two'])
  })

  it.each<[string, object, readonly [one: number, two: number], readonly string[]]>([
    ['the first, by borrowing', {}, [10, 10], ['+a_in@one']],
    ['the first, if the second could never have room, though the next is tried', { flavorFungibility: { whenCanBorrow: 'TryNextFlavor' } }, [10, 1], ['+a_in@one']],
    ['the second, where it need not borrow', { flavorFungibility: { whenCanBorrow: 'TryNextFlavor' } }, [10, 10], ['+a_in@two']],
  ])('is, of one in use that could be borrowed and one that is free, %s', (_, rules, [one, two], expected) => {
    const queues = { a: of(one, two, { borrowingLimit: { one: { cpu: 1 } }, ...rules }), b: of(1, 0) }
    expect(last({ queues }, ['a_1', 2], ['a_in', 9])).toEqual(expected)
  })

  it('is, of one in use by a lower priority and one that is free, the first only if the search may stop there', () => {
    const queues = (rules: object) => ({ a: { nominalQuota: { one: { cpu: 10 }, two: { cpu: 10 } }, preemption: lower, ...rules } })
    expect(last({ queues: queues({}) }, ['a_low', 2, -1], ['a_in', 9])).toEqual(['+a_in@two'])
    expect(last({ queues: queues({ flavorFungibility: stop }) }, ['a_low', 2, -1], ['a_in', 9])).toEqual(['-a_low', '+a_in@one'])
  })

  it('is one that is lent from nearer', () => {
    const options: KueueOptions = {
      cohorts: { r: { nominalQuota: { one: { cpu: 4 } } }, c: { parent: 'r', nominalQuota: { two: { cpu: 4 } } } },
      queues: { q: of(0, 0, { cohort: 'c', flavorFungibility: { whenCanBorrow: 'TryNextFlavor' } }) },
    }
    expect(last(options, ['q_in', 2])).toEqual(['+q_in@two'])
  })

  // every cohort around q has 4 of another flavor, the innermost of one, the outermost of three
  it.each<[string, Queues[string], readonly Load[], readonly string[]]>([
    ['of the outermost, where those inside are full (Select the top flavor)', {}, [['q_0', 4], ['o_0', 4]], ['+q_in@three']],
    ['of the nearest that has room (Select the first flavor which fits)', {}, [['q_0', 4]], ['+q_in@two']],
    [
      'of another, where its own is full and nobody there to preempt, though preemption comes before borrowing (Select deeper-borrowing flavor ...)',
      { nominalQuota: { one: { cpu: 4 }, two: { cpu: 0 }, three: { cpu: 0 } }, borrowingLimit: { one: { cpu: 0 } }, flavorFungibility: { whenCanBorrow: 'TryNextFlavor', preference: 'PreemptionOverBorrowing' } },
      [['q_0', 4]], ['+q_in@two'],
    ],
  ])('is, as in TestHierarchical, one %s', (_, more, loads, expected) => {
    const cohorts = { three: { nominalQuota: { three: { cpu: 4 } } }, two: { parent: 'three', nominalQuota: { two: { cpu: 4 } } }, one: { parent: 'two', nominalQuota: { one: { cpu: 4 } } } }
    const none = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { cpu: 0 }]))
    const q: Queues[string] = { cohort: 'one', nominalQuota: none('one', 'two', 'three'), preemption: { ...lower, reclaimWithinCohort: 'LowerPriority' }, ...more }
    const { come } = flavored(['one', 'two', 'three'], { cohorts, queues: { q, o: { cohort: 'two', nominalQuota: none('two', 'one', 'three') } } })
    for (const load of loads) come(load)
    expect(come(['q_in', 4])).toEqual(expected)
  })

  describe('with fair sharing', () => {
    // of flavor one a has 3 of its own, of two b 5; a has 2 of one and all of two, b 1 of one
    const one = (id: string): Load => [id, 1]
    const options = (preemption: object): KueueOptions => ({ fairSharing: true, queues: { a: of(3, 0, { preemption }), b: of(0, 5, { flavorFungibility: { whenCanBorrow: 'MayStopSearch' } }) } })
    const held = [...['a_1', 'a_2', 'b_1'].map(one), ...['a_3', 'a_4', 'a_5', 'a_6', 'a_7'].map(one)]

    it('a queue within its quota of the flavor preempts, whatever it borrows of others', () => {
      expect(last(options({ reclaimWithinCohort: 'Any' }), ...held, one('a_in'))).toEqual(['-b_1', '+a_in@one'])
    })
    it('a queue within its quota of the flavor comes first, whatever it borrows of others', () => {
      const { come, end } = flavored(['one', 'two'], options({}))
      for (const load of held) come(load)
      come(one('b_2'), one('a_8'))
      expect(end('a_1')).toEqual(['+a_8@one'])
      expect(end('a_2')).toEqual(['+b_2@one'])
    })
  })
})

import { dispatcher, type Dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import type { NodeId, SchedError } from '@sched/core'
import { cluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Situations of Hadoop 3's tests of the capacity scheduler, named at each, with numbers of our own.

type Queues = NonNullable<CapacitySchedulerOptions['queues']>
const standing = (sizes: readonly Record<string, number>[], queues: Queues, options: CapacitySchedulerOptions = {}) =>
  dispatcher({
    cluster: cluster({ nodes: sizes.map((resources, i) => ({ name: `n${i}`, count: 1, resources })), heartbeat: { interval: 1 } }),
    policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 999, maximumContainerAssignments: -1, ...options }),
  })
const asking = (id: string, queue: string, tasks: number, mem: number, change: JobChange = {}) => job({ id, queue, user: id, tasks, demand: { mem }, ...change })
/** How many tasks of each job start at one heartbeat of a node. */
const beat = (master: Dispatcher, node: number, now: number) => {
  const counts: Record<string, number> = {}
  for (const { job: id } of master.heartbeat(`n${node}-0`, now).start) counts[id] = (counts[id] ?? 0) + 1
  return counts
}
const setUp = (master: Dispatcher, node: number, isUp: boolean) => {
  master.cell.setUp(node as never, isUp)
  master.policy.onNode?.(node as never, isUp)
}

describe('the capacity scheduler', () => {
  it('scales amounts down while the cluster is smaller than they are together (testEffectiveResourceAfterReducingClusterResource)', () => {
    // 60, 30 and 30 of 200; of 100 that are left they are 50, 25 and 25
    const started = (isUp: boolean) => {
      const queue = (mem: number) => ({ capacity: { mem }, elastic: false })
      const master = standing([{ mem: 100 }, { mem: 100 }], { a: queue(60), b: queue(30), c: queue(30) })
      setUp(master, 1, isUp)
      for (const each of ['a', 'b', 'c']) master.submit(asking(each, each, 200, 1))
      return [beat(master, 0, 0), isUp ? beat(master, 1, 1) : {}].map((counts) => ['a', 'b', 'c'].map((each) => counts[each] ?? 0)).reduce((x, y) => x.map((each, i) => each + (y[i] ?? 0)))
    }
    expect([started(true), started(false)]).toEqual([[60, 30, 30], [50, 25, 25]])
  })

  it('starts one task off the rack at a heartbeat, or as many as it may (testAssignMultipleOffswitchContainers)', () => {
    const counts = (options: CapacitySchedulerOptions) => {
      const master = standing([{ mem: 80 }], { a: { capacity: 100 } }, { maximumOffswitchAssignments: 1, ...options })
      master.submit(asking('a', 'a', 9, 1))
      return beat(master, 0, 0)['a']
    }
    expect([counts({}), counts({ maximumOffswitchAssignments: 3 })]).toEqual([1, 3])
  })

  it('serves two users in turn within one heartbeat (testUserLimitAllocationMultipleContainers)', () => {
    const master = standing([{ mem: 1000 }], { a: { capacity: 30 }, c: { capacity: 70 } }, { defaults: { minimumUserLimitPercent: 50 } })
    master.submit(asking('ann', 'c', 900, 4))
    master.submit(asking('bob', 'c', 900, 4))
    expect(beat(master, 0, 0)).toEqual({ ann: 125, bob: 125 }) // with their queue alone it grows to the whole cluster
  })

  it('serves the job that was first, or the one that has less (TestLeafQueue.testFairAssignment)', () => {
    const order = (ordering: 'fifo' | 'fair') => {
      const master = standing([{ mem: 16 }], { a: { capacity: 100, ordering } }, { maximumOffswitchAssignments: 1 })
      const who = (now: number) => Object.keys(beat(master, 0, now)).join()
      const early = (id: string, tasks: number, mem: number) => master.submit(asking(id, 'a', tasks, mem))
      early('x', 1, 4)
      early('y', 3, 1)
      const first = [who(0), who(1), who(2)] // y has 2
      master.submit({ ...asking('z', 'a', 2, 1) })
      return [...first, who(3), who(4), who(5)].join(' ')
    }
    expect([order('fifo'), order('fair')]).toEqual(['x y y y z z', 'x y y z z y'])
  })

  it('starts a job whose data is here before an earlier one that waits for its own nodes (TestLeafQueue.testLocalityDelaySkipsApplication)', () => {
    const at = (nodeLocalityDelay: number) => {
      const master = standing([{ mem: 8 }, { mem: 8 }, { mem: 8 }], { a: { capacity: 100 } }, { nodeLocalityDelay, rackLocalityAdditionalDelay: 9, maximumOffswitchAssignments: 1 })
      const near = (id: string, ...nodes: number[]) => {
        const [stage] = asking(id, 'a', nodes.length, 1).stages
        master.submit({ id, submit: 0, queue: 'a', user: 'ann', stages: [{ ...stage!, data: { hosts: nodes.map((node) => [`n${node}-0`]) } }] })
      }
      near('first', 0, 1)
      near('second', 2)
      return [2, 0, 1].map((node, i) => beat(master, node, i))
    }
    expect(at(3)).toEqual([{ second: 1 }, { first: 1 }, { first: 1 }])
    expect(at(-1)[0]).toEqual({ first: 2, second: 1 })
  })

  it('lets each user have one task more than the limit, job by job, and the rest where the limit is larger (TestLeafQueue.testGetTotalPendingResourcesConsideringUserLimitTwoUsers)', () => {
    const starts = (userLimitFactor: number) => {
      const master = standing([{ mem: 300 }], { e: { capacity: 1, userLimitFactor }, other: { capacity: 99 } }, { maximumOffswitchAssignments: 1 })
      for (const [id, user, tasks] of [['a0', 'ann', 1], ['a1', 'ann', 2], ['b0', 'bob', 2], ['b1', 'bob', 1]] as const) master.submit(asking(id, 'e', tasks, 3, { user }))
      return [0, 1, 2, 3, 4, 5].map((now) => Object.keys(beat(master, 0, now)).join() || '-').join(' ')
    }
    expect([starts(1), starts(10)]).toEqual(['a0 a1 b0 b0 - -', 'a0 a1 a1 b0 b0 b1'])
  })

  it('serves queues below their part by priority, and those above it when all have it (testQueuePriorityOrdering)', () => {
    // of 100 a, b and c have 10, 20 and 70, and a at most 20; each holds 2 and asks 10 times 5
    const queues = { root: { queueOrdering: 'priority-utilization' }, a: { capacity: 10, maximumCapacity: 20, priority: 3 }, b: { capacity: 20, priority: 2 }, c: { capacity: 70, priority: 1 } } as const
    const master = standing([{ mem: 100 }], queues)
    for (const queue of ['a', 'b', 'c']) master.submit(asking(`first ${queue}`, queue, 1, 2))
    expect(beat(master, 0, 0)).toEqual({ 'first a': 1, 'first b': 1, 'first c': 1 })
    for (const queue of ['a', 'b', 'c']) master.submit(asking(queue, queue, 10, 5))
    expect(master.heartbeat('n0-0', 1).start.map((task) => task.job).join('')).toBe('aabbbbccccccccccab') // 12, 22 and 52; then 17 and 27, and 4 left
  })

  it('orders queues as the queue around theirs does, unless theirs says otherwise (getQueueOrderingPolicy)', () => {
    // b has less of its part and c a higher priority; both are below their parts
    const order = (group: object) => {
      const master = standing([{ mem: 100 }], { root: { queueOrdering: 'priority-utilization' }, g: { capacity: 100, ...group }, 'g.b': { capacity: 50 }, 'g.c': { capacity: 50, priority: 5 } })
      master.submit(asking('first', 'g.c', 1, 20))
      expect(beat(master, 0, 0)).toEqual({ first: 1 })
      for (const queue of ['b', 'c']) master.submit(asking(queue, `g.${queue}`, 3, 10))
      return master.heartbeat('n0-0', 1).start.map((task) => task.job).join('')
    }
    expect([order({}), order({ queueOrdering: 'utilization' })]).toEqual(['cccbbb', 'bbbccc'])
  })

  it('serves the queue with the smaller part of its capacity, task by task (testSingleLevelQueues)', () => {
    // 6 and 14 GB of 20: b has 1; then a 2/6 against 1/14, b until it has 8/14, a 3/6 and 4/6, and b with 9/14 against that
    const master = standing([{ mem: 20 }], { a: { capacity: 30 }, b: { capacity: 70 } })
    master.submit(asking('b0', 'b', 1, 1))
    expect(beat(master, 0, 0)).toEqual({ b0: 1 })
    for (const [i, mem] of [2, 1, 1].entries()) master.submit(asking(`a${i}`, 'a', 1, mem))
    for (const [i, mem] of [1, 2, 4, 1].entries()) master.submit(asking(`b${i + 1}`, 'b', 1, mem))
    expect(master.heartbeat('n0-0', 1).start.map((task) => task.job).join(' ')).toBe('a0 b1 b2 b3 a1 a2 b4')
  })

  it('takes percentages that sum to 100 but for a rounding (testSingleLevelQueuesPrecision)', () => {
    const of = (capacity: number) => standing([{ mem: 10 }], { a: { capacity: 30 }, b: { capacity } })
    expect(() => of(70.5)).toThrow(/sum to 100.5/)
    for (const capacity of [70, 70.005]) expect(() => of(capacity)).not.toThrow()
  })

  it('lets a user start a second task in a part too small to be told from nothing (testDRFUsageRatioRounding)', () => {
    const queues = { b: { capacity: 0.001, maximumApplications: 2, minimumUserLimitPercent: 50, userLimitFactor: 1e6 }, other: { capacity: 99.999 } }
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1000, resources: { mem: 80_000, cpu: 100 } }] }), policy: capacityScheduler({ queues, resourceCalculator: 'dominant', minimumAllocation: { mem: 1000 } }) })
    const started = [20_000, 10_000].map((mem, i) => {
      master.submit(job({ id: `j${i}`, user: 'ann', queue: 'b', tasks: 1, demand: { mem, cpu: 29 } }))
      return master.heartbeat('n-0', i).start.map((task) => task.job)
    })
    expect(started).toEqual([['j0'], ['j1']])
  })

  it('divides a parent anew for every queue made in it, at any depth (testAutoCreateQueueWithSiblingsUnderRoot and the like)', () => {
    const one = { capacity: '1w' } as const
    const master = standing([{ mem: 600 }], { root: { autoCreate: true }, a: { ...one, autoCreate: true }, 'a.a': one, b: one })
    const queues = ['a.a', 'b', 'c', 'd', 'a.b', 'e.a']
    for (const queue of queues) master.submit(asking(queue, `root.${queue}`, 600, 1))
    expect(beat(master, 0, 0)).toEqual({ 'a.a': 60, 'a.b': 60, b: 120, c: 120, d: 120, 'e.a': 120 })
  })

  it('serves the parent, and the queue in it, with the least part, and none above its maximum (testMultiLevelQueues)', () => {
    const order = (maximumCapacity: number) => {
      const master = standing([{ mem: 60 }], { a: { capacity: 10, maximumCapacity }, 'a.x': { capacity: 50 }, 'a.y': { capacity: 50 }, b: { capacity: 60 }, 'b.x': { capacity: 25 }, 'b.y': { capacity: 75 }, c: { capacity: 30 } })
      for (const [queue, mem] of [['a.x', 4], ['a.y', 4], ['b.x', 6], ['b.y', 6], ['c', 9]] as const) master.submit(asking(queue, queue, 1, mem))
      return master.heartbeat('n0-0', 0).start.map((each) => each.job).join(' ')
    }
    // guaranteed 6, 36 and 18: b first, which is largest, then c, a; then b has 6/36, a 4/6, c nobody who waits
    expect([order(100), order(10)]).toEqual(['b.y c a.x b.x a.y', 'b.y c a.x b.x'])
  })

  it('keeps a node for the second task of a job whose first started elsewhere, until there is room (TestLeafQueue.testStolenReservedContainer)', () => {
    const master = standing([{ mem: 4 }, { mem: 4 }, { mem: 4 }], { a: { capacity: 100 } })
    master.submit(asking('small', 'a', 1, 2))
    const [small] = master.heartbeat('n0-0', 0).start
    master.submit(asking('large', 'a', 2, 4))
    expect([beat(master, 0, 1), beat(master, 1, 2)]).toEqual([{}, { large: 1 }])
    master.submit(asking('late', 'a', 1, 2))
    expect(beat(master, 0, 3)).toEqual({})
    master.taskEnded(small!, 4)
    expect(beat(master, 0, 5)).toEqual({ large: 1 })
  })

  it('lets a user above its limit by what it has reserved start elsewhere in its place (TestReservations.testAssignToUser)', () => {
    // ann may have 12 of 16: 8 are in use, and 5 more reserved on n0
    const master = standing([{ mem: 8 }, { mem: 8 }], { a: { capacity: 100, userLimitFactor: 0.75 } })
    const ann = { user: 'ann' }
    master.submit(asking('x', 'a', 1, 5, ann))
    beat(master, 0, 0)
    master.submit(asking('y', 'a', 1, 3, ann))
    beat(master, 1, 1)
    master.submit(asking('big', 'a', 1, 5, ann))
    expect([beat(master, 0, 2), beat(master, 1, 3)]).toEqual([{}, { big: 1 }])
  })

  it('takes a name that one queue has for its path, and none that two have (TestCapacitySchedulerAmbiguousLeafs)', () => {
    const master = standing([{ mem: 9 }], { a: { capacity: 40 }, 'a.x': { capacity: 100 }, b: { capacity: 60 }, 'b.x': { capacity: 50 }, 'b.y': { capacity: 50 } })
    const refusal = (queue: string) => {
      try {
        master.submit(asking(queue, queue, 1, 1))
        return undefined
      } catch (error) {
        return (error as SchedError).fact
      }
    }
    expect(['x', 'y', 'root.a.x', 'a'].map(refusal)).toEqual(['job x: queue "x" is not unique; give its whole path.', undefined, undefined, 'job a: queue root.a has queues inside it.'])
  })

  it('keeps no node that goes away: the job reserves another (testReservedContainerMetricsOnDecommisionedNode)', () => {
    // large asks all of a node and has reserved n0, which is drained at 1.5 s for good; on n1 four small jobs run, of which one ends every 5 s, and others wait. All of n2's cores are taken
    const one = (id: string, submit: number, mem: number, duration: number) => job({ id, queue: 'a', submit, priority: id === 'large' ? 1 : 0, demand: { mem, cpu: 1 }, duration })
    const small = Array.from({ length: 40 }, (_, i) => (i < 4 ? one(`small${i}`, 0, 2, 5 * i + 5) : one(`small${i}`, 3, 2, 20)))
    const { recorder } = run({
      cluster: cluster({ nodes: [{ name: 'n2', count: 1, resources: { mem: 100, cpu: 1 } }, { name: 'n', count: 2, resources: { mem: 8, cpu: 8 } }], heartbeat: { interval: 1, stagger: false } }),
      jobs: [one('other', 0, 1, 1000), one('first', 0, 7, 1000), one('large', 1, 8, 1), ...small], until: 150,
      policy: capacityScheduler({ queues: { a: { capacity: 100, ordering: 'priority' } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 9 }), outages: [{ node: 1 as NodeId, from: 1.5, to: 1000, drain: true }],
    })
    expect(recorder.launches.filter((each) => each.job === 'large').map(({ node, time }) => [node, time])).toEqual([['n-1', 20]])
  })

  it('reserves no node without any of what is asked, with all resources (testAppReservationWithDominantResourceCalculator)', () => {
    const master = standing([{ mem: 10, cpu: 1 }, { mem: 10, cpu: 4 }], { a: { capacity: 100 } }, { resourceCalculator: 'dominant' })
    const one = (id: string) => job({ id, queue: 'a', demand: { mem: 1, cpu: 1 } })
    master.submit(one('first'))
    expect(beat(master, 0, 0)).toEqual({ first: 1 })
    master.submit(one('second'))
    expect([beat(master, 0, 1), beat(master, 1, 2)]).toEqual([{}, { second: 1 }])
    master.submit(job({ id: 'memory', queue: 'a', demand: { mem: 9, cpu: 0 } }))
    expect(beat(master, 0, 3)).toEqual({ memory: 1 }) // nobody has reserved it
  })

  it('gives a reservation up for a node with room where nobody has anything of one resource (testUnreserveWhenClusterResourceHasEmptyResourceType)', () => {
    const none = { mem: 8, gpu: 0 }
    const master = standing([none, none], { a: { capacity: 50, maximumCapacity: 75 }, b: { capacity: 50 } }, { resourceCalculator: 'dominant' })
    master.submit(job({ id: 'b', queue: 'b', demand: { mem: 2 } }))
    expect(beat(master, 0, 0)).toEqual({ b: 1 })
    master.submit(asking('a', 'a', 1, 7))
    expect([beat(master, 0, 1), beat(master, 1, 2)]).toEqual([{}, { a: 1 }])
  })
})

describe('preemption for what waits', () => {
  const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
  /** A has all of 40, then B wants more than its half: tasks of A that are killed. */
  const killed = (late: CapacitySchedulerOptions['defaults'], jobs: readonly ReturnType<typeof asking>[]) => {
    const master = standing([{ mem: 40 }], { a: { capacity: 50 }, b: { capacity: 50, ...late } }, { preemption: eager })
    master.submit(asking('a', 'a', 40, 1), 0)
    beat(master, 0, 0)
    for (const each of jobs) master.submit(each, 1)
    return [3, 6].map((now) => master.heartbeat('n0-0', now).kill.length)
  }

  it('takes no more than their users may have (testPreemptionConsidersUserLimit, testPendingResourcesConsideringUserLimit)', () => {
    expect(killed({}, [asking('ann', 'b', 30, 1)])).toEqual([0, 20])
    expect(killed({ userLimitFactor: 0.25 }, [asking('ann', 'b', 30, 1)])).toEqual([0, 5])
    expect(killed({ userLimitFactor: 0.25 }, [asking('ann', 'b', 30, 1), asking('bob', 'b', 3, 1)])).toEqual([0, 8])
  })

  it('takes one task for a node that is reserved, where the rest is in pieces (testPreemptionForFragmentatedCluster)', () => {
    // halves of 50: a has a small task of 1 and 4 of 7 on as many nodes of 10, b a small one and 1 of 7 beside, 7 reserved, and wants 3 of 7: a has 4 too much
    const mine = (id: string, queue: string, submit: number, tasks: number, mem: number) => job({ id, queue, user: queue, submit, tasks, demand: { mem }, duration: 1000 })
    const { recorder } = run({
      cluster: cluster({ nodes: [{ name: 'n', count: 5, resources: { mem: 10 } }], heartbeat: { interval: 1, stagger: false } }), until: 60,
      jobs: [mine('a0', 'a', 0, 1, 1), mine('a1', 'a', 0.5, 4, 7), mine('b0', 'b', 6, 1, 1), mine('b1', 'b', 6.5, 4, 7)],
      policy: capacityScheduler({ queues: { a: { capacity: 50, userLimitFactor: 100 }, b: { capacity: 50, userLimitFactor: 100 } }, preemption: { ...eager, maxIgnoredOverCapacity: 0.1 } }),
    })
    expect(recorder.evictions.map(({ job: id, time }) => [id, time])).toEqual([['a1', 12]])
    expect(recorder.launches.filter((each) => each.job === 'b1').map(({ time }) => time)).toEqual([7, 12])
  })

  it('takes nothing, carefully, where one resource is not missing, and no more than is enough of one (testInterQueuePreemptionWithStrictAndRelaxedDRF)', () => {
    // thirds of 60 memory and 600 cores; a has all memory, and 60 or 540 cores
    const taken = (conservativeDrf: boolean, cpu: number, wanted: Parameters<typeof job>[0]) => {
      const queue = { capacity: 33, userLimitFactor: -1 }
      const master = standing([{ mem: 60, cpu: 600 }], { a: queue, b: queue, c: { capacity: 34 } }, { resourceCalculator: 'dominant', preemption: { ...eager, conservativeDrf } })
      master.submit(job({ id: 'a', queue: 'a', tasks: 60, demand: { mem: 1, cpu } }), 0)
      beat(master, 0, 0)
      master.submit(job({ id: 'b', queue: 'b', ...wanted }), 1)
      return [3, 6].map((now) => master.heartbeat('n0-0', now).kill.length)[1]
    }
    const memory = { tasks: 15, demand: { mem: 1, cpu: 1 } }
    expect([taken(false, 1, memory), taken(true, 1, memory)]).toEqual([15, 0]) // 540 cores are free
    const both = { tasks: 4, demand: { mem: 2, cpu: 40 } }
    expect([taken(false, 9, both), taken(true, 9, both)]).toEqual([12, 8]) // 8 memory, and 160 cores of which 60 are free
  })
})

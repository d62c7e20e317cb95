import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

type Queues = NonNullable<CapacitySchedulerOptions['queues']>
/** Two nodes of 8 GB, or more; users are not limited, all that may start at a heartbeat does. */
const standing = (queues: Queues, options: CapacitySchedulerOptions = {}, nodes = 2) => {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: nodes, resources: { mem: 8, cpu: 8 } }] }), policy: capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 99, ...options }) })
  let time = 0
  const submit = (id: string, tasks: number, mem = 1, change: JobChange = {}) => master.submit(job({ id, user: id, queue: id, tasks, demand: { mem, cpu: 1 }, ...change }))
  const starts = () => Array.from({ length: nodes }, (_, node) => node).flatMap((node) => master.heartbeat(`n-${node}`, ++time).start)
  return { submit, starts, who: () => starts().map((task) => task.job), end: (task: ReturnType<typeof starts>[number]) => void master.taskEnded(task, ++time) }
}

// as TestCapacityScheduler, TestContainerAllocation, TestParentQueue and TestPriorityUtilizationQueueOrderingPolicy of Hadoop 3, with other amounts
describe('limits of queues', () => {
  it('hold for all queues in one together (testParentQueueMaxCapsAreRespected)', () => {
    const { submit, who } = standing({ a: { capacity: 50, maximumCapacity: 50 }, 'a.x': { capacity: 50 }, 'a.y': { capacity: 50 }, b: { capacity: 50 } })
    submit('x', 3, 2)
    submit('y', 9, 1)
    expect(who().sort()).toEqual(['x', 'x', 'y', 'y', 'y', 'y']) // 8 of 16 GB
  })

  it('keep what is left for the queue that comes first and asks more (testCSQueueBlocked)', () => {
    const { submit, who, starts, end } = standing({ a: { capacity: 80 }, b: { capacity: 20 } })
    submit('a', 1, 2)
    submit('b', 13)
    const running = starts()
    expect(running).toHaveLength(14)
    submit('a2', 1, 2, { queue: 'a' })
    submit('b2', 1, 1, { queue: 'b' })
    expect(who()).toEqual([]) // 1 GB left: a is further below its guarantee, and wants 2
    for (const task of running.filter((each) => each.job === 'b' && each.node === 'n-1').slice(0, 2)) end(task)
    expect(who().sort()).toEqual(['a2', 'b2'])
  })

  it('of nothing refuse even a job that asks nothing of it: it would wait for ever', () => {
    const { submit } = standing({ a: { capacity: 95 }, b: { capacity: 5, elastic: false } }) // 0.8 of 16 GB
    expect(() => void submit('b', 1, 0)).toThrow('a task asks for room where there is 0 mem, the maximum of queue root.b')
  })

  it('keep it in the queue around both alone, where that is what is full (testCSReservationWithRootUnblocked)', () => {
    const { submit, who } = standing({ p: { capacity: 50, maximumCapacity: 50 }, 'p.x': { capacity: 80 }, 'p.z': { capacity: 20 }, o: { capacity: 50 } }, { resourceCalculator: 'dominant' })
    submit('x', 7)
    submit('o', 4)
    expect(who()).toHaveLength(11)
    submit('z', 1, 2)
    submit('x2', 1, 1, { queue: 'x' })
    submit('o2', 9, 1, { queue: 'o' })
    expect(who()).toEqual(Array(4).fill('o2')) // p has 7 of 8 GB and z wants 2: x must not have the last, and of the cluster's 5 GB one is kept
  })

  it('do not keep more than the queue itself may have (testAllocationCannotBeBlockedWhenFormerQueueReachedItsLimit)', () => {
    const { submit, who } = standing({ b: { capacity: 30 }, c: { capacity: 70 }, 'c.x': { capacity: 20, maximumCapacity: 20 }, 'c.y': { capacity: 80 } }, { resourceCalculator: 'dominant' })
    submit('x', 1, 2)
    submit('b', 1, 2)
    expect(who().sort()).toEqual(['b', 'x'])
    submit('x2', 1, 2, { queue: 'x' }) // x may have 3 of 16
    submit('b2', 1, 2, { queue: 'b' })
    expect(who()).toEqual(['b2'])
  })

  it('are passed by giving up a reservation, at the maximum too (testContinuousReservationLookingWhenUsedEqualsMax)', () => {
    const { submit, starts, who } = standing({ a: { capacity: 50, maximumCapacity: 50 }, b: { capacity: 50 } }, {}, 3)
    submit('b', 1, 3)
    expect(who()).toEqual(['b'])
    submit('a', 2, 6) // the first node is reserved, a starts on the second: 12 of 12 GB; on the third in place of the reservation
    expect(starts().map(({ job: id, node }) => `${id} ${node}`)).toEqual(['a n-1', 'a n-2'])
    submit('b2', 1, 5, { queue: 'b' })
    expect(who()).toEqual(['b2'])
  })
})

describe('queues with priority', () => {
  it('come after those below their guarantee, and before others that are above it', () => {
    const quarter = { capacity: 25 }
    const queues: Queues = { root: { queueOrdering: 'priority-utilization' }, low: { ...quarter }, mid: { ...quarter, priority: 1 }, high: { ...quarter, priority: 2 }, none: { ...quarter, priority: 3 } }
    const { submit, who } = standing(queues)
    for (const id of ['low', 'mid', 'high']) submit(id, 9)
    // high to its 4, then mid, then low; above their guarantees by priority again
    expect(who()).toEqual([...Array<string>(4).fill('high'), ...Array<string>(4).fill('mid'), ...Array<string>(4).fill('low'), ...Array<string>(4).fill('high')])
  })
})

describe('queues that are guaranteed nothing', () => {
  it('come after all others, by what they use, and by name alone as in the survey (PriorityUtilizationQueueOrderingPolicy)', () => {
    const order = (options: CapacitySchedulerOptions, root = {}) => {
      const { submit, who } = standing({ root, a: { capacity: 0, priority: 9, maximumApplications: 9 }, b: { capacity: 0, maximumApplications: 9 }, c: { capacity: 100 } }, options)
      for (const [id, tasks] of [['a', 2], ['b', 2], ['c', 3]] as const) submit(id, tasks)
      return who().join('')
    }
    expect(order({})).toBe('cccabab')
    expect(order({}, { queueOrdering: 'priority-utilization' })).toBe('cccaabb')
    expect(order({ ties: 'name' })).toBe('abccca'.concat('b'))
  })
})

// as TestApplicationLimits and TestApplicationPriority
describe('applications', () => {
  it('are limited by the part of their queue, and their user by its limit of that', () => {
    const refused = (own: Queues[string]) => {
      const { submit } = standing({ a: { capacity: 40, ...own }, b: { capacity: 60 } }, { maximumApplications: 20, defaults: {} })
      const attempt = (id: string, user: string) => {
        try {
          submit(id, 1, 1, { queue: 'a', user })
          return 'in'
        } catch (error) {
          return (error as Error).message.replace(/^.*job \w+: /, '')
        }
      }
      return [...Array.from({ length: 5 }, (_, i) => attempt(`ann${i}`, 'ann')), ...Array.from({ length: 6 }, (_, i) => attempt(`bob${i}`, 'bob'))]
    }
    // 40 % of 20: 8 in the queue; 50 % of that, times the factor, of one user
    expect(refused({ minimumUserLimitPercent: 50 }).map((each) => each === 'in')).toEqual([true, true, true, true, false, true, true, true, true, false, false])
    expect(refused({ minimumUserLimitPercent: 50 })[4]).toContain('user ann has 4 of 4 applications in queue root.a (50% of 8)')
    expect(refused({ minimumUserLimitPercent: 50, userLimitFactor: -1 }).filter((each) => each === 'in')).toHaveLength(8)
    expect(refused({ maximumApplications: 3 }).filter((each) => each === 'in')).toHaveLength(3)
  })

  it('are limited by the system, the queue and its user, each in turn (testApplicationLimitSubmit)', () => {
    // all queues may have 20 (global-queue-max-application), a.x 1; a user of d may have 20 x 100 % x 0.1 = 2
    const { submit } = standing({ a: { capacity: 50 }, 'a.x': { capacity: 50, maximumApplications: 1 }, 'a.y': { capacity: 50 }, b: { capacity: 50 }, d: { capacity: 0, userLimitFactor: 0.1 } }, { maximumApplications: 4, defaults: { maximumApplications: 20 } })
    const into = (queue: string, id: string) => () => submit(id, 1, 1, { queue, user: 'ann' })
    expect(into('a.x', '1')).not.toThrow()
    expect(into('a.x', '2')).toThrow(/queue root\.a\.x holds 1 of 1 applications/)
    expect(into('d', '3')).not.toThrow()
    expect(into('d', '4')).not.toThrow()
    expect(into('d', '5')).toThrow(/user ann has 2 of 2 applications in queue root\.d \(100% of 20 x 0\.1\)/)
    expect(into('a.y', '6')).not.toThrow()
    expect(into('a.y', '7')).toThrow(/the system holds 4 of 4 applications/)
  })

  it('are a part of those of the system, and a user may have its limit of that, times the factor, but no more than all (testLimitsComputation)', () => {
    const most = (own: Queues[string]) => {
      const { submit } = standing({ a: { capacity: 10, minimumUserLimitPercent: 50, userLimitFactor: 5, ...own }, b: { capacity: 90 } }, { maximumApplications: 200, defaults: {} })
      let count = 0
      try {
        for (; count < 300; count++) submit(`j${count}`, 1, 1, { queue: 'a', user: 'ann' })
      } catch {
        return count
      }
      return count
    }
    expect(most({})).toBe(20) // 10 % of 200; 50 % x 5 of that is more
    expect(most({ userLimitFactor: 1 })).toBe(10)
    expect(most({ maximumApplications: 99, userLimitFactor: 1 })).toBe(49)
  })

  it('are as many as the default of all queues says, of which a queue with amounts has its part (testDeriveCapacityFromAbsoluteConfigurations of Hadoop 3.4)', () => {
    const most = (capacities: [Queues[string], Queues[string]], options: CapacitySchedulerOptions) => {
      const { submit } = standing({ a: capacities[0], b: capacities[1] }, options)
      let count = 0
      try {
        for (; count < 100; count++) submit(`j${count}`, 1, 1, { queue: 'a', user: 'ann' })
      } catch {
        return count
      }
      return count
    }
    // 4 of 16 GB are a quarter: of 40 for every queue 10, and of one user 50 % x 1.5 of that
    const amounts: [Queues[string], Queues[string]] = [{ capacity: { mem: 4, cpu: 4 }, userLimitFactor: -1 }, { capacity: { mem: 12, cpu: 12 } }]
    const parts: [Queues[string], Queues[string]] = [{ capacity: 25, userLimitFactor: -1 }, { capacity: 75 }]
    const defaults = { maximumApplications: 40 }
    expect([most(parts, { defaults }), most(amounts, { defaults })]).toEqual([40, 10])
    expect(most([{ ...amounts[0], minimumUserLimitPercent: 50, userLimitFactor: 1.5 }, amounts[1]], { defaults })).toBe(7)
    expect(most([{ ...amounts[0], maximumApplications: 30 }, amounts[1]], { defaults })).toBe(30) // its own is the number itself
    expect(most(amounts, { defaults, maximumApplications: 20 })).toBe(5) // no more than the system holds
  })

  it.each<[string, Queues, CapacitySchedulerOptions, number]>([
    ['29 % of 100 are 29', { a: { capacity: 29 }, b: { capacity: 71 } }, { maximumApplications: 100 }, 29],
    ['53 % of 100 are a little less than 53', { a: { capacity: 53 }, b: { capacity: 47 } }, { maximumApplications: 100 }, 52],
    ['70 % of 1 % of 1,000 are a little less than 7', { b: { capacity: 99 }, p: { capacity: 1 }, 'p.a': { capacity: 70 }, 'p.b': { capacity: 30 } }, { maximumApplications: 1000 }, 6],
    ['of one user 0.29 of 100 are 29', { a: { capacity: 100, userLimitFactor: 0.29 } }, { maximumApplications: 100 }, 29],
  ])('are counted in numbers of 32 bits, as in Hadoop (AbstractLeafQueue.updateMaximumApplications): %s', (_, queues, options, expected) => {
    const { submit } = standing(queues, { defaults: { userLimitFactor: 1 }, ...options })
    const queue = 'p.a' in queues ? 'p.a' : 'a'
    let count = 0
    const fill = () => {
      for (; count <= expected; count++) submit(`j${count}`, 1, 1, { queue, user: 'ann' })
    }
    expect(fill).toThrow(/applications/)
    expect(count).toBe(expected)
  })

  it('wait for one another by submission alone, whatever their priority (CSMaxRunningAppsEnforcer)', () => {
    const { submit, starts, end } = standing({ a: { capacity: 100, maxParallelApps: 1 } })
    submit('first', 1, 1, { queue: 'a' })
    const [task] = starts()
    submit('second', 1, 1, { queue: 'a' })
    submit('urgent', 1, 1, { queue: 'a', priority: 5 })
    end(task as NonNullable<typeof task>)
    expect(starts().map(({ job }) => job)).toEqual(['second'])
  })

  it.each([
    ['a queue', { a: { maxParallelApps: 2 } }, {}],
    ['the root, around all', { root: { maxParallelApps: 2 }, a: {} }, {}],
    ['all queues', { a: {} }, { defaults: { maxParallelApps: 2 } }],
    ['a user', { a: {} }, { users: { ann: { maxParallelApps: 2 } } }],
    ['all users', { a: {} }, { maxParallelAppsPerUser: 2 }],
  ] satisfies [string, Queues, CapacitySchedulerOptions][])('let two of four jobs run where %s may have two, then one for each that ends (TestCapacitySchedulerMaxParallelApps)', (_, queues, options) => {
    const { submit, starts, end } = standing(queues, options)
    for (const id of ['one', 'two', 'three', 'four']) submit(id, 1, 1, { queue: 'a', user: 'ann' })
    const [one, two, ...others] = starts()
    expect([one?.job, two?.job, others]).toEqual(['one', 'two', []])
    end(one!)
    expect(starts().map(({ job }) => job)).toEqual(['three'])
    end(two!)
    expect(starts().map(({ job }) => job)).toEqual(['four'])
  })

  // TestCSMaxRunningAppsEnforcer of Hadoop 3: which of the jobs run, and which others start when the first has ended
  it.each<[string, Queues, CapacitySchedulerOptions, [string, string, string][], string, string]>([
    ['testRemoveDoesNotEnableAnyApp', { root: { maxParallelApps: 2 }, 'q.s.one': { maxParallelApps: 1 }, 'q.t.two': { maxParallelApps: 1 } }, {}, [['a', 'one', 'u'], ['b', 'two', 'u'], ['c', 'two', 'u']], 'ab', ''],
    ['testRemoveEnablesAppOnCousinQueue', { q: { maxParallelApps: 2 } }, {}, [['a', 'one', 'u'], ['b', 'two', 'u'], ['c', 'two', 'u']], 'ab', 'c'],
    ['testRemoveEnablesOneByQueueOneByUser', { 'q.s.one': { maxParallelApps: 2 } }, { users: { u: { maxParallelApps: 1 } } }, [['a', 'one', 'u'], ['b', 'one', 'v'], ['c', 'one', 'w'], ['d', 'two', 'u']], 'ab', 'cd'],
    ['testRemoveEnablingOrderedByStartTime', { q: { maxParallelApps: 2 } }, {}, [['a', 'one', 'u'], ['b', 'two', 'u'], ['c', 'two', 'u'], ['d', 'one', 'u']], 'ab', 'c'],
    ['testMultipleAppsWaitingOnCousinQueue', { q: { maxParallelApps: 2 } }, {}, [['a', 'one', 'u'], ['b', 'two', 'u'], ['c', 'two', 'u'], ['d', 'two', 'u']], 'ab', 'c'],
  ])('let as many run as all of them allow: %s', (_, limits, options, jobs, running, next) => {
    const { submit, starts, end } = standing({ q: {}, 'q.s': {}, 'q.t': {}, 'q.s.one': {}, 'q.t.two': {}, ...limits }, options)
    for (const [id, queue, user] of jobs) submit(id, 1, 1, { queue, user })
    const first = starts()
    expect(first.map(({ job }) => job).sort().join('')).toBe(running)
    end(first.find(({ job }) => job === 'a')!)
    expect(starts().map(({ job }) => job).sort().join('')).toBe(next)
  })

  it('count jobs that wait for others to end among those that a queue holds (testMaxAppsReachedWithNonRunnableApps)', () => {
    const { submit } = standing({ a: { maxParallelApps: 2, maximumApplications: 4 } })
    for (const id of ['one', 'two', 'three', 'four']) submit(id, 1, 1, { queue: 'a', user: 'ann' })
    expect(() => void submit('five', 1, 1, { queue: 'a', user: 'ann' })).toThrow('queue root.a holds 4 of 4 applications')
  })

  it('are served by priority up to the largest there is, those without one by the default of their queue', () => {
    const { submit, who } = standing({ a: { capacity: 100, defaultApplicationPriority: 4 } }, { maximumApplicationPriority: 10 })
    submit('none', 9, 1, { queue: 'a' })
    submit('five', 3, 1, { queue: 'a', priority: 5 })
    submit('fifteen', 3, 1, { queue: 'a', priority: 15 })
    submit('twelve', 3, 1, { queue: 'a', priority: 12 })
    submit('three', 3, 1, { queue: 'a', priority: 3 })
    const order = who()
    expect([...new Set(order)]).toEqual(['fifteen', 'twelve', 'five', 'none']) // 15 and 12 are 10, and equal
    expect(order).toHaveLength(16)
  })

  it('are served by least memory in use, and with size-based weight by that over the logarithm of what they use and want (TestFairOrderingPolicy)', () => {
    const first = (sizeBasedWeight: boolean) => {
      const { submit, starts, who } = standing({ a: { capacity: 100, ordering: 'fair', sizeBasedWeight } }, { maximumOffswitchAssignments: 1 })
      submit('large', 60, 1, { queue: 'a' })
      expect([...starts(), ...starts()]).toHaveLength(4)
      submit('small', 2, 1, { queue: 'a' })
      expect(who()).toEqual(['small', 'small'])
      submit('next', 2, 3, { queue: 'a' })
      return [...who(), ...who()]
    }
    // next 0, then 3, then 6; large 4 and more
    expect(first(false)).toEqual(['next', 'next', 'large', 'large'])
    // 3 of next's 6: 3 / log2(7) = 1.07; 4, 5 and 6 of large's 60: 6 / log2(61) = 1.01
    expect(first(true)).toEqual(['next', 'large', 'large', 'large'])
  })

  it('are served by memory, whichever resource comes first, where all of them count', () => {
    const policy = capacityScheduler({ queues: { a: { capacity: 100, ordering: 'fair', userLimitFactor: -1 } }, resourceCalculator: 'dominant', maximumOffswitchAssignments: 4 })
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { cpu: 16, mem: 16 } }] }), policy })
    master.submit(job({ id: 'x', queue: 'a', tasks: 9, demand: { cpu: 4, mem: 1 } }))
    master.submit(job({ id: 'y', queue: 'a', tasks: 9, demand: { cpu: 1, mem: 4 } }))
    expect(master.heartbeat('n-0', 1).start.map((task) => task.job)).toEqual(['x', 'y', 'x', 'x']) // 1, 4, 2 and 3 GB
  })

  it('are not served later for what they have reserved', () => {
    const { submit, starts } = standing({ a: { capacity: 100, ordering: 'fair' } }, { maximumOffswitchAssignments: 1 }, 4)
    submit('filling', 4, 5, { queue: 'a' })
    starts()
    submit('mid', 2, 1, { queue: 'a' })
    starts()
    submit('big', 2, 4, { queue: 'a' })
    submit('more', 1, 1, { queue: 'a', user: 'mid' })
    // big, with nothing in use, reserves the first node, and the second too; the third is for those after it
    expect(starts().map(({ job: id, node }) => `${id} ${node}`)).toEqual(['more n-2'])
  })
})

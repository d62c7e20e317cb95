import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { JobSpec, Plug, Sharing } from '@sched/core'
import { delay, fair, fairShares, greedy, preempting, yarnAssign, type FairOptions } from '@sched/policies'
import { cluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/**
 * What Hadoop 1's fair scheduler (src/contrib/fairscheduler) promises in its own tests, TestFairScheduler and
 * TestComputeFairShares; each case names the test it follows. Nodes have 2 map and 2 reduce slots.
 */
function slots(nodes: number, policy: Plug<'policy'>, racks = 1): Dispatcher {
  return dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: nodes, racks, slots: { map: 2, reduce: 2 } }] }), policy })
}

/** A job whose reduces may start at once. */
function both(id: string, maps: number, reduces: number, change: JobChange = {}): JobSpec {
  const stage = (name: string, tasks: number) => ({ name, tasks, demand: { [name]: 1 }, duration: 10 })
  return { ...job({ id, queue: 'default', ...change }), stages: [...(maps > 0 ? [stage('map', maps)] : []), stage('reduce', reduces)] }
}

/** Nodes beat in turn until none takes more: which jobs got the map slots and the reduce slots, one after another. */
function filled(of: Dispatcher, nodes: number, now: number): { maps: string; reduces: string } {
  const starts = Array.from({ length: nodes }, (_, i) => of.heartbeat(`n-${i}`, now).start).flat()
  const lane = (name: string) => starts.filter((each) => stageName(of, each) === name).map((each) => each.job).join('')
  return { maps: lane('map'), reduces: lane('reduce') }
}
const stageName = ({ work }: Dispatcher, { job, stage }: Placed) => work.jobs().map((each) => work.spec(each)).find(({ id }) => id === job)?.stages[stage]?.name

/** Jobs submitted 10 s apart to pools as given, then all slots of `nodes` nodes handed out. */
function handedOut(options: FairOptions, jobs: readonly JobSpec[], nodes = 2): { maps: string; reduces: string } {
  const of = slots(nodes, greedy(fair(options)))
  jobs.forEach((each, i) => of.submit(each, 10 * i))
  return filled(of, nodes, 10 * jobs.length)
}

const sharesOf = (of: Dispatcher, lane: 0 | 1) => {
  const sharing = of.policy.sharing as Sharing
  const shares = sharing.fairShares(lane as never)
  return Object.fromEntries(Array.from({ length: sharing.pools - 1 }, (_, i) => [sharing.name(i + 1), Number((shares[i + 1] as number).toFixed(2))]))
}

describe('slots as Hadoop 1 hands them out', () => {
  it.each<[string, FairOptions, JobSpec[], string, string, number?]>([
    ['SmallJobs: by turns until a job has no more', {}, [both('a', 2, 1), both('b', 1, 2)], 'aba', 'abb'],
    ['LargeJobs: by turns', {}, [both('a', 10, 10), both('b', 10, 10)], 'abab', 'abab'],
    ['JobsWithPriorities: twice as many for high priority', { priorityWeights: true }, [both('a', 10, 10), both('b', 10, 10, { priority: 1 })], 'abbabb', 'abbabb', 3],
    ['JobsWithPriorities: the same by weight', {}, [both('a', 10, 10), both('b', 10, 10, { weight: 2 })], 'abbabb', 'abbabb', 3],
    ['JobsWithPriorities: by turns where priority is no weight', {}, [both('a', 10, 10), both('b', 10, 10, { priority: 1 })], 'ababab', 'ababab', 3],
    ['LargeJobsWithPools: minimums first, by slot type', { pools: { p: { minShare: { map: 1, reduce: 2 } }, q: { minShare: { map: 2, reduce: 1 } } } },
      [both('a', 10, 10), both('b', 10, 10, { queue: 'p' }), both('c', 10, 10, { queue: 'q' })], 'bcca', 'bcba'],
    ['LargeJobsWithExcessCapacity: after its minimum a pool waits for the others', { pools: { p: { minShare: 2 } } },
      [both('a', 10, 10), both('b', 10, 10, { queue: 'p' }), both('c', 10, 10, { queue: 'p' })], 'bcaa', 'bcaa'],
    ['SmallJobInLargePool: a minimum beyond the demand is not kept free', { pools: { p: { minShare: 4 } } }, [both('a', 10, 10), both('b', 1, 1, { queue: 'p' })], 'baaa', 'baaa'],
    ['PoolMaxJobs: the first two', { pools: { default: { maxRunningJobs: 2 } } }, ['a', 'b', 'c', 'd'].map((id) => both(id, 10, 10)), 'abab', 'abab'],
    ['UserMaxJobs: one of ann, both of bob', { users: { ann: { maxRunningJobs: 1 } } },
      [both('a', 10, 10, { user: 'ann' }), both('b', 10, 10, { user: 'ann' }), both('c', 10, 10, { user: 'bob' }), both('d', 10, 10, { user: 'bob' })], 'acda', 'acda'],
    ['FifoPool: by priority, then by submission', { pools: { default: { inner: 'fifo' } } },
      [both('a', 1, 1), both('b', 3, 3), both('c', 1, 1, { priority: 1 }), both('d', 3, 3)], 'cabb', 'cabb'],
    ['MultipleFifoPools: pools by turns, the head of each', { defaults: { inner: 'fifo' } },
      ['p', 'p', 'q', 'q'].map((queue, i) => both('abcd'[i] as string, 10, 10, { queue })), 'acac', 'acac'],
    ['FifoAndFairPools: the head of one, all of the other', { defaults: { inner: 'fifo' }, pools: { q: { inner: 'fair' } } },
      ['p', 'p', 'q', 'q'].map((queue, i) => both('abcd'[i] as string, 10, 10, { queue })), 'acad', 'acad'],
  ])('test%s', (_, options, jobs, maps, reduces, nodes = 2) => {
    expect(handedOut(options, jobs, nodes)).toEqual({ maps, reduces })
  })

  it('testComplexJobLimits: of pools and of users, by name and by default', () => {
    const options = { pools: { p: { maxRunningJobs: 1 } }, users: { u1: { maxRunningJobs: 1 }, u2: { maxRunningJobs: 10 } }, userMaxRunningJobs: 2 }
    const users = ['u1', 'u1', 'u2', 'u2', 'u2', 'u3', 'u3', 'u3', 'u4', 'u4']
    const jobs = users.map((user, i) => both(String(i), 10, 10, { user, queue: user === 'u4' ? 'p' : 'default' }))
    expect([...new Set(handedOut(options, jobs, 20).maps)].sort().join('')).toBe('0234568')
  })

  it('testPoolWeights and testPoolWeightsWhenNoMaps: a pool without maps leaves its map share to the others', () => {
    const of = slots(2, greedy(fair({ pools: { p: { weight: 2 }, q: { weight: 0.5 } } })))
    for (const queue of ['default', 'p', 'q']) of.submit(both(queue, 10, 10, { queue }), 0)
    expect([sharesOf(of, 0), sharesOf(of, 1)]).toEqual(Array(2).fill({ p: 2.29, q: 0.57, default: 1.14 })) // 4 slots by 2 : 0.5 : 1
    const uneven = slots(2, greedy(fair({ pools: { p: { weight: 2 }, q: { weight: 1 } } })))
    uneven.submit(both('a', 0, 10, { queue: 'p' }), 0)
    uneven.submit(both('b', 10, 10, { queue: 'q' }), 0)
    expect([sharesOf(uneven, 0), sharesOf(uneven, 1)]).toEqual([{ p: 0, q: 4 }, { p: 2.67, q: 1.33 }])
  })
})

describe('the load balancer of Hadoop 1', () => {
  const balanced = (nodes: number) => slots(nodes, yarnAssign(greedy(fair()), { assignMultiple: true, dynamicMaxAssign: false, loadBalancer: true }))

  it('testAssignMultipleWithUnderloadedCluster: 4 maps and 3 reduces on 4 nodes, one of each on a node, and no more at the next heartbeats', () => {
    const of = balanced(4)
    of.submit(both('a', 2, 2), 0)
    of.submit(both('b', 2, 1), 0.1)
    const beats = [0, 1, 2, 3].flatMap((node) => [0.1, 0.2].map((after) => of.heartbeat(`n-${node}`, node + after).start.map((each) => `${each.job} ${stageName(of, each)}`)))
    expect(beats).toEqual([['a map', 'a reduce'], [], ['b map', 'b reduce'], [], ['a map', 'a reduce'], [], ['b map'], []])
  })
})

describe('fair shares as in TestComputeFairShares', () => {
  const million = 1e6
  it.each<[string, number, number[], number[], number[] | undefined, number[] | undefined]>([
    ['EqualSharing', 40, [10, 10, 10, 10], [100, 50, 30, 20], undefined, undefined],
    ['LowDemands', 40, [13, 13, 11, 3], [100, 50, 11, 3], undefined, undefined],
    ['MinShares', 40, [20, 10, 7, 3], [100, 10, 10, 3], undefined, [20, 20, 0, 2]],
    ['WeightedSharing', 45, [20, 10, 10, 5], [100, 50, 30, 20], [2, 1, 1, 0.5], undefined],
    ['WeightedSharingWithLowDemands', 45, [10, 11, 16, 8], [10, 11, 30, 20], [2, 1, 1, 0.5], undefined],
    ['WeightedSharingWithMinShares', 45, [10, 10, 10, 15], [10, 11, 30, 20], [2, 1, 1, 0.5], [20, 0, 5, 15]],
    ['SmallShares', 1, [0.25, 0.25, 0.25, 0.25], [10, 5, 3, 2], undefined, undefined],
    ['LargeShares', 40 * million, [10, 10, 10, 10].map((share) => share * million), [100, 50, 30, 20].map((demand) => demand * million), undefined, undefined],
    ['ZeroDemand', 30, [10, 10, 10, 0], [100, 50, 30, 0], undefined, undefined],
    ['EmptyList', 40, [], [], undefined, undefined],
  ])('test%s', (_, total, shares, demands, weights, minShares) => {
    const found = fairShares({ demands, weights: weights ?? demands.map(() => 1), minShares }, total)
    expect(found.map((share) => Number(share.toFixed(9)))).toEqual(shares)
  })
})

describe('preemption as in Hadoop 1', () => {
  /** Looks every second, and nodes beat once tasks have been killed; what was killed until `until`, as `second: job.stage.task`. */
  function killed(of: Dispatcher, from: number, until: number, nodes = 2): string[] {
    const kills: string[] = []
    for (let now = from; now <= until; now++) {
      for (const each of of.tick(now).kill) kills.push(`${now}: ${each.job}.${stageName(of, each)}.${each.task}`)
      if (kills.length > 0) filled(of, nodes, now)
    }
    return kills
  }
  const running = (of: Dispatcher, pool: string) => {
    const sharing = of.policy.sharing as Sharing
    const id = Array.from({ length: sharing.pools }, (_, i) => i).find((i) => sharing.name(i) === pool) as number
    return [sharing.running(id, 0 as never), sharing.running(id, 1 as never)]
  }
  const looks = { interval: 1, updateInterval: 1 }
  /** Job a takes all slots of 2 nodes, the second node's later; 10 s later b comes to pool p. */
  function crowded(pool: object, options: object, b: JobSpec): Dispatcher {
    const of = slots(2, preempting(greedy(fair({ pools: { p: pool } })), { ...looks, ...options }))
    of.submit(both('a', 10, 10), 0)
    of.heartbeat('n-0', 0)
    of.heartbeat('n-1', 1)
    of.tick(10)
    of.submit(b, 10)
    return of
  }
  const inP = (maps: number, reduces: number) => both('b', maps, reduces, { queue: 'p' })

  it('testMinSharePreemption: 2 maps and a reduce after a minute, the newest, and the pool gets their slots', () => {
    const of = crowded({ minShare: { map: 2, reduce: 1 }, minTimeout: 60 }, {}, inP(10, 10))
    expect(killed(of, 11, 80)).toEqual(['70: a.map.3', '70: a.map.2', '70: a.reduce.3'])
    expect(running(of, 'p')).toEqual([2, 1])
  })

  it('testMinSharePreemptionWithSmallJob: no more than the job needs', () => {
    const of = crowded({ minShare: 3, minTimeout: 60 }, {}, inP(1, 2))
    expect(killed(of, 11, 80)).toEqual(['70: a.map.3', '70: a.reduce.3', '70: a.reduce.2'])
    expect(running(of, 'p')).toEqual([1, 2])
  })

  it('testMinAndFairSharePreemption: the two claims do not add up', () => {
    const of = crowded({ minShare: 2, minTimeout: 60 }, { fairTimeout: 60 }, inP(10, 10))
    expect(killed(of, 11, 140)).toEqual(['70: a.map.3', '70: a.map.2', '70: a.reduce.3', '70: a.reduce.2'])
  })

  it('testNoPreemptionIfDisabled: never without timeouts', () => {
    expect(killed(crowded({ minShare: 2 }, {}, inP(10, 10)), 11, 200)).toEqual([])
  })

  it('testFairSharePreemption: of 8 slots, 6, 2 and 0 in use, only the pool below half of 8/3 takes two', () => {
    const of = slots(4, preempting(greedy(fair()), { ...looks, fairTimeout: 60 }))
    of.submit(both('a', 6, 6, { queue: 'p' }), 0)
    for (const node of [0, 1, 2]) of.heartbeat(`n-${node}`, node)
    of.submit(both('b', 10, 10, { queue: 'q' }), 3)
    of.heartbeat('n-3', 3)
    of.submit(both('c', 10, 10, { queue: 'r' }), 3)
    expect(killed(of, 3, 62, 4)).toEqual([])
    expect(killed(of, 63, 140, 4)) // a minute from the first look after the pool came, at 4 s
      .toEqual(['64: a.map.5', '64: a.map.4', '64: a.reduce.5', '64: a.reduce.4'])
    expect(running(of, 'r')).toEqual([2, 2])
  })

  it('testFairSharePreemptionFromMultiplePools: one from each of two pools with 3 of 6', () => {
    const of = slots(3, preempting(greedy(fair()), { ...looks, fairTimeout: 60 }))
    of.submit(both('a', 12, 1, { queue: 'p' }), 0)
    of.heartbeat('n-0', 0)
    of.heartbeat('n-1', 1, { free: 1 })
    of.submit(both('b', 10, 1, { queue: 'q' }), 2)
    of.heartbeat('n-1', 2)
    of.heartbeat('n-2', 2, { free: 1 })
    of.heartbeat('n-2', 3)
    of.submit(both('c', 10, 1, { queue: 'r' }), 4)
    expect(killed(of, 4, 140, 3)).toEqual(['64: b.map.2', '64: a.map.2'])
    expect(running(of, 'r')[0]).toBe(2)
  })
})

describe('delay scheduling as in Hadoop 1, 10 s a level, 2 racks of 2 nodes', () => {
  const world = () => slots(4, delay(fair(), { node: 10, rack: 10 }), 2)
  const reading = (tasks: number) => job({ id: 'a', queue: 'p', tasks, data: { hosts: Array(tasks).fill(['n-3']) } })
  const many = job({ id: 'b', queue: 'default', tasks: 20 })
  const beat = (of: Dispatcher, node: number, now: number) => of.heartbeat(`n-${node}`, now).start
  const jobs = (starts: readonly Placed[]) => starts.map((each) => each.job).join('')

  it('testDelaySchedulingAtNodeLevel: others go first until the node comes', () => {
    const of = world()
    of.submit(reading(1), 0)
    of.submit(many, 0.1)
    expect([0, 1, 2, 3].map((node) => jobs(beat(of, node, 0.1)))).toEqual(['bb', 'bb', 'bb', 'ab'])
  })

  it('testDelaySchedulingAtRackLevel: after 10 s its rack, and the node again once it had one', () => {
    const of = world()
    of.submit(reading(4), 0)
    of.submit(many, 0.1)
    const first = [0, 1, 2].map((node) => beat(of, node, 0.1))
    for (const [task] of first) of.taskEnded(task as Placed, 11)
    expect([0, 1, 2, 3].map((node) => jobs(beat(of, node, 11.2)))).toEqual(['b', 'b', 'a', 'aa'])
    for (const [, task] of first) of.taskEnded(task as Placed, 11.3)
    expect([0, 1, 2].map((node) => jobs(beat(of, node, 11.3)))).toEqual(['b', 'b', 'b'])
  })

  it('testDelaySchedulingOffRack: after 20 s anywhere, then the rack or the node it had last', () => {
    const of = world()
    of.submit(reading(8), 0)
    const nothing = (now: number, ...nodes: number[]) => expect(nodes.map((node) => jobs(beat(of, node, now)))).toEqual(nodes.map(() => ''))
    nothing(0.1, 0, 1, 2)
    for (const now of [11.1, 11.2, 11.3]) nothing(now, 0, 1)
    const starts = [0, 1, 2].map((node) => beat(of, node, 22.3))
    expect(starts.map((each) => each.map(({ level }) => level))).toEqual([[2, 2], [2, 2], [1, 1]])
    for (const [, task] of starts) of.taskEnded(task as Placed, 22.4)
    nothing(22.4, 0, 1)
    expect([2, 3].map((node) => beat(of, node, 22.4).map(({ level }) => level))).toEqual([[1], [0]])
  })
})

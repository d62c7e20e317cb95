import { dispatcher } from '@sched/cluster'
import { capacity, capacityScheduler, greedy, reserving, userLimit, type CapacityOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run } from '@sched/testkit'
import type { JobSpec, Plug } from '@sched/core'
import { describe, expect, it } from 'vitest'

/** One node with so much memory, heartbeats by hand. */
const oneNode = (mem: number) => cluster({ nodes: [{ name: 'n', count: 1, resources: { mem } }] })
const asking = (id: string, queue: string, tasks: number, mem = 1, change: Partial<JobSpec> = {}) => job({ id, queue, tasks, demand: { mem }, ...change })

describe('the capacity scheduler', () => {
  /** A (40) uses 20, B (60) uses 24, of 100; both want more, C wants nothing. */
  const standing = (policy: Plug<'policy'>) => {
    const master = dispatcher({ cluster: oneNode(100), policy })
    master.submit(asking('a0', 'A', 20))
    master.submit(asking('b0', 'B', 24))
    expect(master.heartbeat('n-0', 0).start).toHaveLength(44)
    master.submit(asking('a1', 'A', 20))
    master.submit(asking('b1', 'B', 36))
    return (starts: number) => master.heartbeat('n-0', 1, { free: starts }).start.map((task) => task.job)
  }
  const queues = { A: { capacity: 40 }, B: { capacity: 60 }, C: { capacity: 0 } }

  it('serves the queue with the least used over capacity: 20/40 and 24/60, so B six times, then A at 0.50 by name (survey, fact 2)', () => {
    const next = standing(greedy(capacity({ queues })))
    expect(next(6)).toEqual(['b1', 'b1', 'b1', 'b1', 'b1', 'b1']) // 0.40 ... 29/60 < 0.50
    expect(next(3)).toEqual(['a1', 'b1', 'b1']) // both 0.50: A; then A has 21/40 = 0.525, B 30/60 and 31/60 = 0.517
  })

  it('serves the larger of two queues that are equal, as Hadoop does since 2.9', () => {
    const next = standing(greedy(capacity({ queues, ties: 'capacity' })))
    expect(next(8)).toEqual([...Array<string>(7).fill('b1'), 'a1']) // 30/60 against 20/40: B; then 31/60 > 0.50: A
  })

  it('takes parts of guarantees for equal that are: 6 of 4 and 9 of 6, although 6/40 : 4/40 is 1.4999... in 64 bits', () => {
    const master = dispatcher({ cluster: oneNode(40), policy: greedy(capacity({ queues: { A: { capacity: 15 }, B: { capacity: 10 }, C: { capacity: 75 } }, defaults: { userLimitFactor: -1 } })) })
    master.submit(asking('a0', 'A', 9))
    master.submit(asking('b0', 'B', 6))
    expect(master.heartbeat('n-0', 0).start).toHaveLength(15)
    master.submit(asking('a1', 'A', 9))
    master.submit(asking('b1', 'B', 9))
    expect(master.heartbeat('n-0', 1, { free: 2 }).start.map((task) => task.job)).toEqual(['a1', 'b1']) // both 1.5: A, the larger; then 10/6 > 1.5: B
  })

  it('never chooses a queue without jobs, although it uses least', () => {
    const next = standing(greedy(capacity({ queues: { ...queues, A: { capacity: 20 }, C: { capacity: 20 } }, defaults: { userLimitFactor: -1 } })))
    expect(new Set(next(40))).toEqual(new Set(['b1', 'a1'])) // B to 60/60, then A, which is at 20/20; C at 0/20 never
  })

  it.each([
    [1, 100],
    [2, 50],
    [3, 33.33],
    [4, 25],
    [5, 25],
  ])('gives one of %i users max(25, 100 / u) = %d percent of the queue (survey, fact 3)', (users, percent) => {
    const of = 1_000_000
    const [limit = 0] = userLimit({ total: [of], capacity: [of], most: [of], usageRatio: 0, usedByActive: [0], activeWeight: users, percent: 25, factor: 1, minimum: [1], basis: 'active-users' })
    expect(Number(((100 * limit) / of).toFixed(2))).toBe(percent)
  })

  it.each([
    [1, [100]],
    [2, [51, 49]], // at 50 and 49 the limit is ceil((99 + 1) / 2) = 50, and 50 is not above it: the first in order gets one more
    [3, [35, 34, 31]],
    [4, [26, 26, 26, 22]], // the limit is 25, and it is checked before the next task is counted
    [5, [26, 26, 26, 22, 0]],
  ])('shares a full queue of 100 among %i users as Hadoop does', (users, expected) => {
    const master = dispatcher({ cluster: oneNode(100), policy: greedy(capacity({ queues: { q: { capacity: 100, minimumUserLimitPercent: 25 } } })) })
    for (let user = 0; user < users; user++) master.submit(asking(`j${user}`, 'q', 100, 1, { user: `u${user}` }))
    const started = master.heartbeat('n-0', 0).start
    expect(expected.map((_, user) => started.filter((task) => task.job === `j${user}`).length)).toEqual(expected)
  })

  it('reserves a node of 8 GB with six tasks of 1 GB for one of 4 GB, which starts after two of them have ended; a small task waits (survey, fact 13)', () => {
    const master = dispatcher({ cluster: oneNode(8), policy: reserving(capacity({ queues: { q: {} }, defaults: { userLimitFactor: -1 } }), { maximumOffswitchAssignments: 9 }) })
    master.submit(asking('six', 'q', 6))
    const [first, second] = master.heartbeat('n-0', 0).start
    master.submit(asking('X', 'q', 1, 4))
    master.submit(asking('small', 'q', 1))
    expect(master.heartbeat('n-0', 1).start).toEqual([]) // 2 GB free: reserved for X
    master.taskEnded(first!, 2)
    expect(master.heartbeat('n-0', 2).start).toEqual([]) // 3 GB free, small must not have one of them
    master.taskEnded(second!, 3)
    expect(master.heartbeat('n-0', 3).start.map((task) => task.job)).toEqual(['X'])
    expect(master.heartbeat('n-0', 4).start.map((task) => task.job)).toEqual([]) // 8 of 8 GB are used
  })

  it('takes a maximum as a part of the maximum around it: 80 % of the 50 that B is guaranteed, and 40 % of the 100 that it may have (TestQueueParsing)', () => {
    const started = (maximumCapacity: number) => {
      const policy = capacityScheduler({ queues: { A: { capacity: 50 }, B: { capacity: 50 }, 'B.x': { capacity: 80, maximumCapacity }, 'B.y': { capacity: 20 } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 100 })
      const master = dispatcher({ cluster: oneNode(100), policy })
      master.submit(asking('x0', 'B.x', 100))
      return master.heartbeat('n-0', 0).start.length
    }
    expect(started(40)).toBe(40)
    expect(started(70)).toBe(70)
    expect(() => started(39)).toThrow('at least its capacity of 80. Raise the maximum, or lower the capacity.')
  })

  it('gives a reservation up when the task starts elsewhere', () => {
    const two = cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 8 } }] })
    const master = dispatcher({ cluster: two, policy: reserving(capacity({ queues: { q: {} }, defaults: { userLimitFactor: -1 } }), { maximumOffswitchAssignments: 9 }) })
    master.submit(asking('six', 'q', 6))
    master.heartbeat('n-0', 0)
    master.submit(asking('X', 'q', 1, 4))
    master.submit(asking('small', 'q', 2))
    expect(master.heartbeat('n-0', 1).start).toEqual([])
    expect(master.heartbeat('n-1', 2).start.map((task) => task.job)).toEqual(['X', 'small', 'small'])
    master.submit(asking('late', 'q', 1))
    expect(master.heartbeat('n-0', 3).start.map((task) => task.job)).toEqual(['late'])
  })

  it('keeps to one node where a job with a reservation may not look on', () => {
    const two = cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 8 } }] })
    const policy = capacityScheduler({ reservationsContinueLookAllNodes: false, maximumOffswitchAssignments: 9 })
    const master = dispatcher({ cluster: two, policy })
    master.submit(asking('six', 'q', 6))
    master.heartbeat('n-0', 0)
    master.submit(asking('X', 'q', 1, 4))
    expect(master.heartbeat('n-0', 1).start).toEqual([])
    expect(master.heartbeat('n-1', 2).start).toEqual([])
  })

  /** 6 nodes of 9 GB, each with 4 tasks of 2 GB and 1 GB free: 24 of 23 s, one more every 0.9 s; one of 4 GB comes at 100 s. When does it start? */
  const bigTask = (options: CapacitySchedulerOptions) => {
    const small = Array.from({ length: 500 }, (_, i) => job({ id: `s${i}`, submit: 0.9 * i, user: 'ann', queue: 'q', demand: { mem: 2 }, duration: 23 }))
    const big = job({ id: 'big', submit: 100, user: 'ann', queue: 'q', demand: { mem: 4 }, duration: 50 })
    const nodes = instantCluster({ nodes: [{ count: 6, resources: { mem: 9 } }] })
    const { recorder } = run({ cluster: nodes, jobs: [...small, big], policy: capacityScheduler(options), until: 440 })
    return recorder.launches.find((launch) => launch.job === 'big')?.time
  }
  it('lets a big task starve behind small ones without reservations, and start with them (SV-CAP-res)', () => {
    const options: CapacityOptions = { queues: { q: { maximumApplications: 1000 } } }
    expect(bigTask({ ...options, reservations: false })).toBeUndefined()
    expect(bigTask({ ...options, reservations: true })).toBeLessThan(100 + 2 * 23)
  })
})

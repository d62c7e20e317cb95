import { dispatcher } from '@sched/cluster'
import { capacityScheduler, userLimit, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Two nodes of 20 GB, in steps of 1 GB. Queue A is guaranteed 10 %, 4 GB, and may use all. */
const standing = (own: CapacityQueueOptions, options: CapacitySchedulerOptions = {}) => {
  const queues = { A: { capacity: 10, ...own }, B: { capacity: 90 } }
  return dispatcher({
    cluster: cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 20_000 } }] }),
    policy: capacityScheduler({ queues, minimumAllocation: { mem: 1000 }, ...options }),
  })
}
const asking = (user: string, tasks: number, gb: number) => job({ id: user, user, queue: 'A', tasks, demand: { mem: 1000 * gb } })
/** Whose task is started at each of so many heartbeats; tasks without data start one at a time. */
let beat = 0
const starts = (master: ReturnType<typeof standing>, beats: number) =>
  Array.from({ length: beats }, () => master.heartbeat(`n-${beat++ % 2}`, beat).start.map((task) => task.job).join() || '-')

// as TestLeafQueue and TestUsersManager of Hadoop 3, with other amounts
describe('limits of users', () => {
  it('lets a user have one task more than its limit, and no other: 10 % of 40 GB are 4 tasks of 1 GB (testSingleQueueWithOneUser)', () => {
    const master = standing({})
    master.submit(asking('ann', 9, 1))
    expect(starts(master, 7)).toEqual([...Array<string>(5).fill('ann'), '-', '-'])
  })

  it('counts a queue smaller than one step as one step, so that it starts at all', () => {
    const master = standing({ capacity: 1 }, { queues: { A: { capacity: 1 }, B: { capacity: 99 } } })
    master.submit(asking('ann', 9, 1))
    expect(starts(master, 4)).toEqual(['ann', 'ann', '-', '-'])
  })

  it('has a factor, and none with -1 (testDisabledUserLimitFactor)', () => {
    const started = (userLimitFactor: number) => {
      const master = standing({ userLimitFactor })
      master.submit(asking('ann', 40, 1))
      return starts(master, 40).filter((who) => who === 'ann').length
    }
    expect([0.5, 1, 2, 3, -1].map(started)).toEqual([3, 5, 9, 13, 40])
  })

  it('divides what the active users use and one step among them (testUserLimits)', () => {
    // the queue has 4 GB and a factor of 2: a user at most 8
    const master = standing({ minimumUserLimitPercent: 50, userLimitFactor: 2 })
    master.submit(asking('ann', 2, 5))
    master.submit(asking('bob', 3, 2))
    // ann has 5: the limit is (5 + 1) / 2 = 3; bob then 2: (7 + 1) / 2 = 4; bob 4: (9 + 1) / 2 = 5, and ann is not above it
    expect(starts(master, 5)).toEqual(['ann', 'bob', 'bob', 'ann', 'bob']) // at last bob alone is active
  })

  it('has percentages with fractions (testDecimalUserLimits)', () => {
    const second = (minimumUserLimitPercent: number) => {
      const master = standing({ minimumUserLimitPercent, userLimitFactor: 2 })
      master.submit(asking('ann', 2, 3))
      master.submit(asking('bob', 2, 1))
      return starts(master, 2)[1]
    }
    // ann has 3 of the 4 GB: (3 + 1) / 2 = 2, and 50 % of 4 is 2; 50.1 % is rounded up to 3
    expect([50, 50.1].map(second)).toEqual(['bob', 'ann'])
  })

  it('is larger for users with weight (testUserSpecificUserLimits)', () => {
    const master = standing({ minimumUserLimitPercent: 50, userLimitFactor: 2, userWeights: { ann: 1.5 } })
    master.submit(asking('ann', 3, 4))
    master.submit(asking('bob', 2, 1))
    // ann has 4: of (4 + 4 + 1) x 50 % = 3 rounded up, 1.5 times that is 4, and 4 is not above it; with 8 she is above 1.5 x 5 = 7
    expect(starts(master, 4)).toEqual(['ann', 'ann', 'bob', 'bob'])
  })

  it('is larger for users with weight in a queue around theirs, which has the last word (UserWeights of Hadoop 3)', () => {
    const of = (own: CapacityQueueOptions) => {
      const queues = { A: { capacity: 10, userWeights: { ann: 1.5 } }, 'A.x': { capacity: 100, minimumUserLimitPercent: 50, userLimitFactor: 2, ...own }, B: { capacity: 90 } }
      const master = standing({}, { queues })
      master.submit({ ...asking('ann', 3, 4), queue: 'A.x' })
      master.submit({ ...asking('bob', 2, 1), queue: 'A.x' })
      return starts(master, 4)
    }
    expect(of({})).toEqual(['ann', 'ann', 'bob', 'bob']) // as above
    expect(of({ userWeights: { bob: 1.5 } })).toEqual(['ann', 'ann', 'bob', 'bob'])
    expect(of({ userWeights: { ann: 1 } })).toEqual(['ann', 'bob', 'bob', 'ann'])
  })

  it('passes over those above it and serves the others by submission (testSingleQueueWithMultipleUsers)', () => {
    const master = standing({ minimumUserLimitPercent: 25, userLimitFactor: 10 })
    master.submit(asking('ann', 2, 1))
    expect(starts(master, 1)).toEqual(['ann'])
    master.submit(asking('bob', 1, 3))
    master.submit(asking('cyd', 9, 1))
    // ann has 1: the limit is the larger of (1 + 1) / 3 and 25 % of 4, which is 1: ann, and has no more; then bob and cyd
    expect(starts(master, 4)).toEqual(['ann', 'bob', 'cyd', 'cyd'])
  })

  const of = (usedByActive: number, activeWeight: number, change: Partial<Parameters<typeof userLimit>[0]> = {}) =>
    userLimit({ total: [24], capacity: [24], most: [24], usageRatio: usedByActive / 24, usedByActive: [usedByActive], activeWeight, percent: 1, factor: 1, minimum: [1], basis: 'active-usage', ...change })[0]
  it('is recomputed when a user comes: of 10 GB in use ceil(11 / 3) = 4 each, then ceil(11 / 4) = 3 (testUserLimitCacheActiveUsersChanged)', () => {
    expect([of(10, 3), of(10, 4)]).toEqual([4, 3])
  })

  it('is what the queue may use at most where the queue is guaranteed nothing (UsersManager)', () => {
    expect(of(5, 1, { capacity: [0], most: [12] })).toBe(6) // 5 + 1 of 12
    expect(of(20, 1, { capacity: [0], most: [12] })).toBe(12)
  })

  it('compares dominant shares with several resources (testDRFUserLimits)', () => {
    const master = dispatcher({
      cluster: cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 8, cpu: 100 } }] }),
      policy: capacityScheduler({ resourceCalculator: 'dominant', queues: { A: { capacity: 80, minimumUserLimitPercent: 50, userLimitFactor: 2 }, B: { capacity: 20 } }, maximumOffswitchAssignments: 99 }),
    })
    master.submit(job({ id: 'cores', user: 'ann', queue: 'A', tasks: 10, demand: { mem: 1, cpu: 40 } }))
    master.submit(job({ id: 'memory', user: 'bob', queue: 'A', tasks: 10, demand: { mem: 2, cpu: 10 } }))
    // of 16 GB and 200 cores a task of ann is 20 %, one of bob 12.5 %. The limit is half of the queue's 12 GB and 160 cores: 6 and 80
    expect(master.heartbeat('n-0', 0).start.map((task) => task.job)).toEqual(['cores', 'cores']) // 2 and 80 are not above it; 20 cores left: reserved
    // with 3 and 120 ann is above it, and within without what is reserved on the other node: that is given up; then bob, until there is 1 GB left
    expect(master.heartbeat('n-1', 1).start.map((task) => task.job)).toEqual(['cores', 'memory', 'memory', 'memory'])
  })

  it('are held against what there is now: what a user has is a smaller part of a cluster that has grown', () => {
    // half of 10 is 5, and one task more; when the other node comes back half of 20 is 10. Hadoop's LeafQueue.recalculateQueueUsageRatio
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 10 } }] }), policy: capacityScheduler({ queues: { A: { capacity: 50, userLimitFactor: 1 }, B: { capacity: 50 } } }) })
    master.nodeDown('n-1', 0)
    master.submit(job({ id: 'ann', user: 'ann', queue: 'A', tasks: 30, demand: { mem: 1 } }), 0)
    const before = master.pass(0).start.length
    master.nodeUp('n-1', 5)
    expect([before, master.pass(5).start.length]).toEqual([6, 5])
  })
})

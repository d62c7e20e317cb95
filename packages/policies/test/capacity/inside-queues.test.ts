import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { insideQueue } from '../../src/capacity/inside-queues.js'

// Situations of Hadoop 3's TestProportionalCapacityPreemptionPolicyIntraQueue and its variants in numbers of our own, without application masters.

type Line = readonly [user: string, priority: number, used: number, pending: number]
interface Change {
  readonly limit?: number
  readonly most?: number
  readonly order?: 'userlimit-first' | 'priority-first'
  readonly equal?: 'parts-of-leaf' | 'parts-of-users'
}
/** What is taken from each job of a leaf, in order of submission; users may have `limit` each. */
function taken(lines: readonly Line[], { limit = 200, most = 200, order = 'userlimit-first', equal }: Change): number[] {
  const all = (name: string) => lines.reduce((sum, [user, , used]) => sum + (user === name ? used : 0), 0)
  const users = new Map(lines.map(([name]) => [name, { used: [all(name)], limit: [limit] }]))
  const byUse = ([one, , used]: Line, [other, , most]: Line) => all(one) - all(other) || used - most
  const inOrder = [...lines.keys()].sort((a, b) => (equal === undefined ? 0 : byUse(lines[a] as Line, lines[b] as Line)) || (lines[b]?.[1] ?? 0) - (lines[a]?.[1] ?? 0) || a - b)
  const jobs = inOrder.map((i) => {
    const [name, priority, used, pending] = lines[i] as Line
    return { user: users.get(name) as NonNullable<ReturnType<typeof users.get>>, priority, used: [used], pending: [pending], chosen: [0] }
  })
  const shares = insideQueue({ total: [200], jobs, divided: [lines.reduce((sum, [, , used]) => sum + used, 0)], most: [most], minimum: [1], order, conservativeDrf: true, equal })
  return lines.map((_, i) => shares[inOrder.indexOf(i)]?.taken[0] as number)
}

describe('what jobs of a queue give to others in it', () => {
  it.each<[string, readonly Line[], Change, readonly number[]]>([
    ['testSimpleIntraQueuePreemption: the lowest priorities, the last submitted first, up to the limit', [['u', 4, 51, 30], ['u', 4, 3, 15], ['u', 5, 2, 15], ['u', 6, 2, 15]], { most: 12, order: 'priority-first' }, [9, 3, 0, 0]],
    ['testNoPreemptionForSamePriorityApps', [['u', 1, 51, 30], ['u', 1, 3, 15], ['u', 1, 2, 30]], { order: 'priority-first' }, [0, 0, 0]],
    ['testLimitPreemptionWithMaxIntraQueuePreemptableLimit', [['u', 4, 60, 30], ['u', 6, 8, 150]], { most: 45, order: 'priority-first' }, [45, 0]],
    ['testComplexIntraQueuePreemption: 26 for the high ones, from three low ones', [['u', 3, 8, 30], ['u', 4, 22, 15], ['u', 4, 15, 15], ['u', 5, 4, 8], ['u', 5, 0, 3], ['u', 6, 3, 15]], { order: 'priority-first' }, [8, 3, 15, 0, 0, 0]],
    ['testIntraQueuePreemptionWithTwoUsers: not below the limit of the user, of whom each job keeps one', [['ann', 4, 53, 30], ['bob', 6, 7, 45]], { limit: 30 }, [22, 0]],
    ['testSimpleIntraQueuePreemptionWithTwoUsers', [['ann', 1, 150, 0], ['bob', 1, 0, 45]], { limit: 75 }, [45, 0]],
    ['testSimpleIntraQueuePreemptionWithTwoUsersWithAppPriority: a user above its limit gives, whatever the priority', [['ann', 2, 150, 0], ['bob', 1, 0, 45]], { limit: 75 }, [45, 0]],
    ['testNoIntraQueuePreemptionWithSingleUser', [['ann', 1, 150, 0], ['ann', 1, 0, 45]], { limit: 75 }, [0, 0]],
    ['testNoIntraQueuePreemptionWithTwoUserUnderUserLimit', [['ann', 1, 75, 0], ['bob', 1, 45, 45]], { limit: 75 }, [0, 0]],
    ['testIntraQueuePreemptionOfUserLimitWithMultipleApps: of the last of her jobs', [['ann', 1, 45, 45], ['bob', 1, 30, 30], ['ann', 1, 45, 45], ['bob', 1, 0, 15]], { limit: 75 }, [0, 0, 15, 0]],
    ['testIntraQueuePreemptionOfUserLimitWitAppsOfDifferentPriority: of the one of lower priority', [['ann', 3, 45, 45], ['bob', 1, 30, 30], ['ann', 4, 45, 0], ['bob', 1, 0, 15]], { limit: 75 }, [14, 0, 0, 0]],
    ['testIntraQueuePreemptionWithTwoRequestingUsers', [['ann', 1, 90, 15], ['bob', 1, 60, 15]], { limit: 75 }, [14, 0]],
    ['testNoIntraQueuePreemptionIfBelowUserLimitAndHighPriorityExtraUsers', [['ann', 1, 75, 0], ['bob', 1, 75, 0], ['cyd', 5, 0, 15]], { limit: 75 }, [0, 0, 0]],
    ['testNoIntraQueuePreemptionIfBelowUserLimitAndLowPriorityExtraUsers', [['ann', 1, 75, 0], ['bob', 1, 75, 0], ['cyd', 0, 0, 15]], { limit: 75 }, [0, 0, 0]],
    ['testNoIntraQueuePreemptionIfBelowUserLimitAndSamePriorityExtraUsers', [['ann', 1, 75, 0], ['bob', 1, 75, 0], ['cyd', 1, 0, 15]], { limit: 75 }, [0, 0, 0]],
    ['testNoIntraQueuePreemptionIfBelowUserLimitAndHighPriorityExtraUsers under priority-first', [['ann', 1, 75, 0], ['bob', 1, 75, 0], ['cyd', 5, 0, 15]], { limit: 75, order: 'priority-first' }, [0, 15, 0]],
    ['testSimpleIntraQueuePreemptionOneUserUnderOneUserAtOneUserAbove', [['ann', 1, 98, 0], ['bob', 1, 52, 0], ['cyd', 1, 0, 1]], { limit: 52 }, [1, 0, 0]],
    ['testIntraQueuePreemptionFifoOrderingPolicyEnabled: the user at its limit gives no more', [['ann', 1, 90, 0], ['bob', 1, 52, 0], ['cyd', 1, 8, 22]], { limit: 52 }, [22, 0, 0]],
  ])('are as in Hadoop: %s', (_, lines, change, expected) => {
    expect(taken(lines, change)).toEqual(expected)
  })

  // Hadoop 3.4: jobs of a fair leaf are to have equal parts of their users' limits; each keeps one task more
  it.each<[string, readonly Line[], Change, readonly number[]]>([
    ['testIntraQueuePreemptionFairOrderingPolicyEnabledOneAppPerUser', [['ann', 1, 90, 0], ['bob', 1, 60, 0], ['cyd', 1, 0, 30]], { limit: 51 }, [30, 0, 0]],
    ['testIntraQueuePreemptionFairOrderingPolicyMulitipleAppsPerUser: of both jobs of the user with most, to a half of 51 each', [['ann', 1, 52, 0], ['ann', 1, 38, 0], ['bob', 1, 60, 0], ['cyd', 1, 0, 30]], { limit: 51 }, [25, 5, 0, 0]],
    ['testIntraQueuePreemptionFairOrderingPolicyMultiAppsSingleUser: to a quarter of 160', [['ann', 1, 40, 0], ['ann', 1, 55, 0], ['ann', 1, 65, 0], ['ann', 1, 0, 30]], { equal: 'parts-of-leaf' }, [0, 6, 24, 0]],
    ['testIntraQueuePreemptionFairOPIntraUserPreemption: of 40 for a job, 39 from one of its own user', [['ann', 1, 60, 0], ['ann', 1, 20, 0], ['bob', 1, 80, 0], ['bob', 1, 0, 50]], { limit: 80 }, [1, 0, 39, 0]],
    ['testIntraQueuePreemptionFairOPFairnessAcrossUsers', [['ann', 1, 82, 0], ['ann', 1, 78, 0], ['bob', 1, 0, 80]], { limit: 80 }, [41, 37, 0]],
    ['testIntraQueuePreemptionFairOPUserLimitPreserved: though two want 80 each', [['ann', 1, 160, 0], ['bob', 1, 0, 80], ['cyd', 1, 0, 80]], { limit: 80 }, [79, 0, 0]],
    ['testIntraQueuePreemptionFairOPwithUL100oneUserManyApps', [['ann', 1, 24, 16], ['ann', 1, 27, 16], ['ann', 1, 32, 16], ['ann', 1, 36, 16], ['ann', 1, 41, 16], ['bob', 1, 0, 160]], { limit: 160 }, [0, 0, 0, 3, 8, 0]],
    ['testIntraQueuePreemptionFairOPwithUL100MultiUsersSkewedRes: none of who has his part', [['ann', 1, 10, 100], ['ann', 1, 110, 0], ['bob', 1, 40, 0], ['bob', 1, 0, 100]], { limit: 160 }, [0, 29, 0, 0]],
    ['whatever the priorities, and to the last task under priority-first', [['ann', 9, 90, 0], ['bob', 1, 10, 60]], { limit: 50, order: 'priority-first' }, [40, 0]],
    ['no more than may be taken', [['ann', 1, 90, 0], ['bob', 1, 10, 60]], { limit: 50, most: 25 }, [25, 0]],
  ])('are equal parts in fair leaves: %s', (_, lines, change, expected) => {
    expect(taken(lines, { equal: 'parts-of-users', ...change })).toEqual(expected)
  })
})

type Preemption = NonNullable<CapacitySchedulerOptions['preemption']>
const eager: Preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
const inside = { ...eager, intraQueue: { maxAllowableLimit: 1 } }
const byPriority = { ...eager, intraQueue: { maxAllowableLimit: 1, order: 'priority-first' as const } }
interface Asked extends JobChange {
  readonly mem?: number
  readonly cpu?: number
}
const asking = (id: string, tasks: number, { mem = 1, cpu = 0, ...change }: Asked = {}) => job({ id, queue: 'a', user: id, tasks, demand: { mem, cpu }, duration: 1000, ...change })
/** Tasks killed by job, at each time, on ten nodes of 10 and 10 cores; queue a is the cluster. */
function kills(preemption: Preemption, jobs: readonly ReturnType<typeof asking>[], { queues = {}, ...options }: CapacitySchedulerOptions = {}) {
  const policy = capacityScheduler({ preemption, maximumApplicationPriority: 10, ...options, queues: { a: { capacity: 100, minimumUserLimitPercent: 50 }, ...queues } })
  const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 10, resources: { mem: 10, cpu: 10 } }] }), jobs, policy, until: 60 })
  const byTime: Record<string, Record<string, number>> = {}
  for (const { time, job: id } of recorder.evictions) (byTime[time] ??= {})[id] = (byTime[time]?.[id] ?? 0) + 1
  return { byTime, starts: (id: string) => recorder.launches.filter((each) => each.job === id).map(({ time }) => time) }
}
const late: Asked = { submit: 10 }

describe('preemption inside a queue', () => {
  it('is off unless it is asked for', () => {
    const jobs = [asking('ann', 100), asking('bob', 30, late)]
    expect(kills(eager, jobs).byTime).toEqual({})
    expect(kills({ ...eager, intraQueue: { enabled: false } }, jobs).byTime).toEqual({})
  })

  it('takes from users above their limit for others, who start in their place', () => {
    // both may have half of 101: 51. Marked at 12 s, killed at the next look
    const { byTime, starts } = kills(inside, [asking('ann', 100), asking('bob', 30, late)])
    expect(byTime).toEqual({ 15: { ann: 30 } })
    expect(starts('bob')).toEqual(Array(30).fill(15))
  })

  it('leaves them more than their limit: tasks of 5 go down from 60 to 55, and not to 50 (testNoIntraQueuePreemptionWithUserLimitDeadzone)', () => {
    expect(kills(inside, [asking('ann', 12, { mem: 5 }), asking('bob', 40), asking('bob2', 10, { ...late, user: 'bob' })]).byTime).toEqual({ 15: { ann: 1 } })
  })

  it('takes nothing for another job of theirs, of whatever priority, once they are near it (testIntraQueuePreemptionWithUserLimitDeadzoneAndPriority)', () => {
    const jobs = [asking('ann', 12, { mem: 5, priority: 1 }), asking('bob', 40, { priority: 1 }), asking('high', 10, { ...late, user: 'ann', priority: 2 }), asking('bob2', 20, { ...late, user: 'bob', priority: 1 })]
    expect(kills(inside, jobs).byTime).toEqual({ 15: { ann: 1 } })
  })

  it('takes for priority alone, also of one user, where it goes before limits of users', () => {
    const jobs = [asking('other', 50, { queue: 'b' }), asking('low', 50, { user: 'ann', priority: 1 }), asking('high', 30, { ...late, user: 'ann', priority: 5 })]
    const queues = (userLimitFactor: number) => ({ queues: { a: { capacity: 50, userLimitFactor }, b: { capacity: 50 } } })
    expect(kills(inside, jobs, queues(2)).byTime).toEqual({})
    expect(kills(byPriority, jobs, queues(2)).byTime).toEqual({ 15: { low: 30 } })
    expect(kills(byPriority, jobs, queues(1)).byTime).toEqual({}) // nobody in the queue may have more
  })

  it('takes a part of the guarantee of the queue in one look, or of the cluster (testLimitPreemptionWithTotalPreemptedResourceAllowed)', () => {
    const jobs = [asking('ann', 100), asking('bob', 30, late)]
    expect(kills({ ...eager, intraQueue: {} }, jobs).byTime).toEqual({ 15: { ann: 20 }, 21: { ann: 10 } })
    expect(kills({ ...inside, totalPreemptionPerRound: 0.15 }, jobs).byTime).toEqual({ 15: { ann: 15 }, 21: { ann: 15 } })
  })

  it('takes nothing in a queue that uses too little of its guarantee (testNoPreemptionWhenQueueIsUnderCapacityLimit)', () => {
    // a has 45 of 90, and no room for more: ann 30, bob 15. A user may have a third of 90
    const queues = { a: { capacity: 90, minimumUserLimitPercent: 10 }, b: { capacity: 10, disablePreemption: true, userLimitFactor: -1 } }
    const jobs = [asking('other', 55, { queue: 'b' }), asking('ann', 40), asking('bob', 5), asking('cyd', 10, late)]
    const at = (minimumThreshold: number) => kills({ ...inside, intraQueue: { maxAllowableLimit: 1, minimumThreshold } }, jobs, { queues }).byTime
    expect([at(0.5), at(0.51)]).toEqual([{ 15: { ann: 9 } }, {}])
  })

  it('takes nothing in a queue that forbids it, nor in one from which nothing is taken (testNoIntraQueuePreemptionWithPreemptionDisabledOnQueues)', () => {
    const jobs = [asking('ann', 100), asking('bob', 30, late)]
    expect(kills(inside, jobs, { queues: { a: { capacity: 100, minimumUserLimitPercent: 50, disableIntraQueuePreemption: true } } }).byTime).toEqual({})
    expect(kills(inside, jobs, { queues: { root: { disableIntraQueuePreemption: true } } }).byTime).toEqual({})
    expect(kills(inside, jobs, { queues: { a: { capacity: 100, minimumUserLimitPercent: 50, disablePreemption: true } } }).byTime).toEqual({})
  })

  it('takes of fifo from the last job down to the limit of its user, of fair from the user with most (TestProportionalCapacityPreemptionPolicyIntraQueueFairOrdering)', () => {
    // ann 60, bob 40, cyd wants 20: each may have a third of 101, 34
    const jobs = [asking('ann', 60), asking('bob', 40), asking('cyd', 20, late)]
    const queue = { capacity: 100, minimumUserLimitPercent: 10 }
    expect(kills(inside, jobs, { queues: { a: queue } }).byTime).toEqual({ 15: { ann: 15, bob: 5 } })
    expect(kills(inside, jobs, { queues: { a: { ...queue, ordering: 'fair' } } }).byTime).toEqual({ 15: { ann: 20 } })
  })

  it('brings jobs of one user in a fair leaf to equal parts, as Hadoop does since 3.4 (testIntraQueuePreemptionFairOrderingPolicyMultiAppsSingleUser)', () => {
    const jobs = [asking('one', 25, { user: 'ann' }), asking('two', 35, { user: 'ann' }), asking('three', 40, { user: 'ann' }), asking('four', 20, { ...late, user: 'ann' })]
    const queues = (userLimitFactor: number) => ({ a: { capacity: 50, ordering: 'fair' as const, minimumUserLimitPercent: 100, userLimitFactor }, b: { capacity: 50 } })
    const with_ = (equalParts: boolean) => kills({ ...eager, intraQueue: { maxAllowableLimit: 1, equalParts } }, jobs, { queues: queues(3) }).byTime
    expect([with_(true), with_(false)]).toEqual([{ 15: { two: 6, three: 14 } }, {}])
  })

  it('takes no task larger than what its job is to give to equal parts', () => {
    // ann may have 51 and has 70 in tasks of 10: she gives 18, which is one of them. The first of bob's two has 30 of 26
    const jobs = [asking('ann', 7, { mem: 10 }), asking('bob', 30), asking('bob2', 30, { ...late, user: 'bob' })]
    const queues = { a: { capacity: 100, ordering: 'fair' as const, minimumUserLimitPercent: 50 } }
    expect(kills(inside, jobs, { queues }).byTime[15]).toEqual({ ann: 1, bob: 3 })
  })

  it('counts what is taken for other queues (testAlreadySelectedContainerFromInterQueuePreemption)', () => {
    // a has 75 of 60, b 15 of 40 and room for 10 more: 15 for b; high wants 20 and gets 5 more, together 20
    const queues = { a: { capacity: 60, userLimitFactor: -1 }, b: { capacity: 40, userLimitFactor: -1 } }
    const jobs = [asking('low', 55, { user: 'u', priority: 1 }), asking('high0', 20, { user: 'u', priority: 2 }), asking('b0', 25, { queue: 'b' }), asking('high', 20, { ...late, user: 'u', priority: 2 }), asking('b1', 100, { ...late, queue: 'b' })]
    expect(kills(byPriority, jobs, { queues }).byTime[15]).toEqual({ low: 20 })
  })

  it('goes by all resources, carefully or not (testIntraQueuePreemptionFairOrderingWithStrictAndRelaxedDRF)', () => {
    // ann has all memory and 10 of 100 cores. She may have 51 of both: of the cores in use nothing is left for bob, with which a careful look ends.
    // Else 20 of both are to be taken, and four tasks bring some of that until she is near her limit by memory
    const jobs = [asking('ann', 10, { mem: 10, cpu: 1 }), asking('bob', 5, { ...late, mem: 10, cpu: 1 })]
    const with_ = (conservativeDrf: boolean) => kills({ ...eager, intraQueue: { maxAllowableLimit: 0.2, conservativeDrf } }, jobs, { resourceCalculator: 'dominant' }).byTime[15]
    expect([with_(true), with_(false)]).toEqual([undefined, { ann: 4 }])
  })

  it('goes by partitions (testNodePartitionIntraQueuePreemption)', () => {
    const policy = capacityScheduler({ preemption: byPriority, maximumApplicationPriority: 10, queues: { a: { capacity: 50, userLimitFactor: 2, labels: { x: { capacity: 50 } } }, b: { capacity: 50, userLimitFactor: 2, labels: { x: { capacity: 50 } } } } })
    const one = (id: string, queue: string, tasks: number, isIn: boolean, change: JobChange = {}) => job({ id, queue, user: queue, stages: [{ name: 's', tasks, demand: { mem: 1 }, duration: 1000, ...(isIn ? { constraints: { require: { partition: 'x' } } } : {}) }], ...change })
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ name: 'x', count: 1, resources: { mem: 100 }, labels: { partition: 'x' } }, { name: 'n', count: 1, resources: { mem: 100 } }] }), until: 20, policy,
      jobs: [one('ax', 'a', 50, true), one('an', 'a', 50, false), one('bx', 'b', 50, true), one('bn', 'b', 50, false), one('high', 'a', 20, true, { submit: 10, priority: 5 })],
    })
    expect([...new Set(recorder.evictions.map(({ job: id }) => id))]).toEqual(['ax'])
    expect(recorder.evictions).toHaveLength(20)
  })

  it('takes gangs whole, where their job keeps what it should have', () => {
    const queues = { a: { capacity: 50, userLimitFactor: 2 }, b: { capacity: 50 } }
    const jobs = (want: number) => [asking('other', 50, { queue: 'b' }), asking('gang', 20, { user: 'ann', gang: true, priority: 1 }), asking('low', 30, { user: 'ann', priority: 2 }), asking('high', want, { ...late, user: 'ann', priority: 5 })]
    // of 20 that 'gang' has it should have 0, then 10
    expect(kills(byPriority, jobs(20), { queues }).byTime[15]).toEqual({ gang: 20 })
    expect(kills(byPriority, jobs(10), { queues }).byTime).toEqual({})
  })
})

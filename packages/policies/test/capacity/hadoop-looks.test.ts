import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Whole looks of Hadoop 3's TestProportionalCapacityPreemptionPolicyForNodePartitions, its IntraQueue, IntraQueueUserLimit and IntraQueueWithDRF variants
// and TestPreemptionForQueueWithPriorities, in numbers of our own: which tasks are marked.

const RESOURCES = ['mem', 'cpu', 'gpu'] as const
/** Amounts of these resources, as many as the case has. */
type Amounts = number | readonly number[]
const amounts = (of: Amounts): Record<string, number> => Object.fromEntries((typeof of === 'number' ? [of] : of).map((amount, i) => [RESOURCES[i] ?? '', amount]))

/** What a queue is guaranteed, and at most may use, in each partition; '' is the default one. */
interface QueueIn {
  readonly own: Readonly<Record<string, Amounts>>
  readonly most?: Readonly<Record<string, Amounts>>
  readonly change?: NonNullable<CapacitySchedulerOptions['queues']>[string]
}
/** A job: tasks that run in a partition, and further ones that wait. */
interface App {
  readonly queue: string
  readonly user?: string
  readonly priority?: number
  readonly size?: Amounts
  readonly runs?: number
  readonly wants?: number
  readonly on?: string
  /** Whether the tasks that run are of the default partition, and `on` is lent to them. */
  readonly lent?: boolean
  /** Whether the first task is its master. */
  readonly master?: boolean
}
interface World {
  /** Total of each partition. */
  readonly total: Readonly<Record<string, Amounts>>
  readonly queues: Readonly<Record<string, QueueIn>>
  readonly apps: readonly App[]
  readonly options?: CapacitySchedulerOptions
}

const eager = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0.1 }

/** How many tasks of each job are taken in one look, in order of the jobs. */
function taken({ total, queues, apps, options = {} }: World): number[] {
  const labels = Object.keys(total).filter((label) => label !== '')
  const { preemption, ...others } = options
  const master = dispatcher({
    cluster: cluster({ nodes: Object.entries(total).map(([label, of]) => ({ name: `node${label}`, count: 1, resources: amounts(of), ...(label !== '' && { labels: { partition: label } }) })), heartbeat: { interval: 1 } }),
    policy: capacityScheduler({
      queues: Object.fromEntries(Object.entries(queues).map(([path, { own, most = {}, change }]) => {
        const at = (label: string) => ({ capacity: amounts(own[label] ?? 0), maximumCapacity: amounts(most[label] ?? total[label] ?? 0) })
        return [path, path === 'root' ? { ...change } : { ...at(''), labels: Object.fromEntries(labels.map((label) => [label, at(label)])), ...change }]
      })),
      defaults: { userLimitFactor: -1 }, preemption: { ...eager, ...preemption }, ...others,
    }),
  })
  for (const [i, { queue, user = 'ann', priority, size = 1, runs = 0, wants = 0, on = '', lent = false, master: hasMaster = false }] of apps.entries()) {
    const constraints = on === '' || lent ? {} : { constraints: { require: { partition: on } } }
    const stage = (name: string, tasks: number) => ({ name, tasks, demand: amounts(size), duration: 1000, ...constraints })
    const stages = hasMaster ? [{ ...stage('master', 1), duration: 0, master: true }, stage('work', runs - 1 + wants)] : [stage('work', runs + wants)]
    const spec: JobSpec = { id: `app${i}`, submit: 0, queue, user, stages, ...(priority !== undefined && { priority }) }
    master.submit(spec, 0)
    for (let task = 0; task < runs; task++) master.adopt({ job: spec.id, node: `node${on}-0`, ...(hasMaster && task > 0 ? { stage: 1, task: task - 1 } : { task }) }, 0)
  }
  const [first, second] = [3, 6].map((now) => master.tick(now).kill)
  expect(first).toEqual([])
  return apps.map((_, i) => (second ?? []).filter(({ job }) => job === `app${i}`).length)
}

const closed = { disablePreemption: true }
/** Five jobs of 24 tasks, one of them a master. */
const five = Array.from({ length: 5 }, (): App => ({ queue: 'a', runs: 24, on: 'x', master: true }))
const dominant = { resourceCalculator: 'dominant' } as const

describe('one look over partitions (TestProportionalCapacityPreemptionPolicyForNodePartitions)', () => {
  const half = { '': 60, x: 60 }
  it.each<[string, World, readonly number[]]>([
    ['testNodePartitionPreemptionRespectGuaranteedCapacity: in each what is due there', {
      total: { '': 120, x: 120 }, queues: { a: { own: half }, b: { own: half } },
      apps: [{ queue: 'a', runs: 90, on: 'x', wants: 60 }, { queue: 'a', runs: 25, wants: 60 }, { queue: 'b', runs: 30, on: 'x', wants: 60 }, { queue: 'b', runs: 95, wants: 60 }],
    }, [30, 0, 0, 35]],
    ['testNodePartitionPreemptionRespectMaximumCapacity: nothing for one that has its guarantee there, though its maximum is larger', {
      total: { '': 110, x: 110 }, queues: { a: { own: { '': 88, x: 88 } }, b: { own: { '': 11, x: 11 } }, c: { own: { '': 11, x: 11 }, most: { x: 33 } } },
      apps: [{ queue: 'b', runs: 99, wants: 40, on: 'x' }, { queue: 'c', runs: 11, wants: 40, on: 'x' }],
    }, [0, 0]],
    ['testNodePartitionPreemptionOfIgnoreExclusivityAndRespectCapacity: first of those it is lent to, though they came first', {
      total: { '': 120, x: 120 }, queues: { a: { own: half }, b: { own: half } }, options: { exclusiveLabels: [] },
      apps: [{ queue: 'a', runs: 1, on: 'x' }, { queue: 'a', runs: 25, on: 'x', lent: true }, { queue: 'a', runs: 94, wants: 50, on: 'x' }, { queue: 'b', wants: 120, on: 'x' }],
    }, [0, 25, 35, 0]],
    ['testNodePartitionPreemptionOfSkippingAMContainer: all but masters of the last four', {
      total: { '': 120, x: 120 }, queues: { a: { own: { '': 60, x: 24 } }, b: { own: { '': 60, x: 96 } } }, apps: [...five, { queue: 'b', wants: 120, on: 'x' }],
    }, [4, 23, 23, 23, 23, 0]],
    ['testNodePartitionPreemptionOfAMContainer: masters of the last two as well', {
      total: { '': 120, x: 120 }, queues: { a: { own: { '': 60, x: 3 } }, b: { own: { '': 60, x: 117 } } }, apps: [...five, { queue: 'b', wants: 120, on: 'x' }],
    }, [23, 23, 23, 24, 24, 0]],
    ['testNodePartitionDisablePreemptionForSingleLevelQueue: from A, since B is closed', {
      total: { '': 110, x: 110 }, queues: { a: { own: { '': 88, x: 44 } }, b: { own: { '': 11, x: 22 }, change: closed }, c: { own: { '': 11, x: 44 } } },
      apps: [{ queue: 'a', runs: 56, wants: 50, on: 'x' }, { queue: 'b', runs: 32, on: 'x' }, { queue: 'c', runs: 22, wants: 50, on: 'x' }],
    }, [12, 0, 0]],
    ['testNodePartitionNonAccessibleQueuesSharePartitionedResource: what is left of it is divided by those it is lent to', {
      total: { '': 120, x: 120 }, queues: { a: { own: { '': 30, x: 60 } }, b: { own: { '': 30, x: 60 } }, c: { own: { '': 30, x: 0 } }, d: { own: { '': 30, x: 0 } } }, options: { exclusiveLabels: [] },
      apps: [{ queue: 'b', runs: 36, on: 'x' }, { queue: 'c', runs: 42, wants: 60, on: 'x', lent: true }, { queue: 'd', runs: 42, wants: 60, on: 'x', lent: true }, { queue: 'a', wants: 36, on: 'x' }],
    }, [0, 18, 18, 0]],
    ['testHierarchyPreemptionForMultiplePartitions', {
      total: { '': 120, x: 120, y: 120 }, queues: Object.fromEntries(['a', 'b'].flatMap((path) => [[path, { own: { '': 60, x: 60, y: 60 } }], ...['one', 'two'].map((name) => [`${path}.${name}`, { own: { '': 30, x: 30, y: 30 } }])])),
      apps: ([['a.one', 42, 30], ['a.two', 30, 18], ['b.one', 18, 30], ['b.two', 30, 42]] as const).flatMap(([queue, x, y]): App[] => [{ queue, runs: x, wants: 24, on: 'x' }, { queue, runs: y, wants: 24, on: 'y' }]),
    }, [12, 0, 0, 0, 0, 0, 0, 12]],
    ['testHierarchyPreemptionForDifferenceAcessibility: of two queues that have one each', {
      total: { '': 120, x: 120, y: 120 },
      queues: { a: { own: { '': 60, x: 120 } }, 'a.one': { own: { '': 30, x: 60 } }, 'a.two': { own: { '': 30, x: 60 } }, b: { own: { '': 60, y: 120 } }, 'b.one': { own: { '': 30, y: 60 } }, 'b.two': { own: { '': 30, y: 60 } } },
      apps: [{ queue: 'a.one', runs: 120, on: 'x' }, { queue: 'a.two', wants: 120, on: 'x' }, { queue: 'b.one', runs: 90, on: 'y' }, { queue: 'b.two', wants: 120, on: 'y' }],
    }, [60, 0, 30, 0]],
    ['testNodePartitionPreemptionWithVCoreResource: by both resources', {
      total: { '': [120, 240], x: [120, 240] }, queues: { a: { own: { '': [60, 120], x: [60, 120] } }, b: { own: { '': [60, 120], x: [60, 120] } } }, options: dominant,
      apps: [{ queue: 'a', runs: 96, on: 'x', size: [1, 2] }, { queue: 'a', runs: 24, size: [1, 2] }, { queue: 'b', runs: 24, on: 'x', size: [1, 2] }, { queue: 'b', runs: 96, size: [1, 2] },
        ...['a', 'b'].flatMap((queue): App[] => [{ queue, wants: 60, size: [1, 2] }, { queue, wants: 60, on: 'x', size: [1, 2] }])],
    }, [36, 0, 0, 36, 0, 0, 0, 0]],
    ['testNormalizeGuaranteeWithMultipleResource: two queues that lack some, in different parents', {
      total: { '': [100, 100, 10] }, queues: { a: { own: { '': [50, 80, 4] } }, 'a.one': { own: { '': [25, 30, 2] } }, 'a.two': { own: { '': [25, 50, 2] } }, b: { own: { '': [50, 20, 6] } }, 'b.one': { own: { '': [25, 5, 4] } }, 'b.two': { own: { '': [25, 15, 2] } } },
      apps: [{ queue: 'a.one', runs: 10, size: [8, 9, 1] }, { queue: 'b.two', runs: 10, size: [2, 1, 0] }, { queue: 'a.two', wants: 10, size: [3, 2, 0] }, { queue: 'b.one', wants: 10, size: [2, 1, 0] }, { queue: 'b.two', wants: 10, size: [2, 1, 0] }],
    }, [7, 0, 0, 0, 0]],
  ])('takes as Hadoop does: %s', (_, world, expected) => {
    expect(taken(world)).toEqual(expected)
  })
})

describe('one look inside queues, by both resources (TestProportionalCapacityPreemptionPolicyIntraQueueWithDRF)', () => {
  const inside = (order: 'userlimit-first' | 'priority-first', change: object): CapacitySchedulerOptions => ({ ...dominant, maximumApplicationPriority: 10, defaults: { userLimitFactor: -1, maximumAmResourcePercent: 1 }, preemption: { intraQueue: { order, ...change } } })
  const job = (priority: number, runs: number, wants: number, size: Amounts = [1, 1]): App => ({ queue: 'b', priority, runs, wants, size, master: true })
  it.each<[string, World, readonly number[]]>([
    // a fifth of 40 memory and 20 cores are 8 and 4: one of the second job, and 3 of the first, which bring the 3 cores that are left
    ['testSimpleIntraQueuePreemptionWithVCoreResource', {
      total: { '': [100, 100] }, queues: { b: { own: { '': [40, 20] } }, d: { own: { '': [60, 80] } } }, options: inside('priority-first', {}),
      apps: [job(4, 36, 20), job(4, 2, 10), job(5, 1, 10), job(6, 1, 10), { queue: 'd', runs: 20, size: [1, 1] }],
    }, [3, 1, 0, 0, 0]],
    // the last job should have all but masters, and the others give all of that
    ['testIntraQueuePreemptionWithDominantVCoreResource', {
      total: { '': [200, 600] }, queues: { a: { own: { '': [80, 510] } }, b: { own: { '': [120, 90] } } }, options: inside('priority-first', { maxAllowableLimit: 0.5 }),
      apps: [job(4, 10, 12, [4, 3]), job(4, 5, 8, [2, 6]), job(5, 5, 25, [2, 3]), job(6, 5, 20, [4, 3])],
    }, [9, 4, 4, 0]],
  ])('takes as Hadoop does: %s', (_, world, expected) => {
    expect(taken(world)).toEqual(expected)
  })

  it('takes in a fair leaf carefully as much as may be of one resource, else as long as a user is above its limit (testIntraQueuePreemptionFairOrderingWithStrictAndRelaxedDRF)', () => {
    // b is guaranteed 40 memory and 400 cores; ann has 80 and 80, and may have 41 memory. A fifth of the guarantee is 8 and 80
    const with_ = (conservativeDrf: boolean) => taken({
      total: { '': [80, 800] }, queues: { a: { own: { '': [40, 400] } }, b: { own: { '': [40, 400] }, change: { ordering: 'fair', minimumUserLimitPercent: 50 } } },
      options: inside('userlimit-first', { conservativeDrf, equalParts: false }), apps: [{ queue: 'b', runs: 80, size: [1, 1] }, { queue: 'b', user: 'bob', wants: 40, size: [1, 1] }],
    })
    expect([with_(true), with_(false)]).toEqual([[8, 0], [38, 0]])
  })
})

describe('one look inside queues, where each job has a master that stays (TestProportionalCapacityPreemptionPolicyIntraQueue)', () => {
  const most = (maxAllowableLimit?: number, preemption: object = {}): CapacitySchedulerOptions =>
    ({ maximumApplicationPriority: 10, defaults: { userLimitFactor: -1, maximumAmResourcePercent: 1 }, preemption: { intraQueue: { order: 'priority-first', ...(maxAllowableLimit !== undefined && { maxAllowableLimit }) }, ...preemption } })
  const job = (queue: string, priority: number, runs: number, wants = 0, change: Partial<App> = {}): App => ({ queue, priority, runs, wants, master: runs > 0, ...change })
  const of200 = (own: Readonly<Record<string, number>>, options: CapacitySchedulerOptions, ...apps: App[]): World =>
    ({ total: { '': 200 }, queues: Object.fromEntries(Object.entries(own).map(([queue, amount]) => [queue, { own: { '': amount } }])), options, apps })
  const x = { on: 'x' }
  it.each<[string, World, readonly number[]]>([
    ['testSimpleIntraQueuePreemption: a fifth of 80, in the one queue that has jobs of several priorities', of200({ a: 22, b: 80, c: 40, d: 58 }, most(),
      job('a', 1, 12, 50), job('a', 1, 10, 50), job('b', 4, 68, 40), job('b', 4, 4, 20), job('b', 5, 2, 20), job('b', 6, 2, 20), job('c', 1, 20, 20), job('d', 1, 40)), [0, 0, 13, 3, 0, 0, 0, 0]],
    ['testLimitPreemptionWithTotalPreemptedResourceAllowed', of200({ a: 80, b: 120 }, most(0.5, { totalPreemptionPerRound: 0.1 }), job('a', 1, 10, 50), job('a', 2, 10, 50), job('b', 4, 80, 40), job('b', 6, 10, 200)), [0, 0, 20, 0]],
    ['testAlreadySelectedContainerFromInterQueuePreemption: what is due to the other queue, and the rest', of200({ a: 120, b: 80 }, most(0.5), job('a', 1, 100, 30), job('a', 2, 40, 40), job('b', 4, 40, 40), job('b', 4, 10, 200)), [40, 0, 0, 0]],
    ['testSkipAMContainersInInterQueuePreemption', of200({ a: 120, b: 80 }, most(0.5), job('a', 1, 60, 20), job('a', 1, 20, 40), job('a', 2, 40, 40), job('b', 4, 40, 40), job('b', 4, 40, 200)), [21, 19, 0, 0, 0]],
    ['testSkipAMContainersInInterQueuePreemptionSingleApp', of200({ a: 100, b: 100 }, most(), job('a', 1, 20, 20), job('a', 2, 80, 20), job('b', 4, 40, 40), job('b', 4, 60, 200)), [19, 0, 0, 0]],
    ['testNoPreemptionForSingleApp', of200({ a: 120, b: 80 }, most(), job('a', 4, 40, 100)), [0]],
    ['testOverutilizedQueueResourceWithInterQueuePreemption: what goes to the other queue is enough', of200({ a: 40, b: 160 }, most(), job('a', 1, 100), job('a', 3, 100, 60), job('b', 4, 0, 40)), [40, 0, 0]],
    // a: all but the master; b: 34 for the upper three; c: 6
    ['testComplexIntraQueuePreemption', of200({ a: 20, b: 80, c: 40, d: 60 }, most(0.5, { totalPreemptionPerRound: 0.5 }), job('a', 1, 10, 50), job('a', 4, 0, 50), job('a', 5, 0, 4),
      job('b', 3, 10, 40), job('b', 4, 30, 20), job('b', 4, 20, 20), job('b', 5, 6, 10), job('b', 5, 0, 4), job('b', 6, 4, 20), job('c', 1, 16, 20), job('c', 1, 4, 10), job('c', 2, 0, 6), job('d', 2, 50), job('d', 1, 0, 40)), [9, 0, 0, 9, 6, 19, 0, 0, 0, 3, 3, 0, 0, 0]],
    // 40 on x; 50 in the default partition, half of what b is guaranteed there
    ['testComplexNodePartitionIntraQueuePreemption', { total: { '': 200, x: 200 }, queues: { a: { own: { '': 100, x: 100 } }, b: { own: { '': 100, x: 100 } } }, options: most(0.5), apps: [job('a', 1, 70, 20, x), job('a', 1, 10, 20, x), job('a', 2, 0, 40, x), job('a', 1, 100),
      job('b', 1, 100, 0, x), job('b', 1, 50), job('b', 1, 6), job('b', 1, 4), job('b', 5, 10, 60)] }, [31, 9, 0, 0, 0, 42, 5, 3, 0]],
    // each user may have a third of 201, 67: bob is left one more, of ann's jobs the last comes first
    ['testIntraQueuePreemptionFifoOrderingPolicyMultipleAppsPerUser', { total: { '': 200 }, queues: { a: { own: { '': 200 }, change: { minimumUserLimitPercent: 30 } } }, options: { ...most(1), preemption: { intraQueue: { maxAllowableLimit: 1 } } },
      apps: [job('a', 1, 80), job('a', 1, 40), job('a', 1, 80, 0, { user: 'bob' }), job('a', 1, 0, 60, { user: 'cyd' })] }, [9, 39, 12, 0]],
  ])('takes as Hadoop does: %s', (_, world, expected) => {
    expect(taken(world)).toEqual(expected)
  })
})

describe('one look inside queues (TestProportionalCapacityPreemptionPolicyIntraQueueUserLimit)', () => {
  const options = { maximumApplicationPriority: 10, preemption: { intraQueue: { maxAllowableLimit: 0.5 } } }
  const change = { minimumUserLimitPercent: 50 }
  it.each<[string, World, readonly number[]]>([
    // of a each user may have 36, and ann has 42; of b 24 and 30
    ['testIntraQueuePreemptionOfUserLimitInTwoQueues', {
      total: { '': 120 }, queues: { a: { own: { '': 72 }, change }, b: { own: { '': 48 }, change } }, options,
      apps: [{ queue: 'a', priority: 3, runs: 24, wants: 30 }, { queue: 'a', user: 'bob', priority: 1, runs: 24, wants: 20 }, { queue: 'a', priority: 4, runs: 18 }, { queue: 'a', user: 'bob', priority: 1, wants: 10 },
        { queue: 'b', priority: 3, runs: 30, wants: 10 }, { queue: 'b', user: 'bob', priority: 1, runs: 12, wants: 10 }],
    }, [5, 0, 0, 0, 5, 0]],
    ['testNoPreemptionOfUserLimitWithMultipleAppsAndSameUser: nothing, though ann has more than half', {
      total: { '': 120 }, queues: { a: { own: { '': 120 }, change } }, options, apps: [{ queue: 'a', runs: 36, wants: 24 }, { queue: 'a', runs: 24, wants: 24 }, { queue: 'a', runs: 36, wants: 36 }, { queue: 'a', wants: 12 }],
    }, [0, 0, 0, 0]],
  ])('takes as Hadoop does: %s', (_, world, expected) => {
    expect(taken(world)).toEqual(expected)
  })
})

describe('one look with priorities of queues (TestPreemptionForQueueWithPriorities)', () => {
  const root = { own: {}, change: { queueOrdering: 'priority-utilization' } } as const
  const by = (priority: number) => ({ queueOrdering: 'priority-utilization', priority }) as const
  it.each<[string, World, readonly number[]]>([
    // a.one has 20 cores too much, which are due to a.two; b has 30 memory and 50 cores too much, b.one no more than it is due
    ['testPriorityPreemptionWithMandatoryResourceForHierarchicalOfQueues', {
      total: { '': [100, 200] }, options: dominant,
      queues: { root, a: { own: { '': [50, 100] }, change: by(1) }, 'a.one': { own: { '': [10, 20] }, change: { priority: 1 } }, 'a.two': { own: { '': [40, 80] }, change: { priority: 1 } }, b: { own: { '': [50, 100] }, change: by(1) }, 'b.one': { own: { '': [20, 40] }, change: { priority: 2 } }, 'b.two': { own: { '': [30, 60] }, change: { priority: 1 } } },
      apps: [{ queue: 'a.one', runs: 10, size: [1, 4] }, { queue: 'a.two', runs: 10, size: [1, 1] }, { queue: 'b.one', runs: 10, size: [2, 3] }, { queue: 'b.two', runs: 3, size: [20, 40] },
        { queue: 'a.one', wants: 10, size: [3, 2] }, { queue: 'a.two', wants: 10, size: [3, 8] }, { queue: 'b.one', wants: 10, size: [2, 7] }, { queue: 'b.two', wants: 10, size: [2, 3] }],
    }, [5, 0, 0, 2, 0, 0, 0, 0]],
    ['testPriorityPreemptionWithMultipleResource: what is taken from the lower one is enough', {
      total: { '': [200, 300, 10] }, options: dominant,
      queues: { root, a: { own: { '': [100, 180, 3] }, change: by(1) }, 'a.one': { own: { '': [40, 45, 3] }, change: { priority: 1 } }, 'a.two': { own: { '': [60, 135, 0] }, change: { priority: 2 } }, b: { own: { '': [100, 120, 7] }, change: by(1) } },
      apps: [{ queue: 'a.one', runs: 10, size: [12, 15, 1] }, { queue: 'a.two', runs: 10, size: [4, 12, 0] }, { queue: 'b', runs: 10, size: [4, 3, 0] }, { queue: 'a.two', wants: 4, size: [15, 15, 1] }, { queue: 'b', wants: 2, size: [30, 15, 1] }],
    }, [7, 0, 0, 0, 0]],
    // the one user of c may have a step more than is used there, of 30
    ['testPriorityPreemptionForBalanceBetweenSatisfiedQueues: of a lower one, down to its guarantee', {
      total: { '': 120 }, options: { minimumAllocation: { mem: 30 }, preemption: { balance: { maxWaitBeforeKill: 0 } } }, queues: { root, a: { own: { '': 36 }, change: { priority: 1 } }, b: { own: { '': 36 }, change: { priority: 1 } }, c: { own: { '': 48 }, change: { priority: 2 } } },
      apps: [{ queue: 'b', runs: 48, wants: 60 }, { queue: 'c', runs: 72, wants: 30 }],
    }, [12, 0]],
  ])('takes as Hadoop does: %s', (_, world, expected) => {
    expect(taken(world)).toEqual(expected)
  })
})

import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { greedy, queueShares, skipDelay, yarnAssign, yarnFair, yarnPreempting, yarnReserving, type QueueOptions, type ShareEntry, type YarnFairOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { DominantKeys } from '../../src/yarn/comparators.js'

// Situations of the tests of Hadoop 3's fair scheduler, named at each, with numbers of our own.

describe('shares (TestComputeFairShares, TestFairScheduler)', () => {
  const entry = (change: Partial<ShareEntry>): ShareEntry => ({ weight: 1, min: 0, max: Infinity, active: true, ...change })
  const whole = (total: number, changes: readonly Partial<ShareEntry>[]) =>
    [...queueShares({ parents: [-1, ...changes.map(() => 0)], entries: [entry({}), ...changes.map(entry)] }, total)].slice(1)

  it.each<[string, number, readonly Partial<ShareEntry>[], readonly number[]]>([
    ['equal', 60, [{}, {}, {}], [20, 20, 20]],
    ['below low maxima', 50, [{ max: 90 }, { max: 60 }, { max: 14 }, { max: 4 }], [16, 16, 14, 4]],
    ['minima that leave nothing', 50, [{ min: 25 }, { min: 22 }, {}, { min: 3 }], [25, 22, 0, 3]],
    ['by weight', 90, [{ weight: 2 }, {}, {}, { weight: 0.5 }], [40, 20, 20, 10]],
    ['by weight below maxima', 90, [{ max: 20, weight: 2 }, { max: 22 }, { max: 60 }, { max: 40, weight: 0.5 }], [20, 22, 32, 16]],
    ['by weight above minima', 90, [{ min: 40, weight: 2 }, {}, { min: 10 }, { min: 30, weight: 0.5 }], [40, 10, 10, 30]],
    ['large', 90e9, [{}, {}, {}], [30e9, 30e9, 30e9]],
    ['whole, rounded up together', 20 * 1024, [{}, {}, {}], [6827, 6827, 6827]], // testSimpleFairShareCalculation
    ['of a tiny weight 0', 8192, [{ weight: 2 }, { weight: 0.000001 }], [8192, 0]], // testRequestAMResourceInZeroFairShareQueue
    ['of weight 0 the minimum', 8192, [{ weight: 0, min: 1024 }, { weight: 0 }, {}], [1024, 0, 7168]], // testFairShareWithZeroWeight...
    ['of those that run something', 90, [{ active: false, weight: 7 }, {}, { weight: 2 }], [0, 30, 60]], // TestFairSchedulerFairShare
  ])('are %s', (_, total, changes, expected) => {
    expect(whole(total, changes)).toEqual(expected)
  })

  it('are found for minima of all there is', () => {
    expect(whole(2 ** 31, [{ min: 2 ** 31 }, { min: 2 ** 31 }])).toEqual([2 ** 31, 2 ** 31]) // testResourceUsedWithWeightToResourceRatio
  })
})

describe('the order of drf (TestDominantResourceFairnessPolicy)', () => {
  interface Side {
    readonly usage: readonly number[]
    readonly min?: readonly number[]
    readonly weight?: number
  }
  const keyOf = (capacity: readonly number[], { usage, min = capacity.map(() => 0), weight = 1 }: Side) => {
    const key = new Float64Array(capacity.length + 1)
    new DominantKeys([...capacity.keys()], capacity).write(key, usage, 0, min, weight)
    return [...key]
  }
  /** Whether the first is served before the second. */
  const before = (capacity: readonly number[], a: Side, b: Side) => {
    const [x, y] = [keyOf(capacity, a), keyOf(capacity, b)]
    const i = x.findIndex((each, at) => each !== y[at])
    return i >= 0 && x[i]! < y[i]!
  }

  it.each<[string, readonly number[], Side, Side]>([
    ['the smaller part of one resource', [16, 8], { usage: [3, 1] }, { usage: [5, 1] }],
    ['the smaller of two dominant parts', [16, 16], { usage: [8, 5] }, { usage: [3, 9] }], // 1/2 against 9/16
    ['the one below its minimum of what dominates', [16, 16], { usage: [4, 10], min: [0, 12] }, { usage: [8, 6] }],
    ['the smaller part of the minimum, where both are below', [16, 200], { usage: [4, 10], min: [6, 12] }, { usage: [8, 6], min: [10, 8] }], // 4/6 against 8/10
    ['the smaller part over the weight', [16, 16], { usage: [6, 1], weight: 2 }, { usage: [4, 1] }],
    ['the same where another resource dominates', [16, 16], { usage: [2, 6], weight: 2 }, { usage: [4, 1] }],
    ['the second part where the first is equal', [16, 16, 16], { usage: [8, 3, 4] }, { usage: [5, 8, 1] }], // 8 4 3 against 8 5 1
  ])('serves %s first', (_, capacity, first, second) => {
    expect([before(capacity, first, second), before(capacity, second, first)]).toEqual([true, false])
  })

  it('follows the size of the cluster (testCompareSchedulablesWithClusterResourceChanges)', () => {
    const [a, b] = [{ usage: [4, 1] }, { usage: [2, 2] }]
    expect([before([8, 5], a, b), before([16, 6], a, b)]).toEqual([false, true]) // 4/8 against 2/5; 4/16 against 2/6
  })
})

// ---- starts ----

const machine = (mem: number, cpu: number, count = 1) => cluster({ nodes: [{ name: 'n', count, resources: { cpu, mem } }], heartbeat: { interval: 1 } }) // cpu first, which is not YARN's order
const of = (id: string, queue: string, mem: number, cpu: number, tasks: number): JobSpec => job({ id, queue, demand: { mem, cpu }, tasks })
const drf: YarnFairOptions = { root: { policy: 'drf' }, defaults: { policy: 'drf' } }
/** Who gets one start after the other on one machine. */
function inTurn(mem: number, cpu: number, options: YarnFairOptions, jobs: readonly JobSpec[]): string {
  const master = dispatcher({ cluster: machine(mem, cpu), policy: greedy(yarnFair(options)) })
  for (const each of jobs) master.submit(each, 0)
  return master.heartbeat('n-0', 0).start.map((each) => each.job).join(' ')
}

describe('starts (TestFairScheduler)', () => {
  it('go to the smaller dominant share in one queue, over queues, and down the tree (testBasicDRF..., testDRFHierarchicalQueues)', () => {
    expect(inTurn(80, 5, drf, [of('a', 'q', 20, 1, 2), of('b', 'q', 10, 2, 2)])).toBe('a b a') // then 20/80 and 2/5; 4 cores are left for none of 2
    expect(inTurn(80, 7, drf, [of('a', 'q1', 30, 1, 2), of('b', 'q1', 20, 2, 2), of('c', 'q2', 10, 2, 2)])).toBe('a c c b')
    expect(inTurn(1200, 12, drf, [of('a', 'q1.s1', 301, 1, 2), of('b', 'q1.s1', 100, 3, 2), of('c', 'q1.s2', 200, 2, 2), of('d', 'q2', 100, 2, 2)])).toBe('a d d c c b')
  })

  it('are served to a minimum of memory first, also where the cluster names cores before it', () => {
    const min = (queues: YarnFairOptions['root']) => inTurn(8, 8, { ...drf, root: { policy: 'drf', ...queues } }, [of('a', 'a', 1, 1, 2), of('b', 'b', 1, 1, 2)])
    expect(min({ queues: { b: { minResources: { mem: 1 } } } })).toBe('b a a b')
    expect(min({ queues: { b: { minResources: { cpu: 1 } } } })).toBe('a b a b') // nothing is used: memory dominates
  })

  it('go last to jobs and queues that want no memory, under fair (FairSharePolicy.compareDemand)', () => {
    expect(inTurn(9, 9, {}, [of('none', 'a', 0, 1, 2), of('some', 'b', 1, 1, 2)])).toBe('some some none none')
    expect(inTurn(9, 9, {}, [of('none', 'a', 0, 1, 1), of('some', 'a', 1, 1, 2)])).toBe('some some none')
  })

  it('alternate between a fifo queue and a parent of two fair ones (testAssignContainer)', () => {
    const options: YarnFairOptions = { root: { queues: { first: { policy: 'fifo' } } } }
    const jobs = [of('a', 'first', 1, 1, 4), of('b', 'pair.x', 1, 1, 4), of('c', 'pair.y', 1, 1, 4), of('d', 'first', 1, 1, 4)]
    expect(inTurn(16, 16, options, jobs)).toBe('a b a c a b a c d b d c d b d c')
  })

  it('raise a maximum to the minimum (FSQueue.getMaxShare), of defaults too', () => {
    const options: YarnFairOptions = { defaults: { maxResources: { mem: 2 } }, root: { queues: { a: { minResources: { mem: 5 } } } } }
    expect(inTurn(20, 20, options, [of('a', 'a', 1, 1, 9), of('b', 'b', 1, 1, 9)]).split(' ').sort().join('')).toBe('aaaaabb')
  })

  it('keep to percentages of the cluster as it is (ConfigurableResource.getResource)', () => {
    const options: YarnFairOptions = { root: { queues: { a: { maxResources: { mem: '50%' } } } } }
    const master = dispatcher({ cluster: machine(8, 99, 2), policy: greedy(yarnFair(options)) })
    master.submit(of('a', 'a', 1, 1, 99), 0)
    const setUp = (isUp: boolean) => {
      master.cell.setUp(1 as never, isUp)
      master.policy.onNode?.(1 as never, isUp)
    }
    setUp(false)
    expect(master.heartbeat('n-0', 0).start).toHaveLength(4) // half of 8
    expect(() => master.submit(of('large', 'a', 7, 1, 1), 0)).not.toThrow() // half of 16 could hold it
    setUp(true)
    expect(master.heartbeat('n-1', 1).start).toHaveLength(4) // half of 16
  })

  it('count of what a parent wants only what the maxima inside it let it have (FSParentQueue.updateDemand, testUpdateDemand)', () => {
    // p has a minimum of 16, but x may use 4 and y wants 4: it is filled to 8 as q to 10, and not to 16
    const options: YarnFairOptions = { root: { queues: { p: { minResources: { mem: 16 }, queues: { x: { maxResources: { mem: 4 } }, y: {} } }, q: { minResources: { mem: 10 } } } } }
    const master = dispatcher({ cluster: machine(40, 40), policy: greedy(yarnFair(options)) })
    master.submit(of('x', 'p.x', 1, 1, 99), 0)
    master.submit(of('y', 'p.y', 1, 1, 4), 0)
    master.submit(of('q', 'q', 1, 1, 10), 0)
    expect(master.heartbeat('n-0', 0).start.map((each) => each.job).join('')).toBe('xqqyqxqyqxqqyqxqyq')
  })

  it('go to the first job of a fifo queue, one at a heartbeat (testFifoWithinQueue)', () => {
    const master = dispatcher({ cluster: machine(3, 3), policy: yarnAssign(greedy(yarnFair({ root: { queues: { q: { policy: 'fifo' } } } })), { assignMultiple: false }) })
    for (const id of ['a', 'b']) master.submit(of(id, 'q', 1, 1, 2), 0)
    expect([0, 1, 2].flatMap((now) => master.heartbeat('n-0', now).start.map((each) => each.job))).toEqual(['a', 'a', 'b'])
  })

  it('keep to the maximum of queues made inside a parent, each by itself (testChildMaxResources)', () => {
    const options: YarnFairOptions = { root: { queues: { p: { type: 'parent', maxChildResources: { mem: 2, cpu: 2 } } } } }
    expect(inTurn(8, 8, options, [of('a', 'p.x', 1, 1, 8), of('b', 'p.y', 1, 1, 8)]).split(' ').sort().join('')).toBe('aabb')
  })

  it('leave what a low maximum keeps from one queue to the other (testFairShareWithLowMaxResources)', () => {
    const options: YarnFairOptions = { root: { queues: { a: { weight: 0.75, maxResources: { mem: 1, cpu: 1 } }, b: { weight: 0.25 } } } }
    expect(inTurn(8, 8, options, [of('a', 'a', 1, 1, 5), of('b', 'b', 1, 1, 3)]).split(' ').sort().join('')).toBe('abbb')
  })

  it('and reservations end at the maximum of a queue (testContainerReservationAttemptExceedingQueueMax)', () => {
    const options: YarnFairOptions = { root: { queues: { one: { maxResources: { mem: 2, cpu: 5 } }, two: { maxResources: { mem: 2, cpu: 9 } } } } }
    const master = dispatcher({ cluster: machine(3, 5), policy: yarnReserving(greedy(yarnFair(options)), { threshold: { mem: 1, cpu: 1 } }) })
    const beat = (now: number, next: JobSpec) => {
      master.submit(next, now)
      return master.heartbeat('n-0', now).start
    }
    const [first, second, third] = [beat(0, of('a', 'one', 2, 1, 1)), beat(1, of('b', 'two', 1, 1, 1)), beat(2, of('c', 'one', 1, 1, 1))]
    expect([first, second, third].map((start) => start.map((each) => each.job).join())).toEqual(['a', 'b', ''])
    master.taskEnded(second[0]!, 3)
    expect(beat(3, of('d', 'two', 1, 1, 1)).map((each) => each.job)).toEqual(['d']) // the node was not kept for c
  })

  it('fill nodes at once where none may be reserved (testReservationThresholdWithAssignMultiple), also with tasks that ask no memory (testMaxAssignWithZeroMemoryContainers)', () => {
    const many = { assignMultiple: true, dynamicMaxAssign: false }
    const full = dispatcher({ cluster: machine(4, 4, 2), policy: yarnReserving(yarnAssign(greedy(yarnFair()), many), { reservableNodes: 0 }) })
    full.submit(of('a', 'q', 1, 1, 10), 0)
    expect(['n-0', 'n-1'].map((node) => full.heartbeat(node, 0).start.length)).toEqual([4, 4])
    const none = dispatcher({ cluster: machine(16, 16), policy: yarnAssign(greedy(yarnFair()), { ...many, maxAssign: 2 }) })
    none.submit(of('a', 'q', 0, 1, 8), 0)
    expect([0, 1, 2].map((now) => none.heartbeat('n-0', now).start.length)).toEqual([2, 2, 2])
  })

  it('of queues made at first use have the maximum for those in their parent, or that of all (TestQueueManager.testCreateParentQueueWithChildDefaults)', () => {
    const options: YarnFairOptions = { defaults: { maxResources: { mem: 16 } }, root: { queues: { p: { type: 'parent', maxResources: { mem: 64 }, maxChildResources: { mem: 8 } } } } }
    const starts = (...queues: readonly string[]) => inTurn(100, 999, options, queues.map((queue) => of(queue, queue, 1, 1, 100))).split(' ').length
    expect([starts('p.x'), starts('p.x.y'), starts('p.x.y', 'p.x.z'), starts('p.x', 'p.y'), starts('q.x')]).toEqual([8, 8, 8, 16, 16])
  })

  it('wait for data for parts of the cluster: 5 and 6 of 10 nodes are passed over for the node and the rack (TestFSAppAttempt.testDelayScheduling)', () => {
    const nodes = cluster({ nodes: [{ name: 'n', count: 10, racks: 2, resources: { mem: 1 } }], heartbeat: { interval: 1 } })
    const beats = (host: string, from: string) => {
      const master = dispatcher({ cluster: nodes, policy: skipDelay(yarnFair(), { skips: [5, 7] }) }) // 7: the opportunity at which the node is given up counts for neither
      master.submit({ id: 'a', submit: 0, stages: [{ name: 's', tasks: 1, demand: { mem: 1 }, duration: 1, data: { hosts: [[host]] } }] }, 0)
      for (let beat = 1; beat < 30; beat++) if (master.heartbeat(from, beat).start.length > 0) return beat
      return undefined
    }
    const rack = (i: number) => Array.from({ length: 10 }, (_, n) => n).filter((n) => n !== i && beats(`n-${i}`, `n-${n}`) === 6)
    expect(rack(0)).toHaveLength(4) // the rest of the rack at the 6th
    const far = Array.from({ length: 10 }, (_, n) => n).filter((n) => beats('n-0', `n-${n}`) === 13)
    expect(far).toHaveLength(5) // anywhere at the 13th
    expect(beats('n-0', 'n-0')).toBe(1)
  })
})

describe('queues made at first use (TestFairScheduler.testHierarchicalQueuesSimilarParents, TestSchedulingPolicy.testSchedulingPolicyViolation)', () => {
  const refusal = (options: YarnFairOptions, queues: readonly string[]) => {
    const master = dispatcher({ cluster: machine(9, 9), policy: greedy(yarnFair(options)) })
    return queues.map((queue, i) => master.policy.admits?.(of(`job${i}`, queue, 1, 1, 1)))
  }

  it('refuse jobs that would go to a queue around others, or into one that holds jobs, and take those beside them', () => {
    expect(refusal({}, ['parent.child', 'parent', 'parent.child.grandchild', 'parent.sister', 'root.parent.sister'])).toEqual([
      undefined, 'jobs are submitted to queue "root.parent", which holds queues and no jobs', 'queue "root.parent.child.grandchild" would lie in "root.parent.child", which holds jobs itself', undefined, undefined,
    ])
  })

  it('refuse jobs where the policy of all cannot be theirs', () => {
    expect(refusal({ root: { policy: 'fair' }, defaults: { policy: 'drf' } }, ['new'])).toEqual(['queue "root.new" has the policy drf in "root", which has fair'])
  })
})

describe('limits of running jobs (TestMaxRunningAppsEnforcer, TestFairScheduler.testUserAndQueueMaxRunningApps)', () => {
  /** Jobs [name, queue, user] of one task each on a large machine: who runs, and who follows when one has ended. */
  function follow(options: YarnFairOptions, jobs: readonly (readonly [string, string, string])[], ends: string): [string, string] {
    const master = dispatcher({ cluster: machine(99, 99), policy: greedy(yarnFair(options)) })
    for (const [id, queue, user] of jobs) master.submit({ ...of(id, queue, 1, 1, 1), user }, 0)
    const first = master.heartbeat('n-0', 0).start
    const ended = first.find((each) => each.job === ends)
    if (ended !== undefined) master.taskEnded(ended, 1)
    const names = (placed: readonly Placed[]) => placed.map((each) => each.job).sort().join('')
    return [names(first), names(master.heartbeat('n-0', 1).start)]
  }
  const tree = (max: number): YarnFairOptions => ({ root: { queues: { top: { maxRunningApps: max, type: 'parent' } } } })

  it.each<[string, YarnFairOptions, readonly (readonly [string, string, string])[], [string, string]]>([
    ['nobody, where the queue of those that wait is full', { root: { maxRunningApps: 2, queues: { x: { maxRunningApps: 1 }, y: { maxRunningApps: 1 } } } }, [['a', 'x', 'u'], ['b', 'y', 'u'], ['c', 'y', 'u']], ['ab', '']],
    ['one in a cousin', tree(2), [['a', 'top.l.x', 'u'], ['b', 'top.r.y', 'u'], ['c', 'top.r.y', 'u']], ['ab', 'c']],
    ['one by its queue, one by its user', { root: { queues: { top: { queues: { x: { maxRunningApps: 2 }, y: {} } } } }, users: { ann: { maxRunningApps: 1 } } }, [['a', 'top.x', 'ann'], ['b', 'top.x', 'bob'], ['c', 'top.x', 'cid'], ['d', 'top.y', 'ann']], ['ab', 'cd']],
    ['the first that came', tree(2), [['a', 'top.l.x', 'u'], ['b', 'top.r.y', 'u'], ['c', 'top.r.y', 'u'], ['d', 'top.l.x', 'u']], ['ab', 'c']],
    ['the first that came, also from another queue than that of the one that ended (testMaxRunningAppsHierarchicalQueues)', { root: { queues: { top: { maxRunningApps: 3, queues: { x: {}, y: {}, z: { maxRunningApps: 1 } } } } } }, [['b', 'top.x', 'u'], ['a', 'top.z', 'u'], ['c', 'top.y', 'u'], ['d', 'top.y', 'u'], ['e', 'top.z', 'u']], ['abc', 'd']],
    ['one of several', tree(2), [['a', 'top.l.x', 'u'], ['b', 'top.r.y', 'u'], ['c', 'top.r.y', 'u'], ['d', 'top.r.y', 'u']], ['ab', 'c']],
  ])('let follow %s', (_, options, jobs, expected) => {
    expect(follow(options, jobs, 'a')).toEqual(expected)
  })
})

// ---- preemption ----

describe.each([false, true])('preemption, under drf: %s (TestFairSchedulerPreemption)', (isDrf) => {
  const policy = isDrf ? drf : {}
  /** Two nodes of 8 and 24; `greedy` fills them with 8 tasks of 2 and 2, then others come: tasks that each runs in the end. */
  function run(claims: 'min' | 'fair', from: string, others: readonly JobSpec[]): Record<string, number> {
    const timeout: QueueOptions = claims === 'fair' ? { fairSharePreemptionThreshold: 1, fairSharePreemptionTimeout: 0 } : { minSharePreemptionTimeout: 0 }
    const child: QueueOptions = claims === 'min' ? { minResources: { mem: 8, cpu: 8 } } : {}
    const queues = { open: { ...timeout, queues: { x: child, y: child } }, beside: timeout, closed: { ...timeout, allowPreemptionFrom: false, queues: { x: child, y: child } } }
    const master = dispatcher({ cluster: machine(8, 24, 2), policy: yarnPreempting(greedy(yarnFair({ ...policy, root: { ...policy.root, queues } })), { utilizationThreshold: 0, waitBeforeKill: 0 }) })
    const runs: Record<string, number> = {}
    const count = (placed: readonly Placed[], by: number) => {
      for (const each of placed) runs[each.job] = (runs[each.job] ?? 0) + by
    }
    const beat = (dispatch: Dispatcher, now: number) => {
      for (const node of ['n-0', 'n-1']) {
        const { start, kill } = dispatch.heartbeat(node, now)
        count(kill, -1)
        count(start, 1)
      }
    }
    master.submit(of('greedy', from, 2, 2, 8), 0)
    beat(master, 0)
    for (const [i, each] of others.entries()) {
      master.submit(each, 1 + 10 * i)
      for (let now = 1; now <= 10; now++) beat(master, now + 10 * i)
    }
    return runs
  }

  it('takes half for a sibling, and for a cousin, in tasks twice as large', () => {
    for (const claims of ['min', 'fair'] as const)
      for (const queue of ['open.y', 'closed.x']) expect({ claims, queue, ...run(claims, 'open.x', [of('late', queue, 4, 4, 4)]) }).toEqual({ claims, queue, greedy: 4, late: 2 })
  })

  it('takes it inside one queue for the fair share of a job, and not for the minimum of the queue', () => {
    expect(run('fair', 'open.x', [of('late', 'open.x', 4, 4, 4)])).toEqual({ greedy: 4, late: 2 })
    expect(run('min', 'open.x', [of('late', 'open.x', 4, 4, 4)])).toEqual({ greedy: 8 })
  })

  it('takes nothing from a queue that may not lose', () => {
    for (const claims of ['min', 'fair'] as const) expect(run(claims, 'closed.x', [of('late', 'open.x', 4, 4, 4)])).toEqual({ greedy: 8 })
  })

  it('takes no more than keeps the fair share: one task of 6 of the 8 that are missing', () => {
    for (const claims of ['min', 'fair'] as const) expect(run(claims, 'open.x', [of('late', 'open.y', 6, 6, 4)])).toEqual({ greedy: 5, late: 1 })
  })

  it('takes for a sibling while the queue around both is at its share', () => {
    expect(run('fair', 'open.x', [of('beside', 'beside', 4, 4, 4), of('late', 'open.y', 4, 4, 4)])).toEqual({ greedy: 2, beside: 2, late: 1 })
  })
})

describe('starvation (TestFSAppStarvation)', () => {
  it('is that of the minimum, or of the fair share by memory and by dominant part, where a queue asks for it', () => {
    const fairShare: QueueOptions = { fairSharePreemptionThreshold: 1, fairSharePreemptionTimeout: 0 }
    const queues = {
      none: { fairSharePreemptionThreshold: 0 }, min: { fairSharePreemptionThreshold: 0, minSharePreemptionTimeout: 0, minResources: { mem: 2, cpu: 2 } },
      fair: { ...fairShare, policy: 'fair' as const, queues: { child: { ...fairShare, policy: 'fair' as const } } }, drf: { ...fairShare, queues: { child: fairShare } },
    }
    const served = (utilizationThreshold: number) => {
      const master = dispatcher({ cluster: machine(4, 4, 2), policy: yarnPreempting(greedy(yarnFair({ ...drf, root: { policy: 'drf', queues } })), { utilizationThreshold, waitBeforeKill: 0 }) })
      master.submit(of('all', 'default', 1, 1, 8), 0)
      for (const node of ['n-0', 'n-1']) master.heartbeat(node, 0)
      for (const queue of ['none', 'min', 'fair.child', 'drf.child']) master.submit(of(queue, queue, 1, 1, 1), 1)
      return [1, 2, 3, 4].flatMap((now) => ['n-0', 'n-1'].flatMap((node) => master.heartbeat(node, now).start.map((each) => each.job))).sort()
    }
    expect(served(0)).toEqual(['drf.child', 'fair.child', 'min'])
    expect(served(1.1)).toEqual([])
  })
})

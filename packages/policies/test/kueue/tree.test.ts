import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { preempted, world, type Load } from './world.js'

// Cases of Kueue's own tests (TestHierarchicalPreemptions, the trees of TestFairPreemptions, TestSchedule).

type Queues = NonNullable<KueueOptions['queues']>
const all = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } as const
const upTo0 = { borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 0 } } as const
const empty = { nominalQuota: { cpu: 0 }, preemption: all } as const
const [inC, inR] = [{ ...empty, cohort: 'c' }, { ...empty, cohort: 'r' }]

/** r holds b and c, and c holds q. */
const tree = (ofC: number, more: Queues = {}, ofR = 0): KueueOptions => ({
  cohorts: { r: { nominalQuota: { cpu: ofR } }, c: { parent: 'r', nominalQuota: { cpu: ofC } } },
  queues: { q: inC, b: inR, ...more },
})
const deep: KueueOptions = {
  cohorts: Object.fromEntries(
    (['c11 r', 'c12 r', 'c21 c11', 'c22 c11', 'c23 c11', 'c31 c21', 'c32 c21'] as const).map((each) => each.split(' ')).map(([name, parent]) => [name, { parent, nominalQuota: { cpu: 4 } }]),
  ) as NonNullable<KueueOptions['cohorts']>,
  queues: Object.fromEntries((['q1 c12', 'q2 c23', 'q3 c22', 'q4 c32', 'q5 c31'] as const).map((each) => each.split(' ')).map(([name, cohort]) => [name, { ...empty, cohort }])) as Queues,
}
const deepLoads: Load[] = [['q1_1', 4, -6], ['q1_2', 4, -5], ['q2_3', 4, -9], ['q2_4', 4, -10], ['q3_5', 4, -4], ['q3_6', 3, -3], ['q4_7', 2, 4], ['q4_8', 3, 2]]
const both: KueueOptions = {
  cohorts: { r: { nominalQuota: { cpu: 3, mem: 0 } }, c: { parent: 'r', nominalQuota: { cpu: 4, mem: 4 } } },
  queues: Object.fromEntries((['q c', 's c', 'b r'] as const).map((each) => each.split(' ')).map(([name, cohort]) => [name, { cohort, nominalQuota: { cpu: 0, mem: 0 }, preemption: all }])) as Queues,
}
const borrowed: KueueOptions = {
  cohorts: { r: { nominalQuota: { cpu: 3, mem: 0 } }, c: { parent: 'r', nominalQuota: { cpu: 0, mem: 2 } } },
  queues: {
    q: { cohort: 'c', nominalQuota: { cpu: 2, mem: 0 }, lendingLimit: { cpu: 0 }, preemption: all },
    s: { cohort: 'c', nominalQuota: { cpu: 0, mem: 0 } },
    b: { cohort: 'r', nominalQuota: { cpu: 0, mem: 0 } },
  },
}
const byPriority = { q: { ...inC, preemption: { ...all, reclaimWithinCohort: 'LowerPriority' as const, ...upTo0 } }, s: inC }

describe('preemption in a tree, as in TestHierarchicalPreemptions', () => {
  it.each<[string, KueueOptions, readonly Load[], Load, readonly string[] | undefined]>([
    ['reclaims what is the cohort\'s', tree(2), [['b_1', 2]], ['q_in', 2], ['b_1']],
    ['takes nothing from queues within their quota', tree(2, { n: { ...inR, nominalQuota: { cpu: 2 } } }), [['n_1', 2, -10], ['b_1', 2]], ['q_in', 2], ['b_1']],
    ['reclaims several, whatever their priority', tree(2), [['b_1', 1, 1], ['b_2', 1, 2]], ['q_in', 2], ['b_1', 'b_2']],
    ['takes of its own queue and, by priority, of another in its cohort', tree(3, { q: { ...inC, preemption: { ...all, ...upTo0 } }, s: inC }), [['s_1', 1, 1], ['s_2', 1], ['q_own', 1, -1]], ['q_in', 2, 1], ['q_own', 's_2']],
    ['takes nothing of the same priority in its own cohort, which is at its quota', tree(3, { s: inC }), [['s_1', 3]], ['q_in', 2], undefined],
    ['reclaims before it takes of its own queue', tree(2), [['b_1', 1, 1], ['q_own', 1, -2]], ['q_in', 1], ['b_1']],
    ['takes by priority where nothing can be reclaimed', tree(2, { q: { ...inC, preemption: { ...all, ...upTo0 } }, s: inC, n: { ...inR, nominalQuota: { cpu: 2 } } }), [['n_1', 2, -10], ['s_1', 2, -1]], ['q_in', 2], ['s_1']],
    ['reclaims what is its queue\'s, inside and outside of the cohort', tree(2, { q: { ...inC, nominalQuota: { cpu: 4 } }, s: inC }), [['b_1', 3, 10], ['s_1', 3, 10]], ['q_in', 4], ['b_1', 's_1']],
    ['reclaims, and takes by priority what is still short', tree(4, byPriority, 1), [['b_low', 2, -1], ['s_low', 1, -1], ['b_high', 2, 1]], ['q_in', 3], ['b_low', 's_low']],
    ['reclaims, and takes of its own queue what is still short', tree(4, byPriority, 1), [['b_low', 2, -1], ['q_low', 1, -1], ['b_high', 2, 1]], ['q_in', 3], ['b_low', 'q_low']],
    ['reclaims from the lowest priority of those that borrow', tree(3, { n: { ...inR, nominalQuota: { cpu: 2 } } }), [['b_8', 1, 8], ['b_9', 1, 9], ['b_10', 1, 9], ['n_1', 2, -2]], ['q_in', 1], ['b_8']],
    ['takes nothing where every cohort is within its quota', { ...tree(2, { s: inC, o: { ...empty, cohort: 'd' } }), cohorts: { c: { parent: 'r', nominalQuota: { cpu: 2 } }, d: { parent: 'r', nominalQuota: { cpu: 2 } } } }, [['o_1', 1, -10], ['o_2', 1, -10], ['s_1', 2]], ['q_in', 2], undefined],
    ['reclaims several resources', both, [['b_1', { cpu: 3, mem: 1 }], ['s_1', { cpu: 1, mem: 3 }, -2]], ['q_in', { cpu: 2, mem: 1 }, -2], ['b_1']],
    ['counts what the queue keeps for itself', tree(2, { q: { ...inC, nominalQuota: { cpu: 3 }, lendingLimit: { cpu: 2 } } }), [['b_1', 4]], ['q_in', 5, -2], ['b_1']],
    // q's 2 CPUs are kept by q itself; c, which has the 2 mem, borrows CPUs for s, so that nothing is reclaimed for who asks for both
    ['reclaims nothing where its cohort borrows what the queue itself has', borrowed, [['b_1', { mem: 2 }], ['s_1', { cpu: 3 }]], ['q_in', { cpu: 2, mem: 2 }], undefined],
    ['reclaims where its cohort does not borrow that', borrowed, [['b_1', { mem: 2 }]], ['q_in', { cpu: 2, mem: 2 }], ['b_1']],
    ['leaves each cohort what is its own, in a deep tree', deep, deepLoads, ['q5_in', 7, -2], ['q1_1', 'q2_4']],
  ])('%s', (_, options, admitted, incoming, expected) => {
    expect(preempted(options, admitted, incoming)).toEqual(expected)
  })
})

describe('fair preemption in a tree, as in TestFairPreemptions', () => {
  const reclaim = { reclaimWithinCohort: 'Any' } as const
  const fair = (cohorts: KueueOptions['cohorts'], queues: Queues): KueueOptions => ({ fairSharing: true, cohorts, queues })
  const units = (queue: string, count: number, priority?: number): Load[] => Array.from({ length: count }, (_, i): Load => [`${queue}_${i + 1}`, 1, priority ?? i + 1])
  const of = (cohort: string, cpu: number, weight = 1, preemption: object = {}) => ({ cohort, nominalQuota: { cpu }, weight, preemption }) as Queues[string]
  // usage, quota and that with what lies inside: root (15, 5, 15) of left (5, 5, 7), c (5, 1, 1) and right (10, 5, 7)
  const wide = fair(
    { root: { nominalQuota: { cpu: 5 } }, left: { parent: 'root', nominalQuota: { cpu: 5 }, weight: 2 }, right: { parent: 'root', nominalQuota: { cpu: 5 } } },
    { a: of('left', 1, 2, reclaim), b: of('left', 1), c: of('root', 1), d: of('right', 1), e: of('right', 1, 0.99) },
  )
  const chain = (name: string, weight: number) => ({ [name]: { parent: 'root', weight }, [`${name}2`]: { parent: name }, [`${name}3`]: { parent: `${name}2` } })
  const beside = (right: number, ofA: object) => fair({ right: { parent: 'root', weight: 0.1, nominalQuota: { cpu: right } } }, { a: of('root', 5, 10, ofA), b: of('right', 0, 0.1) })

  it.each<[string, KueueOptions, readonly Load[], Load, readonly string[] | undefined]>([
    ['takes of its own cohort, of a queue beside that and in another cohort', wide, ['b', 'c', 'd', 'e'].flatMap((queue) => units(queue, 5)), ['a_in', 5], ['b_1', 'b_2', 'c_1', 'c_2', 'e_1']],
    ['takes nothing of a queue that borrows in a cohort that does not', beside(1, all), [...units('a', 3, -1), ['b_1', 1, -1]], ['a_in', 5], ['a_1', 'a_2', 'a_3']],
    ['takes of its own queue where who borrows is more important', beside(3, { ...all, reclaimWithinCohort: 'LowerPriority' }), [...units('a', 3, -1), ['b_1', 4, 100]], ['a_in', 4], ['a_1', 'a_2', 'a_3']],
    ['compares cohorts far up', fair({ ...chain('A', 1.01), ...chain('B', 0.99), ...chain('C', 1), C4: { parent: 'C3', nominalQuota: { cpu: 1 } } }, { a: of('A3', 0, 1, reclaim), b: of('B3', 0) }), units('b', 1), ['a_in', 1], ['b_1']],
    ['reclaims the quota of a queue without weight', fair({}, { a: of('root', 1, 0, reclaim), b: of('root', 0) }), units('b', 1), ['a_in', 1], ['b_1']],
    ['reclaims the quota of a cohort without weight', fair({ A: { parent: 'root', weight: 0, nominalQuota: { cpu: 1 } } }, { a: of('A', 0, 0, reclaim), b: of('root', 0) }), units('b', 1), ['a_in', 1], ['b_1']],
    ['takes nothing of the quota of a cohort without weight', fair({ R: { parent: 'root', weight: 0, nominalQuota: { cpu: 1 } } }, { a: of('root', 0, 1, reclaim), r: of('R', 0, 0) }), units('r', 1), ['a_in', 1], undefined],
    ['takes of its own queue without a cohort', fair({}, { a: { nominalQuota: { cpu: 1 }, preemption: { withinClusterQueue: 'LowerPriority' } } }), units('a', 1), ['a_in', 1, 1000], ['a_1']],
  ])('%s', (_, options, admitted, incoming, expected) => {
    expect(preempted(options, admitted, incoming)).toEqual(expected)
  })

  it('asks a strategy no second time when its own queue has given something', () => {
    // of 6 CPUs a has 6 with a_in, and b, which weighs half, 4: b would have 2/6 x 2 left, less than a's 6/6, and as much as its 4/6 without a_1,
    // which FairSharingReevaluatePreemptionCandidates would look at, off by default in Kueue 0.20
    const options = { ...fair({}, { a: of('all', 0, 1, all), b: of('all', 0, 0.5), pool: of('all', 6) }), fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare' as const] } }
    expect(preempted(options, [['a_1', 2, -1], ['b_1', 2], ['b_2', 2]], ['a_in', 4])).toBeUndefined()
    expect(preempted({ ...options, fairSharing: true }, [['a_1', 2, -1], ['b_1', 2], ['b_2', 2]], ['a_in', 4])).toEqual(['a_1', 'b_2']) // by the second one
  })
})

describe('fair preemption for one of two resources', () => {
  it('goes by the share of both, also where by that of the one alone there is nobody to take', () => {
    // of 11 CPUs and 6 mem b has 9, 7 of them borrowed. By CPUs a_in comes to 4/11, which b has without b_1, but b_2 is then not to be had;
    // by mem it comes to 3/6, more than any would leave b, and less than b's 7/11, so that the first of b goes: b_2, of the lower priority
    const queues = { a: { cohort: 'r', nominalQuota: { cpu: 4, mem: 3 }, preemption: { reclaimWithinCohort: 'Any' as const } }, b: { cohort: 'r', nominalQuota: { cpu: 2, mem: 0 } } }
    const options = { fairSharing: true, cohorts: { r: { nominalQuota: { cpu: 5, mem: 3 } } }, queues }
    expect(preempted(options, [['b_1', 3, 1], ['b_2', 6]], ['a_in', { cpu: 8, mem: 6 }])).toEqual(['b_2'])
  })
})

describe('admission in a tree', () => {
  it('is first of those that borrow from nearer', () => {
    // q borrows from c, x from r, which has only what c lends
    const { come, end } = world({ cohorts: { c: { parent: 'r', nominalQuota: { cpu: 2 } } }, queues: { q: { cohort: 'c', nominalQuota: { cpu: 0 } }, x: { cohort: 'r', nominalQuota: { cpu: 0 } } } })
    come(['x_0', 2])
    come(['x_1', 2, 9], ['q_1', 2])
    expect(end('x_0').started).toEqual(['q_1'])
  })

  it('keeps for the first of a StrictFIFO queue what it lacks, unless that can always reclaim it', () => {
    const started = (reclaimWithinCohort: 'LowerPriority' | 'Any') => {
      const a = { queueingStrategy: 'StrictFIFO', preemption: { reclaimWithinCohort, borrowWithinCohort: { policy: 'LowerPriority' } } } as const
      const { come } = world({ queues: { a: { cohort: 'all', nominalQuota: { cpu: 4 }, ...a }, b: { cohort: 'all', nominalQuota: { cpu: 4 } }, c: { cohort: 'all', nominalQuota: { cpu: 0 } } } })
      come(['b_0', 3])
      return come(['a_big', 6, 1], ['c_1', 1]).started
    }
    expect(started('LowerPriority')).toEqual([])
    expect(started('Any')).toEqual(['c_1'])
  })

  const own = { withinClusterQueue: 'LowerPriority' } as const
  it('preempts in several queues in a cycle, as far as all of them have room then', () => {
    const of = (cpu: number, preemption: object = own) => ({ cohort: 'all', nominalQuota: { cpu }, preemption }) as Queues[string]
    const run = (options: KueueOptions, held: readonly Load[], ...incoming: readonly Load[]) => {
      const { come } = world(options)
      come(...held)
      return come(...incoming)
    }
    expect(run({ queues: { a: of(2), b: of(2) } }, [['a_1', 2], ['b_1', 2]], ['a_in', 2, 100], ['b_in', 2, 100]).killed).toEqual(['a_1', 'b_1'])
    expect(run({ queues: { a: of(1), b: of(2) } }, [['b_1', 2]], ['a_fit', 1, 100], ['b_in', 2, 99])).toEqual({ started: ['a_fit', 'b_in'], killed: ['b_1'] })
    // 5 CPUs have room for one of the two that ask 3
    const borrowing = { ...own, borrowWithinCohort: { policy: 'LowerPriority' } }
    expect(run({ queues: { a: of(2, borrowing), b: of(2, borrowing), bank: of(1) } }, [['a_1', 2], ['b_1', 2]], ['a_in', 3, 100], ['b_in', 3, 99])).toEqual({ started: ['a_in'], killed: ['a_1'] })
    const fair = { ...own, reclaimWithinCohort: 'LowerPriority' }
    const held: Load[] = [['a_1', 3], ['b_1', 3], ['c_1', 3]]
    const incoming: Load[] = [['a_in', 3, 100], ['b_in', 3, 100], ['c_in', 3, 100]]
    expect(run({ fairSharing: true, queues: { a: of(2, fair), b: of(2, fair), c: of(2, fair), bank: of(3) } }, held, ...incoming).killed).toEqual(['a_1', 'b_1', 'c_1'])
    expect(run({ queues: { a: of(2, all), b: of(2, {}) } }, [['a_1', 1, -1], ['b_1', 1, -1]], ['a_in', 3, 1])).toEqual({ started: [], killed: [] })
  })
})

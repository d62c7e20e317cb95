import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { preempted, world, type Load } from './world.js'

// Cases of Kueue's own tests (TestPreemption, TestFairPreemptions); where there equal candidates go by name, here the latest goes first.

describe('preemption, as in TestPreemption', () => {
  const lower = { withinClusterQueue: 'LowerPriority' } as const
  const alone: KueueOptions = { queues: { s: { nominalQuota: { cpu: 6 }, preemption: lower } } }
  const c1 = { nominalQuota: { cpu: 6, mem: 3 }, borrowingLimit: { cpu: 6, mem: 3 }, cohort: 'c', preemption: { ...lower, reclaimWithinCohort: 'LowerPriority' } } as const
  const c2 = { ...c1, preemption: { reclaimWithinCohort: 'Any' } } as const
  const cohort: KueueOptions = { queues: { c1, c2 } }
  const unlimited: KueueOptions = { queues: { d1: { ...c1, borrowingLimit: {}, cohort: 'd' }, d2: { ...c2, borrowingLimit: {}, cohort: 'd' } } }
  const limits: KueueOptions = { queues: { l1: { ...c1, borrowingLimit: { cpu: 12, mem: 6 } } } }
  const newer: KueueOptions = { queues: { p: { nominalQuota: { cpu: 6 }, preemption: { withinClusterQueue: 'LowerOrNewerEqualPriority' } } } }
  const three: KueueOptions = {
    queues: Object.fromEntries((['a', 'b', 'c'] as const).map((name) => [name, { cohort: 't', nominalQuota: { cpu: 2, mem: 2 }, ...(name === 'a' && { preemption: { ...lower, reclaimWithinCohort: 'Any' as const } }) }])),
  }
  const far: KueueOptions = { cohorts: { left: { parent: 'root' }, right: { parent: 'root' } }, queues: { l: { cohort: 'left', nominalQuota: { cpu: 10 }, preemption: { reclaimWithinCohort: 'Any' } }, r: { cohort: 'right', nominalQuota: { cpu: 0 } } } }
  const lend = (lendingLimit: number) => ({ nominalQuota: { cpu: 6 }, lendingLimit: { cpu: lendingLimit }, cohort: 'l', preemption: { ...lower, reclaimWithinCohort: 'LowerPriority' } }) as const

  it('takes one of the same priority if that came later, not with it (TestSatisfiesPreemptionPolicy)', () => {
    const takes = (isLater: boolean) => {
      const { come, end } = world(newer)
      come(['p_1', 3], ['p_2', 1])
      const [big, small]: readonly [Load, Load] = [['p_big', 3], ['p_small', 2]]
      expect(isLater ? [...come(big).started, ...come(small).started] : come(big, small).started).toEqual(['p_small'])
      return end('p_2').killed
    }
    expect([takes(true), takes(false)]).toEqual([['p_small'], []])
  })

  it.each<[string, KueueOptions, readonly Load[], Load, readonly string[] | undefined]>([
    ['takes the lowest priority', alone, [['s_low', 2, -1], ['s_mid', 2], ['s_high', 2, 1]], ['s_in', 2, 1], ['s_low']],
    ['takes several', alone, [['s_low', 2, -1], ['s_mid', 2], ['s_high', 2, 1]], ['s_in', 3, 1], ['s_low', 's_mid']],
    ['takes none for a low priority', alone, [['s_low', 3, -1], ['s_mid', 3]], ['s_in', 1, -1], undefined],
    ['takes none where that is not enough', alone, [['s_low', 3, -1], ['s_mid', 3]], ['s_in', 4], undefined],
    ['counts what is free', alone, [['s_low', 1, -1], ['s_mid', 1], ['s_high', 3, 1]], ['s_in', 2, 1], ['s_low']],
    ['gives back whom it need not take', alone, [['s_low', 1, -1], ['s_mid', 2], ['s_high', 3, 1]], ['s_in', 2, 1], ['s_mid']],
    ['reclaims from a queue that borrows', cohort, [['c1_low', 3, -1], ['c2_mid', 3], ['c2_high', 6, 1]], ['c1_in', 3, 1], ['c2_mid']],
    ['takes nothing from a queue that does not borrow', cohort, [['c1_high', 4, 1], ['c2_low', 4, -1]], ['c1_in', 9, 1], undefined],
    ['takes nothing where too little is borrowed', cohort, [['c1_high', 4, 1], ['c2_low1', 4, -1], ['c2_low2', 4, -1]], ['c1_in', 4, 1], undefined],
    ['takes of its own queue and borrows another resource', cohort, [['c1_low', 4, -1], ['c2_low1', 4, -1], ['c2_high2', 4, 1]], ['c1_in', { cpu: 4, mem: 3 }, 1], ['c1_low']],
    ['takes of its own queue and borrows the same resource', cohort, [['c1_med', 4], ['c1_low', 4, -1], ['c2_low1', 4, -1]], ['c1_in', 4, 1], ['c1_low']],
    ['does so without limits of borrowing', unlimited, [['d1_med', 4], ['d1_low', 4, -1], ['d2_low1', 4, -1]], ['d1_in', 4, 1], ['d1_low']],
    ['is alone in its cohort', limits, [['l1_med', 4], ['l1_low', 2, -1]], ['l1_in', 4, 1], ['l1_med']],
    ['takes nothing of the same priority with LowerPriority', cohort, [['c1_a', 2], ['c2_1', 4], ['c2_2', 4]], ['c1_in', 4], undefined],
    ['takes the same priority with Any', cohort, [['c1_1', 4], ['c1_2', 4, 1], ['c2_a', 2]], ['c2_in', 4], ['c1_1']],
    ['takes a newer one of the same priority', newer, [['p_1', 2, 1], ['p_2', 2], ['p_3', 2]], ['p_in', 3, 1], ['p_2', 'p_3']],
    ['may lend less than it has', { queues: { x: lend(4), y: lend(2) } }, [['x_1', 5, 1], ['y_1', 5, -1], ['y_2', 1, -1]], ['x_in', 2, 1], undefined],
    ['needs none while something is lent', { queues: { x: lend(4), y: lend(2) } }, [['x_1', 5, 1], ['y_1', 5, -1], ['y_2', 1, -1]], ['x_in', 1, 1], []],
    ['reclaims what it lent', { queues: { x: lend(4), y: lend(2) } }, [['y_1', 5, -1], ['y_2', 5, -1]], ['x_in', 4, 1], ['y_2']],
    ['takes of both what was lent and what is its own', { queues: { x: lend(4), y: lend(2) } }, [['x_low', 2, -1], ['y_low', 8, -1]], ['x_in', 6, 1], ['x_low', 'y_low']],
    ['takes nothing beyond what it could ever have', { queues: { x: lend(4), y: lend(2) } }, [['y_low', 10, -1]], ['x_in', 8], undefined],
    ['takes of its own queue where that is at its quota, one resource', three, [['a_3', 1, -1], ['a_2', 1, -2], ['a_1', 1, -2], ['b_1', 1], ['b_2', 1], ['b_3', 1]], ['a_in', 2], ['a_1', 'a_2']],
    ['takes of its own queue where that is at its quota, of one resource of two', three, [['a_3', 1, -1], ['a_2', 1, -2], ['a_1', 1, -2], ['b_1', 1], ['b_2', 1], ['b_3', 1]], ['a_in', { cpu: 2, mem: 2 }], ['a_1', 'a_2']],
    ['takes of others where it is below its quota', three, [['a_1', 1, -1], ['b_1', 1], ['b_2', 1], ['b_3', 1], ['b_4', 1], ['b_5', 1, -1]], ['a_in', 2], ['a_1', 'b_5']],
    ['takes from a queue in another cohort of the tree', far, [['r_1', 5]], ['l_in', 8], ['r_1']],
  ])('%s', (_, options, admitted, incoming, expected) => {
    expect(preempted(options, admitted, incoming)).toEqual(expected)
  })

  it.each([1, 2, 3, 4, 5])('takes %i of other queues, then the lowest priority, then the latest (TestCandidatesOrdering)', (count) => {
    const queues: KueueOptions = { queues: { self: { cohort: 'c', nominalQuota: { cpu: 6 }, preemption: { ...lower, reclaimWithinCohort: 'Any' } }, other: { cohort: 'c', nominalQuota: { cpu: 0 } } } }
    const admitted: Load[] = [['self_high', 1, 10], ['self_low', 1, -10], ['other_1', 1, 10], ['self_old', 1], ['self_current', 1], ['self_latest', 1]]
    expect(preempted(queues, admitted, ['self_in', count, 11])).toEqual(['other_1', 'self_low', 'self_latest', 'self_current', 'self_old'].slice(0, count).sort())
  })

  const shared: KueueOptions = {
    queues: Object.fromEntries(
      (['a', 'b', 'e'] as const).map((name) => [
        name,
        { cohort: 's', nominalQuota: { cpu: name === 'e' ? 0 : 1 }, borrowingLimit: { cpu: 13 }, preemption: { ...(name === 'b' && lower), reclaimWithinCohort: 'LowerPriority', borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 0 } } },
      ]),
    ),
  }
  const pool: KueueOptions = { queues: { ...shared.queues, pool: { cohort: 's', nominalQuota: { cpu: 11 } } } }
  it.each<[string, readonly Load[], Load, readonly string[] | undefined]>([
    ['takes one of lower priority although it borrows', [['e_low', 10, -1], ['b_1', 1, 1]], ['a_in', 10], ['e_low']],
    ['takes none above the threshold', [['e_1', 10, 1]], ['a_in', 10, 2], undefined],
    ['takes the one of the lowest priority first, if that is enough', [['b_mid', 5], ['e_lower', 5, -2], ['e_low', 3, -1]], ['a_in', 5, 1], ['e_lower']],
  ])('with borrowWithinCohort %s', (_, admitted, incoming, expected) => {
    expect(preempted(pool, admitted, incoming)).toEqual(expected)
  })
})

describe('preemption with fair sharing, as in TestFairPreemptions', () => {
  const strict = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: -3 } } as const
  const of = (cpu: number, weight = 1) => ({ cohort: 'all', nominalQuota: { cpu }, weight, preemption: strict }) as const
  // amounts are twice those of Kueue's test, which has halves
  const base: KueueOptions = { fairSharing: true, queues: { a: of(6), b: of(6), c: of(6), preemptible: { cohort: 'all', nominalQuota: { cpu: 0 } } } }
  const units = (queue: string, count: number, priority = 0): Load[] => Array.from({ length: count }, (_, i): Load => [`${queue}_${i + 1}`, 2, priority])

  it.each<[string, readonly Load[], Load, readonly string[] | undefined]>([
    ['nominal quota from who uses the most', [...units('a', 3), ...units('b', 5), ...units('c', 1)], ['c_in', 2], ['b_5']],
    ['from who uses less, if the latest of the other is not enough', [['a_2', 2], ['a_1', 6], ['b_2', 6], ['b_1', 4]], ['c_in', 6], ['a_1']],
    ['borrowed quota from who uses the most', [...units('a', 3), ...units('b', 5), ...units('c', 1)], ['a_in', 2], ['b_5']],
    ['one of each queue that borrows', [['a_3', 6], ['a_2', 1], ['a_1', 1], ['b_3', 6], ['b_2', 1], ['b_1', 1]], ['c_in', 4], ['a_1', 'b_1']],
    ['nothing where nobody borrows', [...units('a', 3), ...units('b', 3), ...units('c', 3)], ['c_in', 2], undefined],
    ['nothing that would turn the imbalance round', [...units('a', 3), ...units('b', 5), ...units('c', 1).slice(1)], ['a_in', 4], undefined],
    ['lower priorities of its own queue', [['a_low1', 2, -1], ['a_low2', 2, -1], ['a_3', 2], ['a_4', 2], ...units('b', 5)], ['a_in', 4], ['a_low1', 'a_low2']],
    ['of its own queue and of who uses the most', [['a_low', 2, -1], ['a_2', 2], ['a_3', 2], ...units('b', 6)], ['a_in', 4], ['a_low', 'b_6']],
    ['a huge workload, if there is no other and its queue had more', [['b_1', 18]], ['a_in', 4], ['b_1']],
    ['no huge one for a huge one', [['a_1', 4], ['b_1', 14]], ['a_in', 10], undefined],
    ['no two smaller ones for a huge one', [['b_1', 4], ['b_2', 4], ['b_3', 6]], ['a_in', 12], undefined],
    ['of its own queue and of another, though it borrows then', [['a_2', 2, -1], ['a_1', 4, -1], ['b_2', 6], ['b_1', 6]], ['a_in', 8], ['a_1', 'b_1']],
    ['what leaves its queue with more than the preemptor, first', [['b_1', 4], ['b_2', 2], ['b_3', 4], ['c_1', 2]], ['a_in', 7], ['b_2']],
    ['of two queues, if that leaves the largest share smaller', [['b_2', 5], ['b_1', 4], ['c_2', 5], ['c_1', 4]], ['a_in', 7], ['b_1', 'c_1']],
    ['nothing back from there', [['a_1', 7], ['b_2', 5], ['c_2', 5]], ['b_in', 4], undefined],
    ['nothing that would leave its queue below what is its own', [['b_1', 6], ['b_2', 6], ['c_1', 6]], ['a_in', 8], undefined],
    ['a low priority by shares alone, whatever borrowWithinCohort says', [...units('a', 3), ...units('b', 3), ...units('preemptible', 3, -3)], ['a_in', 4], undefined],
  ])('takes %s', (_, admitted, incoming, expected) => {
    expect(preempted(base, admitted, incoming)).toEqual(expected)
  })

  it('takes the lowest priority by one strategy, and by the other what leaves the balance as it is', () => {
    const by = (strategy: 'LessThanOrEqualToFinalShare' | 'LessThanInitialShare') => preempted({ ...base, fairSharing: { preemptionStrategies: [strategy] } }, [['a_1', 6], ['b_low', 10], ['b_high', 2, 1]], ['a_in', 2])
    expect(by('LessThanInitialShare')).toEqual(['b_low'])
    expect(by('LessThanOrEqualToFinalShare')).toEqual(['b_high'])
  })

  it('takes more for a queue of more weight, and all that one of weight 0 borrows', () => {
    const weighing = (a: number, b: number) => ({ ...base, queues: { ...base.queues, a: of(6, a), b: of(6, b) } })
    const all = [...units('a', 3), ...units('b', 6)]
    expect(preempted(weighing(2, 1), all, ['a_in', 4])).toEqual(['b_5', 'b_6'])
    expect(preempted(weighing(1, 0), all, ['a_in', 6])).toEqual(['b_4', 'b_5', 'b_6'])
    expect(preempted(weighing(1, 0), [...units('a', 3), ...units('b', 3), ...units('c', 3)], ['a_in', 2])).toBeUndefined()
  })

  it('takes by the first strategy alone if there is no other', () => {
    // a would have a share of 4/18; b has 8/18, and 0 without its only workload
    const only = (preemptionStrategies: readonly ('LessThanOrEqualToFinalShare' | 'LessThanInitialShare')[]) => preempted({ ...base, fairSharing: { preemptionStrategies: [...preemptionStrategies] } }, [['b_1', 14]], ['a_in', 10])
    expect(only(['LessThanOrEqualToFinalShare'])).toBeUndefined()
    expect(only(['LessThanOrEqualToFinalShare', 'LessThanInitialShare'])).toEqual(['b_1'])
    expect(only(['LessThanInitialShare'])).toEqual(['b_1'])
  })

  it('goes by shares over weights: 4/18 / 2 against 2/18 / 1 of two queues that borrow', () => {
    const options: KueueOptions = { ...base, queues: { ...base.queues, a: of(6, 0.5), b: of(6, 2) } }
    expect(preempted(options, [...units('a', 4), ...units('b', 5)], ['c_in', 2])).toEqual(['a_4'])
    expect(preempted(base, [...units('a', 4), ...units('b', 5)], ['c_in', 2])).toEqual(['b_5'])
  })
})

import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { preempted, world, type Load } from './world.js'

// What users of Kueue switch off or on by feature gates, some as its own tests do.

const all = { cohort: 'all' }

describe('workloads of different queues', () => {
  const pool: KueueOptions['queues'] = { a: all, b: all, pool: { ...all, nominalQuota: { cpu: 2 } } }
  const defaults = { nominalQuota: { cpu: 0 } }

  it.each<[string, KueueOptions['fairSharing']]>([['', false], [' with fair sharing', true]])('are taken up by priority, or by age alone%s (PrioritySortingWithinCohort)', (_, fairSharing = false) => {
    const started = (crossClusterQueueOrdering: 'Priority' | 'Timestamp') => {
      const { come, end } = world({ queues: pool, defaults, fairSharing, crossClusterQueueOrdering })
      come(['pool_1', 2])
      come(['a_old', 2, 1])
      come(['b_new', 2, 9])
      return end('pool_1').started
    }
    expect([started('Priority'), started('Timestamp')]).toEqual([['b_new'], ['a_old']])
  })

  it('are taken up by priority within a queue all the same', () => {
    const { come, end } = world({ queues: pool, defaults, crossClusterQueueOrdering: 'Timestamp' })
    come(['pool_1', 2])
    come(['a_old', 2, 1], ['a_new', 2, 9])
    expect(end('pool_1').started).toEqual(['a_new'])
  })

  // "When borrowWithinCohort is used and PrioritySortingWithinCohort disabled: should allow preempting workloads while borrowing"
  const outbids = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } } as const
  const three: KueueOptions = {
    crossClusterQueueOrdering: 'Timestamp',
    queues: { a: {}, d: {}, b: { nominalQuota: { cpu: 3 }, preemption: outbids }, c: { nominalQuota: { cpu: 3 } } },
    defaults: { ...all, nominalQuota: { cpu: 0 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } },
  }

  it('are preempted by one that borrows, and do not take their place back', () => {
    const { come, passes, running } = world(three)
    come(['a_mid', 3, 1])
    come(['b_1', 2, 2])
    expect(come(['b_2', 3, 2])).toEqual({ started: ['b_2'], killed: ['a_mid'] })
    expect([passes(), running()]).toEqual([0, ['b_1', 'b_2']])
  })

  it('count as newer than those that waited when they were preempted by one that borrows', () => {
    const { come, end } = world(three)
    come(['a_mid', 3, 1])
    come(['b_1', 2, 2])
    come(['d_1', 3]) // 1 is left
    expect(come(['b_2', 3, 2]).killed).toEqual(['a_mid'])
    come(['d_2', 3, -1])
    expect([end('b_2').started, end('d_1').started, end('a_mid').started]).toEqual([['d_1'], ['a_mid'], ['d_2']])
  })

  it('count as old as they are when they were preempted for what is the other\'s own', () => {
    const options: KueueOptions = { crossClusterQueueOrdering: 'Timestamp', queues: { a: {}, b: {}, owner: { nominalQuota: { cpu: 4 }, preemption: { reclaimWithinCohort: 'Any' } } }, defaults: { ...all, nominalQuota: { cpu: 0 } } }
    const { come, end } = world(options)
    come(['a_1', 4])
    come(['b_1', 4])
    expect(come(['owner_1', 4]).killed).toEqual(['a_1'])
    expect(end('owner_1').started).toEqual(['a_1'])
  })
})

describe('fair sharing', () => {
  const one = (queue: string, count: number, priority = 0): Load[] => Array.from({ length: count }, (_, i) => [`${queue}_${i + 1}`, 1, priority])
  const sharing = { ...all, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } as const
  const queue = (cpu: number, weight = 1) => ({ ...sharing, nominalQuota: { cpu }, weight })

  // F9 and F9b of TestFairSharingPreemptionPlan, the last case of TestFairPreemptions: whom it takes of its own lowers its share
  it.each<[string, KueueOptions['queues'], readonly Load[], Load, readonly string[] | undefined, readonly string[] | undefined]>([
    // b has more, 3 beside 2, and would have nothing without b_1; without its own a has 5, which is its quota
    ['who stays within its quota without its own', { a: queue(5), b: queue(0) }, [...one('a', 2, -1), ['b_1', 3]], ['a_in', 5, 5], undefined, ['a_1', 'a_2', 'b_1']],
    // a gives one and has 4 beside 4 / 0.9; without one b would have 3 / 0.9; a gives another and has 3
    ['who still borrows then, but less than others', { a: queue(0), b: queue(0, 0.9), c: queue(6) }, [...one('a', 2, -1), ...one('b', 4)], ['a_in', 3, 5], undefined, ['a_1', 'a_2', 'b_4']],
  ])('%s looks again, if it may', (_, queues, admitted, incoming, once, twice) => {
    const found = (reevaluate: boolean) => preempted({ fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare'], reevaluate }, queues }, admitted, incoming)
    expect([found(false), found(true)]).toEqual([once, twice])
  })

  it('preempts nobody whom no strategy would allow in the end, if that is verified (issue 14543)', () => {
    // with a_low gone, a_in makes 5 of a, and b_big goes by the second strategy for 6 of b; then a_low need not go, and a has 8 beside the 7 that b had
    const queues = { a: queue(0), b: queue(0), lender: queue(10) }
    const found = (verifyFinalTargets: boolean) => preempted({ fairSharing: { verifyFinalTargets }, queues }, [['a_low', 3, -1], ['b_small', 1], ['b_big', 6]], ['a_in', 5])
    expect([found(false), found(true)]).toEqual([['b_big'], undefined])
  })

  const memory = (a: number) => ({ fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare' as const] }, queues: { a: { ...sharing, nominalQuota: { cpu: 4, mem: 0 } }, b: { ...sharing, nominalQuota: { cpu: 0, mem: 0 } }, lender: { ...sharing, nominalQuota: { cpu: a, mem: 10 } } } })
  const heavy: Load = ['a_heavy', { cpu: 1, mem: 8 }]
  it('gives a queue back what is its own, or goes by shares all the same (FairSharingPreemptWithinNominal)', () => {
    const { fairSharing, queues } = memory(0)
    const found = (preemptWithinNominal: boolean) => preempted({ fairSharing: { ...fairSharing, preemptWithinNominal }, queues }, [heavy, ['b_1', 3]], ['a_in', 2])
    expect([found(true), found(false)]).toEqual([['b_1'], undefined])
  })

  it('takes those up first that would not borrow, or goes by shares alone (FairSharingPrioritizeNonBorrowing)', () => {
    const { queues } = memory(2)
    const started = (prioritizeNonBorrowing: boolean) => {
      const { come, end } = world({ fairSharing: { prioritizeNonBorrowing }, queues: { ...queues, b: { nominalQuota: { cpu: 0, mem: 0 }, cohort: 'all' }, a: { nominalQuota: { cpu: 4, mem: 0 }, cohort: 'all' } } })
      come(heavy)
      come(['lender_1', 5])
      come(['b_small', 3], ['a_own', 3])
      return end('lender_1').started[0]
    }
    expect([started(true), started(false)]).toEqual(['a_own', 'b_small'])
  })
})

it('workloads of equal priority are preempted by older ones only if these are older by more than a buffer (SatisfiesPreemptionPolicy)', () => {
  const found = (timestampPreemptionBuffer: number) => {
    const { come, end } = world({ timestampPreemptionBuffer, queues: { a: { nominalQuota: { cpu: 3 }, preemption: { withinClusterQueue: 'LowerOrNewerEqualPriority' } } } })
    come(['a_1', 2])
    come(['a_old', 3]) // at 2 s
    come(['a_new', 1]) // at 3 s
    return end('a_1')
  }
  expect([found(0), found(0.5), found(1)]).toEqual([
    { started: ['a_old'], killed: ['a_new'] },
    { started: ['a_old'], killed: ['a_new'] },
    { started: [], killed: [] },
  ])
})

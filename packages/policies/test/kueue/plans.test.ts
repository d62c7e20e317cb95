import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { preempted, type Load } from './world.js'

// Situations of Kueue's TestClassicalPreemptionPlan and TestFairSharingPreemptionPlan, whose plans are lists of candidates: here by whom they take.

const rules = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } as const
const queue = (cpu: number, more: NonNullable<KueueOptions['queues']>[string] = {}) => ({ cohort: 'all', nominalQuota: { cpu }, preemption: rules, ...more })
/** So many workloads of one CPU: `q_1`, `q_2`, ... */
const ones = (name: string, count: number, priority = 0): Load[] => Array.from({ length: count }, (_, i) => [`${name}_${i + 1}`, 1, priority])
const taken = (queues: KueueOptions['queues'], admitted: readonly Load[], incoming: Load, more: KueueOptions = {}) => preempted({ queues: { ...queues }, ...more }, admitted, incoming)

describe('the classical plan', () => {
  it.each<[string, KueueOptions['queues'], readonly Load[], Load, readonly string[] | undefined, KueueOptions?]>([
    ['takes lower priorities of its own queue first (C2)', { a: queue(3) }, [['a_0', 1, 0], ['a_low', 1, -2], ['a_mid', 1, -1]], ['a_in', 2, 10], ['a_low', 'a_mid']],
    ['takes of a queue that borrows its own quota (C3)', { a: queue(3), c: queue(0) }, ones('c', 3), ['a_in', 2, 10], ['c_2', 'c_3']],
    ['takes of its own alone at its nominal quota, where it may not borrow by preemption (C4)', { a: queue(3), b: queue(2), c: queue(0) }, [['a_1', 3], ...ones('c', 2)], ['a_in', 1, 10], ['a_1']],
    ['takes of nobody while it would borrow itself (C5)', { a: queue(3), b: queue(2), c: queue(0) }, ones('c', 2), ['a_in', 5, 10], undefined],
    ['takes up to the threshold while it borrows (C6)', { a: queue(3, { preemption: { ...rules, borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: -3 } } }), b: queue(2), c: queue(0) }, [['c_low', 1, -5], ['c_high', 1, 0]], ['a_in', 4, 1], ['c_low']],
    ['takes nothing if that is too little (C6)', { a: queue(3, { preemption: { ...rules, borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: -3 } } }), b: queue(2), c: queue(0) }, [['c_low', 1, -5], ['c_high', 1, 0]], ['a_in', 5, 1], undefined],
    ['takes of no queue within its quota (C7)', { a: queue(3), b: queue(3), c: queue(0) }, [['b_1', 3, -9], ...ones('c', 3)], ['a_in', 2, 10], ['c_2', 'c_3']],
    ['takes of others before its own (C9)', { a: queue(3), c: queue(0) }, [['a_1', 1, 0], ['c_1', 2, 0]], ['a_in', 2, 5], ['c_1']],
    ['takes of its own, too, if others are not enough (C9)', { a: queue(3), c: queue(0) }, [['a_1', 2, 0], ['c_1', 1, 0]], ['a_in', 3, 5], ['a_1', 'c_1']],
    ['takes beyond its cohort while it fits there, and borrows (C10)', { a: queue(3, { cohort: 'left' }), b: queue(0, { cohort: 'left' }), c: queue(0, { cohort: 'right' }) }, [['b_1', 1], ['c_1', 1]], ['a_in', 5, 10], ['c_1'], { cohorts: { left: { parent: 'root', nominalQuota: { cpu: 3 } }, right: { parent: 'root' } } }],
    ['takes inside its cohort only without borrowing (C10)', { a: queue(3, { cohort: 'left' }), b: queue(0, { cohort: 'left' }), c: queue(0, { cohort: 'right' }) }, [['b_1', 2], ['c_1', 1]], ['a_in', 5, 10], undefined, { cohorts: { left: { parent: 'root', nominalQuota: { cpu: 3 } }, right: { parent: 'root' } } }],
    ['takes of nobody where all rules say so (C11)', { a: queue(3, { preemption: {} }), c: queue(0) }, [['a_1', 1, -5], ['c_1', 2, -5]], ['a_in', 2, 10], undefined],
  ])('%s', (_, queues, admitted, incoming, expected, more) => {
    expect(taken(queues, admitted, incoming, more)).toEqual(expected)
  })
})

describe('the plan of fair sharing', () => {
  const first = { fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare' as const] } }
  const both = { fairSharing: true }
  const large = [['b_1', 3], ['b_2', 3]] as const

  it.each<[string, KueueOptions['queues'], readonly Load[], Load, readonly string[] | undefined, KueueOptions?]>([
    ['finds nobody within their quotas (F1)', { a: queue(3), b: queue(3) }, [['a_1', 3], ['b_1', 3]], ['a_in', 1], undefined],
    ['takes no task too large by the first strategy (F2)', { a: queue(3), b: queue(3), d: queue(2) }, large, ['a_in', 4], undefined, first],
    ['takes one of each queue by the second (F7)', { a: queue(3), b: queue(3), d: queue(2) }, large, ['a_in', 4], ['b_2']],
    ['takes of its own whatever the shares (F3)', { a: queue(3), b: queue(3) }, [...ones('a', 3, -1), ...ones('b', 3)], ['a_in', 1, 5], ['a_3']],
    ['takes all it needs within its own quota (F4)', { a: queue(3), p: queue(0) }, ones('p', 3), ['a_in', 3], ['p_1', 'p_2', 'p_3']],
    ['takes of the queue with the largest share while it borrows (F6)', { a: queue(3), b: queue(3), c: queue(3), d: queue(3) }, [...ones('b', 5), ...ones('c', 4)], ['a_in', 4], ['b_5']],
    ['takes no more than one of it, which is too little (F6)', { a: queue(3), b: queue(3), c: queue(3), d: queue(3) }, [...ones('b', 5), ...ones('c', 5)], ['a_in', 5], undefined],
    ['takes nobody while it borrows without weight (F8)', { a: queue(3, { weight: 0 }), b: queue(3) }, ones('b', 4), ['a_in', 4], undefined],
    ['takes of its own until its share is small enough (F9, with the gate closed)', { a: queue(3), b: queue(0), c: queue(3) }, [...ones('a', 3, -1), ...ones('b', 2)], ['a_in', 3, 5], ['a_2', 'a_3']],
    ['takes lower priorities first, then those admitted last (F11)', { a: queue(3), b: queue(0) }, [['b_low', 1, -5], ['b_old', 1], ['b_new', 1]], ['a_in', 2, 5], ['b_low', 'b_new']],
  ])('%s', (_, queues, admitted, incoming, expected, more = both) => {
    expect(taken(queues, admitted, incoming, more)).toEqual(expected)
  })
})

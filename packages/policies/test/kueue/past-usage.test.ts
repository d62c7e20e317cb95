import type { UserId } from '@sched/core'
import type { KueueOptions } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { PastUsage } from '../../src/kueue/past-usage.js'
import { world } from './world.js'

const ann = 0 as UserId
const counted = (change: object = {}) => new PastUsage({ usageHalfLifeTime: 600, usageSamplingInterval: 300, resourceWeights: {}, users: {}, ...change }, ['cpu', 'mem'], () => 'ann')

describe('past usage', () => {
  it('is an average that moves half way to what is in use in a half-life, and begins with a sampling interval of it', () => {
    const usage = counted()
    usage.enter(ann, [4, 0], 1, 0)
    const first = 4 * (1 - Math.SQRT1_2) // 1 - 0.5^(300 / 600)
    expect(usage.of(ann, 0)).toBeCloseTo(first, 12)
    expect(usage.of(ann, 600)).toBeCloseTo((first + 4) / 2, 12)
    usage.change(ann, [4, 0], -1, 600)
    expect(usage.of(ann, 1800)).toBeCloseTo((first + 4) / 8, 12)
  })

  it('is the same however often it is asked for', () => {
    const [often, once] = [counted(), counted()]
    for (const usage of [often, once]) usage.enter(ann, [3, 1], 2, 10)
    for (let now = 20; now < 500; now += 10) often.of(ann, now)
    expect(often.of(ann, 500)).toBe(once.of(ann, 500))
  })

  it('weighs resources, and is what is in use now with a half-life of 0', () => {
    const usage = counted({ resourceWeights: { mem: 0.5 }, usageHalfLifeTime: 0 })
    usage.enter(ann, [1, 4], 1, 0)
    expect([usage.of(ann, 0), usage.of(ann, 1)]).toEqual([3, 3])
    usage.change(ann, [1, 4], -1, 2)
    expect(usage.of(ann, 3)).toBe(0)
  })
})

describe('what has been used in parts', () => {
  it('is gone when all of it has ended', () => {
    const usage = new PastUsage({ usageHalfLifeTime: 0, usageSamplingInterval: 1, resourceWeights: { cpu: 0.1 }, users: {} }, ['cpu', 'mem'], () => 'ann')
    usage.enter(ann, [1, 0], 3, 0)
    for (const now of [1, 2, 3]) usage.change(ann, [1, 0], -1, now) // 0.1 x 3 less three times 0.1 would leave a rest
    expect(usage.of(ann, 4)).toBe(0)
  })
  it('is more than anything of a user without weight, also where that is nothing (CalculateUsage)', () => {
    const usage = new PastUsage({ usageHalfLifeTime: 0, usageSamplingInterval: 1, resourceWeights: {}, users: { ann: { weight: 0 } } }, ['cpu', 'mem'], () => 'ann')
    expect(usage.of(ann, 0)).toBe(Infinity)
    usage.enter(ann, [1, 0], 3, 0)
    expect(usage.of(ann, 1)).toBe(Infinity)
  })
})

describe('a queue that goes by usage', () => {
  const order = (queue: NonNullable<KueueOptions['queues']>[string], users: Readonly<Record<string, { weight: number }>> = {}) => {
    const { submit, end } = world({ queues: { q: { nominalQuota: { cpu: 2 }, ...queue } }, admissionFairSharing: { users } })
    const of = (id: string, user: string, priority = 0) => job({ id, user, queue: 'q', priority, demand: { cpu: 1 } })
    submit(of('a1', 'ann'), of('a2', 'ann'))
    submit(of('a3', 'ann', 9), of('b1', 'bob'), of('c1', 'cyd'))
    return [...end('a1').started, ...end('a2').started].join(' ')
  }

  it('admits users who have used least first, whatever the priority', () => {
    expect(order({})).toBe('a3 b1')
    expect(order({ admissionMode: 'UsageBasedAdmissionFairSharing' })).toBe('b1 c1')
    expect(order({ admissionMode: 'UsageBasedAdmissionFairSharing' }, { ann: { weight: 0 } })).toBe('b1 c1')
  })

  it.each<[string, boolean, readonly [ann: number, bob: number], readonly string[], readonly string[]]>([
    ['who has used less', true, [6, 2], ['ann_1 8', 'bob_1 8'], ['bob_1']],
    ['the first, without usage', false, [6, 2], ['ann_1 8', 'bob_1 8'], ['ann_1']],
    ['one of each where all have used as much: the first of ann counts at once', true, [4, 4], ['ann_1 4', 'ann_2 4', 'bob_1 4', 'bob_2 4'], ['ann_1', 'bob_1']],
    ['one of each whatever they ask', true, [4, 4], ['ann_1 4', 'bob_1 3', 'cyd_1 1'], ['cyd_1', 'ann_1', 'bob_1']],
    ['one of whom nothing is known', true, [8, 0], ['ann_1 8', 'bob_1 8'], ['bob_1']],
  ])('admits %s (TestScheduleForAFS)', (_, byUsage, used, waiting, expected) => {
    const queue = { nominalQuota: { cpu: 8 }, ...(byUsage && { admissionMode: 'UsageBasedAdmissionFairSharing' as const }) }
    const { submit, end } = world({ queues: { q: queue }, admissionFairSharing: { usageHalfLifeTime: 10, usageSamplingInterval: 1 } })
    const of = (id: string, cpu: number) => job({ id, user: id.split('_')[0] as string, queue: 'q', demand: { cpu } })
    const held = ['ann_0', 'bob_0'].filter((_id, i) => (used[i] as number) > 0)
    submit(...held.map((id, i) => of(id, used[i] as number)))
    for (const each of waiting) submit(of(each.split(' ')[0] as string, Number(each.split(' ')[1])))
    expect(end(...held).started).toEqual(expected)
  })

  it('counts usage over weights: what ann has used is less than what bob has, as she weighs a hundred times as much', () => {
    const { submit, end } = world({ queues: { q: { nominalQuota: { cpu: 2 }, admissionMode: 'UsageBasedAdmissionFairSharing' } }, admissionFairSharing: { users: { ann: { weight: 100 } } } })
    const of = (id: string, user: string) => job({ id, user, queue: 'q', demand: { cpu: 1 } })
    submit(of('a1', 'ann'), of('b1', 'bob'))
    submit(of('b2', 'bob'), of('a2', 'ann'))
    expect(end('b1').started).toEqual(['a2'])
  })

  it('gives up work of who has used most first, though others came later (CandidatesOrdering)', () => {
    const killed = (admissionMode: 'UsageBasedAdmissionFairSharing' | 'NoAdmissionFairSharing') => {
      const { submit } = world({ queues: { q: { nominalQuota: { cpu: 3 }, admissionMode, preemption: { withinClusterQueue: 'LowerPriority' } } } })
      const of = (id: string, user: string, priority = 0) => job({ id, user, queue: 'q', priority, demand: { cpu: 1 } })
      submit(of('a1', 'ann'), of('a2', 'ann'))
      submit(of('b1', 'bob'))
      return submit(of('c1', 'cyd', 1)).killed
    }
    expect(killed('UsageBasedAdmissionFairSharing')).toEqual(['a2'])
    expect(killed('NoAdmissionFairSharing')).toEqual(['b1'])
  })

  it('gives up its own work in that order, whatever of other queues comes between by priority', () => {
    const of = (id: string, user: string, priority: number) => job({ id, user, queue: id.split('_')[0] as string, priority, demand: { cpu: 1 } })
    const lends = { cohort: 'all', nominalQuota: { cpu: 0 } }
    const { submit } = world({ queues: { q: { ...lends, admissionMode: 'UsageBasedAdmissionFairSharing' }, p: lends, x: { cohort: 'all', nominalQuota: { cpu: 4 }, preemption: { reclaimWithinCohort: 'Any' } } } })
    for (const each of [of('q_a1', 'ann', 5), of('q_a2', 'ann', 5), of('q_b1', 'bob', 0), of('p_1', 'eve', 3)]) submit(each)
    // ann has used more than bob: of q a2, a1 and b1 go in this order; p_1 goes before a2, as its priority is lower
    expect([submit(of('x_1', 'eve', 0)).killed, submit(of('x_2', 'eve', 0)).killed, submit(of('x_3', 'eve', 0)).killed]).toEqual([['p_1'], ['q_a2'], ['q_a1']])
  })
})

import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { preempted, type Load } from './world.js'

// Kueue's TestPreemptionProtectionClassical, in which workloads of `borrower` are admitted at the instant at which `owner` asks, or long before: here a second apart.

const protects = (rules: KueueOptions['preemptionProtection']): KueueOptions => ({
  queues: { owner: { nominalQuota: { cpu: 6 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } }, borrower: { nominalQuota: { cpu: 0 } } },
  defaults: { cohort: 'all' },
  ...(rules !== undefined && { preemptionProtection: rules }),
})
const reclaim = (minAdmitDuration: number) => ({ reclaimWithinCohort: { minAdmitDuration } })
const sharing = (minAdmitDuration: number) => ({ fairSharing: { minAdmitDuration } })
const borrowers: readonly Load[] = [['borrower_1', 3], ['borrower_2', 3]] // admitted 2 s and 1 s before the next one comes
const low: readonly Load[] = [['owner_1', 3, -1], ['owner_2', 3, -1]]

describe('who has just been admitted is not preempted by other queues', () => {
  it.each<[string, KueueOptions['preemptionProtection'], readonly Load[], Load, readonly string[] | undefined]>([
    ['for their quota while they are spared from that', reclaim(3), borrowers, ['owner_in', 6], undefined],
    ['unless nothing is said', undefined, borrowers, ['owner_in', 6], ['borrower_1', 'borrower_2']],
    ['and is once the time is over', reclaim(0.5), borrowers, ['owner_in', 6], ['borrower_1', 'borrower_2']],
    ['and is when the time is just over', reclaim(1), borrowers, ['owner_in', 6], ['borrower_1', 'borrower_2']],
    ['but for their quota where only shares spare it', sharing(3), borrowers, ['owner_in', 6], ['borrower_1', 'borrower_2']],
    ['while others are', reclaim(2), borrowers, ['owner_in', 3], ['borrower_1']],
    ['but by its own', { ...reclaim(3), ...sharing(3) }, low, ['owner_in', 6], ['owner_1', 'owner_2']],
  ])('%s', (_, rules, admitted, incoming, expected) => {
    expect(preempted(protects(rules), admitted, incoming)).toEqual(expected)
  })

  const even = (rules: KueueOptions['preemptionProtection'], nominal: number): KueueOptions => ({
    fairSharing: true,
    queues: { a: {}, b: {}, pool: { nominalQuota: { cpu: 6 - 2 * nominal } } },
    defaults: { cohort: 'all', nominalQuota: { cpu: nominal }, preemption: { reclaimWithinCohort: 'Any' } },
    ...(rules !== undefined && { preemptionProtection: rules }),
  })
  const six: readonly Load[] = Array.from({ length: 6 }, (_, i) => [`b_${i + 1}`, 1]) // admitted 6 to 1 s before

  it.each<[string, KueueOptions, readonly string[] | undefined]>([
    ['by shares: who was admitted last', even(undefined, 0), ['b_6']],
    ['by shares: who was admitted last of those that are not spared', even(sharing(3), 0), ['b_4']],
    ['by shares: nobody where all are', even(sharing(7), 0), undefined],
    ['by shares, whatever spares from others that want their quota back', even(reclaim(7), 0), ['b_6']],
    ['for quota: who was admitted last of those that are not spared', even(reclaim(3), 1), ['b_4']],
    ['for quota, whatever spares by shares', even(sharing(7), 1), ['b_6']],
  ])('with fair sharing %s', (_, options, expected) => {
    expect(preempted(options, six, ['a_in', 1])).toEqual(expected)
  })

  it('of its workloads one that is not spared goes by the second strategy, which takes one of a queue', () => {
    const options = (minAdmitDuration: number): KueueOptions => ({ ...even(sharing(minAdmitDuration), 0), fairSharing: { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] } })
    // b has 6/6; without either of its workloads 3/6, and a would have 4/6
    expect(preempted(options(0), [['b_1', 3], ['b_2', 3]], ['a_in', 3])).toEqual(['b_2'])
    expect(preempted(options(2), [['b_1', 3], ['b_2', 3]], ['a_in', 3])).toEqual(['b_1'])
    expect(preempted(options(2), [['b_1', 4], ['b_2', 2]], ['a_in', 4])).toEqual(['b_1'])
  })
})

describe('over time', () => {
  const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 6 } }] })
  const of = (id: string, queue: string, submit: number, cpu: number, duration: number) => job({ id, queue, submit, duration, demand: { cpu } })
  const starts = (options: KueueOptions, jobs: ReturnType<typeof of>[]) =>
    run({ policy: kueue(options), cluster, jobs }).recorder.events.flatMap((each) => (each.kind === 'launch' ? [`${each.time} ${each.job}`] : []))

  it('who finds only some that are spared is looked at again when the first of these is no longer, though nothing else happens', () => {
    expect(starts(protects(reclaim(60)), [of('b1', 'borrower', 0, 3, 1000), of('b2', 'borrower', 20, 3, 1000), of('o', 'owner', 30, 3, 10)])).toEqual(['0 b1', '20 b2', '60 o', '70 b1'])
    expect(starts(protects(reclaim(60)), [of('b1', 'borrower', 0, 3, 1000), of('b2', 'borrower', 20, 3, 1000), of('o', 'owner', 30, 6, 10)])).toEqual(['0 b1', '20 b2', '80 o', '90 b1', '90 b2'])
  })

  it('what the owner lacks is kept from others in its cycles meanwhile, with StrictFIFO in all: it cannot always take it back', () => {
    // at 10 s 3 CPUs are free: the owner asks 6 and waits for b2, and b3, which would fit, comes behind it
    const { queues, ...others } = protects(reclaim(60))
    const strict: KueueOptions = { ...others, queues: { ...queues, owner: { ...queues?.['owner'], queueingStrategy: 'StrictFIFO' } } }
    const jobs = [of('b1', 'borrower', 0, 3, 10), of('b2', 'borrower', 0, 3, 200), of('b3', 'borrower', 5, 3, 200), of('o', 'owner', 5, 6, 10)]
    expect(starts(strict, jobs)).toEqual(['0 b1', '0 b2', '60 o', '70 b2', '70 b3'])
  })
})

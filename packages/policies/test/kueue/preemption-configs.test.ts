import { dispatcher } from '@sched/cluster'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { world } from './world.js'

// Cases of Kueue's own tests (TestConfigurablePreemptions, TestFindConfigurableCandidates and those of its filters), in numbers of ours. Of equal candidates
// the latest goes first.

type Configs = NonNullable<KueueOptions['preemptionConfigs']>
type Rule = NonNullable<Configs[string]['rules']>[number]
type Selector = NonNullable<Rule['candidateSelectors']>[number]
type Trigger = Rule['activationPolicy']['trigger']
type Queues = NonNullable<KueueOptions['queues']>
/** A workload of one task: its name (of which the part before `_` is its queue), CPUs, priority, tags, user. */
type Load = readonly [id: string, cpu: number, priority?: number, tags?: Readonly<Record<string, string>>, user?: string]

const rule = (selector: Selector, trigger: Trigger = 'Always', more: Partial<Rule> = {}): Rule => ({ activationPolicy: { trigger }, candidateSelectors: [selector], ...more })
const own: Selector = { scope: 'WithinClusterQueue' }
const near: Selector = { scope: 'WithinParentCohort' }
const smaller = { numericLabels: [{ key: 'rung', comparison: 'LessThan' as const }] }
const rung = (value: number | string) => ({ rung: String(value) })
/** One queue `a` of so many CPUs by these rules, or others beside it. */
const queue = (cpu: number, more: Queues[string] = {}): Queues => ({ a: { cohort: 'all', nominalQuota: { cpu }, preemptionConfig: 'rules', ...more } })
const lower = { preemption: { withinClusterQueue: 'LowerPriority' as const } }

/** Those that are preempted when the last load comes to a cluster where the others were admitted one after the other; undefined: it is not admitted. */
function preempted(options: KueueOptions, ...loads: readonly Load[]): readonly string[] | undefined {
  const { submit } = world(options)
  const come = ([id, cpu, priority = 0, tags = {}, user = '']: Load) => submit(job({ id, queue: id.split('_')[0] as string, priority, tags, demand: { cpu }, ...(user !== '' && { user }) }))
  const found = loads.map((load, i) => {
    const { started, killed } = come(load)
    if (i < loads.length - 1 && (started.join() !== load[0] || killed.length > 0)) throw new Error(`${load[0]} was to be admitted without preemption`)
    return started.includes(load[0]) ? killed : undefined
  })
  return found.at(-1)
}
const by = (rules: readonly Rule[], queues: Queues, more: Partial<KueueOptions> = {}): KueueOptions => ({ queues, preemptionConfigs: { rules: { rules: [...rules] } }, ...more })

describe('rules of PreemptionConfigs', () => {
  const two: readonly Load[] = [['a_1', 2], ['a_2', 2]]
  it.each<[string, KueueOptions, readonly Load[], readonly string[] | undefined]>([
    ['nobody for a queue without rules', by([rule(own)], { a: { cohort: 'all', nominalQuota: { cpu: 4 } } }), [...two, ['a_in', 2]], undefined],
    ['one where one is enough', by([rule(own)], queue(4)), [...two, ['a_in', 2]], ['a_2']],
    ['as many as are needed', by([rule(own)], queue(4)), [...two, ['a_in', 3]], ['a_1', 'a_2']],
    ['nobody where the rule is for other preemptors', by([rule(own, 'Always', { preemptorSelector: { matchLabels: { team: 'lab' } } })], queue(4)), [...two, ['a_in', 2, 0, { team: 'shop' }]], undefined],
    ['for the preemptors of the rule', by([rule(own, 'Always', { preemptorSelector: { matchLabels: { team: 'lab' } } })], queue(4)), [...two, ['a_in', 2, 0, { team: 'lab' }]], ['a_2']],
    ['nobody without selectors', by([{ activationPolicy: { trigger: 'Always' } }], queue(4)), [...two, ['a_in', 2]], undefined],
  ])('take %s', (_, options, loads, expected) => {
    expect(preempted(options, ...loads)).toEqual(expected)
  })

  const three: readonly Load[] = [['a_x', 2, 1], ['a_y', 2, 2, rung(1)], ['a_z', 2, 20, rung(2)]]
  const beside = by([rule({ ...own, ...smaller })], queue(6, lower))
  const ofOthers: Queues = { ...queue(3), b: { cohort: 'all', nominalQuota: { cpu: 3 } } }
  it.each<[string, KueueOptions, readonly Load[], readonly string[] | undefined]>([
    ['not where `preemption` finds enough', beside, [...three, ['a_in', 4, 10, rung(5)]], ['a_x', 'a_y']],
    ['more where it does not', beside, [...three, ['a_in', 6, 10, rung(5)]], ['a_x', 'a_y', 'a_z']],
    ['of other queues within their nominal quota', by([rule(near)], ofOthers), [['a_1', 3], ['b_1', 3], ['a_in', 3]], ['b_1']],
    ['once whom both would take', by([rule(own)], queue(3, lower)), [['a_1', 3, 1], ['a_in', 3, 9]], ['a_1']],
    ['whom `preemption` found back where the others alone are enough', by([rule({ ...near, ...smaller })], { ...queue(2, lower), b: { cohort: 'all', nominalQuota: { cpu: 4 } } }), [['a_s', 2, 5], ['b_c', 4, 1, rung(1)], ['a_in', 4, 9, rung(5)]], ['b_c']],
    ['back who is of another tree and makes no room', by([rule({ scope: 'AnyClusterQueue' })], { ...queue(3), far: { cohort: 'other', nominalQuota: { cpu: 3 } } }), [['a_1', 3], ['far_1', 3], ['a_in', 3]], ['a_1']],
    ['nobody of a cohort above by the cohort alone', { ...by([rule(near)], { ...queue(3), b: { cohort: 'top', nominalQuota: { cpu: 3 } } }), cohorts: { all: { parent: 'top' } } }, [['b_1', 3], ['b_2', 3], ['a_in', 3]], undefined],
    ['those of the tree by the tree', { ...by([rule({ scope: 'WithinCohortTree' })], { ...queue(3), b: { cohort: 'top', nominalQuota: { cpu: 3 } } }), cohorts: { all: { parent: 'top' } } }, [['b_1', 3], ['b_2', 3], ['a_in', 3]], ['b_2']],
    ['those of the same user by the LocalQueue', by([rule({ scope: 'WithinLocalQueue' })], queue(4)), [['a_1', 2, 0, {}, 'ann'], ['a_2', 2, 0, {}, 'bob'], ['a_in', 2, 0, {}, 'ann']], ['a_1']],
    ['queues by their labels', by([rule({ ...near, clusterQueueSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['vital'] }] } })], { ...queue(2), b: { cohort: 'all', nominalQuota: { cpu: 2 }, labels: { tier: 'vital' } }, c: { cohort: 'all', nominalQuota: { cpu: 2 } } }), [['c_1', 2], ['a_1', 2], ['b_1', 2], ['a_in', 2]], ['c_1']],
    ['workloads by their tags', by([rule({ ...own, labelSelector: { matchLabels: { env: 'test' } } })], queue(4)), [['a_1', 2, 0, { env: 'test' }], ['a_2', 2, 0, { env: 'prod' }], ['a_in', 2]], ['a_1']],
  ])('take %s', (_, options, loads, expected) => {
    expect(preempted(options, ...loads)).toEqual(expected)
  })

  it.each<[string, Selector, readonly Load[], Load, readonly string[] | undefined]>([
    ['lower priorities alone', { ...own, priority: { mode: 'Base', comparison: 'LessThan' } }, [['a_1', 2, 5], ['a_2', 2, 20]], ['a_in', 2, 10], ['a_1']],
    ['equal ones, too', { ...own, priority: { mode: 'Base', comparison: 'LessThanOrEqual' } }, [['a_1', 2, 10], ['a_2', 2, 20]], ['a_in', 2, 10], ['a_1']],
    ['higher ones alone', { ...own, priority: { mode: 'Base', comparison: 'GreaterThan' } }, [['a_1', 2, 10], ['a_2', 2, 20]], ['a_in', 2, 10], ['a_2']],
    ['smaller numbers', { ...own, ...smaller }, [['a_1', 2, 0, rung(4)], ['a_2', 2, 0, rung(8)]], ['a_in', 2, 0, rung(8)], ['a_1']],
    ['nobody without the number', { ...own, ...smaller }, [['a_1', 2], ['a_2', 2, 0, rung('big')]], ['a_in', 2, 0, rung(8)], undefined],
    ['nobody where the preemptor has no number', { ...own, ...smaller }, [['a_1', 2, 0, rung(1)], ['a_2', 2, 0, rung(2)]], ['a_in', 2], undefined],
    ['by the fallback who has no number', { ...own, numericLabels: [{ key: 'rung', comparison: 'LessThan', fallbackValue: -1 }] }, [['a_1', 2, 0, rung('1.5')], ['a_2', 2, 0, rung(0)]], ['a_in', 2, 0, rung(0)], ['a_1']],
    ['numbers between bounds', { ...own, numericLabels: [{ key: 'rung', minValue: 2, maxValue: 3 }] }, [['a_1', 2, 0, rung(2)], ['a_2', 2, 0, rung(4)]], ['a_in', 2], ['a_1']],
    ['who has the number at all', { ...own, numericLabels: [{ key: 'rung' }] }, [['a_1', 2, 0, rung(7)], ['a_2', 2]], ['a_in', 2], ['a_1']],
    ['all numbers at once', { ...own, numericLabels: [{ key: 'rung', minValue: 1 }, { key: 'size', maxValue: 1 }] }, [['a_1', 2, 0, { rung: '1', size: '1' }], ['a_2', 2, 0, { rung: '1', size: '2' }]], ['a_in', 2], ['a_1']],
    ['no number beyond 32 bits', { ...own, numericLabels: [{ key: 'rung', minValue: 1 }] }, [['a_1', 2, 0, rung(2147483647)], ['a_2', 2, 0, rung(2147483648)]], ['a_in', 2], ['a_1']],
  ])('take %s', (_, selector, admitted, incoming, expected) => {
    expect(preempted(by([rule(selector)], queue(4)), ...admitted, incoming)).toEqual(expected)
  })

  it('see what time sharing has taken off, if they are to', () => {
    const found = (mode: 'Base' | 'Boosted', comparison: 'LessThan' | 'GreaterThan') =>
      preempted(by([rule({ ...own, priority: { mode, comparison } })], queue(4), { timeSharing: { interval: 1.5, negativeBoost: 60 } }), ['a_1', 2, 100], ['a_2', 2, 60], ['a_in', 2, 70])
    expect([found('Boosted', 'LessThan'), found('Boosted', 'GreaterThan'), found('Base', 'LessThan'), found('Base', 'GreaterThan')]).toEqual([['a_1'], undefined, ['a_2'], ['a_1']])
  })

  const sharing = { fairSharing: true }
  const borrows = { preemption: { reclaimWithinCohort: 'Any' as const } }
  it.each<[string, KueueOptions, readonly Load[], readonly string[] | undefined]>([
    ['those of a queue within its nominal quota', by([rule(near)], ofOthers, sharing), [['a_1', 3], ['b_1', 3], ['a_in', 3]], ['b_1']],
    ['not where a strategy finds enough', by([rule({ ...near, ...smaller })], { ...queue(2, borrows), b: { cohort: 'all', nominalQuota: { cpu: 2 } } }, sharing), [['b_1', 2, 0, rung(1)], ['b_2', 2], ['a_in', 2, 0, rung(5)]], ['b_2']],
    ['not where the second strategy finds enough', by([rule({ ...near, ...smaller })], { ...queue(2, borrows), b: { cohort: 'all', nominalQuota: { cpu: 2 } }, c: { cohort: 'all', nominalQuota: { cpu: 2 } } }, sharing), [['b_1', 4], ['c_1', 2, 0, rung(1)], ['a_in', 3, 0, rung(5)]], ['b_1']],
    ['more where strategies do not', by([rule({ ...own, ...smaller })], queue(4, lower), sharing), [['a_x', 2, 50, rung(1)], ['a_y', 2, 1], ['a_in', 4, 10, rung(5)]], ['a_x', 'a_y']],
  ])('with fair sharing take %s', (_, options, loads, expected) => {
    expect(preempted(options, ...loads)).toEqual(expected)
  })

  const further = [rule({ ...own, ...smaller }), rule(own, 'InsufficientQuota')]
  it.each<[string, Partial<KueueOptions>, readonly Load[], readonly string[] | undefined]>([
    ['come after those that always hold', {}, [['a_1', 2, 10, rung(1)], ['a_2', 2, 1], ['a_in', 4, 0, rung(5)]], ['a_1', 'a_2']],
    ['do not come where these are enough', {}, [['a_1', 2, 1, rung(1)], ['a_2', 2, 10], ['a_in', 2, 0, rung(5)]], ['a_1']],
    ['do not come where these are enough, whatever the order of priorities', {}, [['a_1', 2, 10, rung(1)], ['a_2', 2, 1], ['a_in', 2, 0, rung(5)]], ['a_1']],
    ['come after those that always hold, with fair sharing', sharing, [['a_1', 2, 10, rung(1)], ['a_2', 2, 1], ['a_in', 4, 0, rung(5)]], ['a_1', 'a_2']],
  ])('for quota %s', (_, more, loads, expected) => {
    expect(preempted(by(further, queue(4), more), ...loads)).toEqual(expected)
  })

  const class_ = (name: string) => ({ 'kueue.x-k8s.io/priority-class': name })
  const threeClasses: readonly Load[] = [['a_x', 2, 0, class_('low')], ['a_y', 2, 0, class_('mid')], ['a_z', 2]]
  it.each<[string, Partial<Rule>, Selector['priority'], Readonly<Record<string, string>>, readonly string[] | undefined]>([
    ['candidates of a class', {}, { matchNames: ['low', 'other'] }, {}, ['a_x']],
    ['candidates of other classes, or of none', {}, { notMatchNames: ['low'] }, {}, ['a_z']],
    ['candidates for whom both hold', {}, { matchNames: ['low', 'mid'], notMatchNames: ['low'] }, {}, ['a_y']],
    ['candidates of a class with the priority', {}, { matchNames: ['low'], mode: 'Base', comparison: 'LessThan' }, {}, undefined],
    ['for preemptors of a class', { preemptorPriorityClassSelector: { matchNames: ['hero'] } }, undefined, class_('hero'), ['a_z']],
    ['for no preemptors without a class that is asked for', { preemptorPriorityClassSelector: { matchNames: ['hero'] } }, undefined, {}, undefined],
    ['for preemptors without a class where others are left out', { preemptorPriorityClassSelector: { notMatchNames: ['mid'] } }, undefined, {}, ['a_z']],
    ['for no preemptors of a class that is left out', { preemptorPriorityClassSelector: { notMatchNames: ['mid'] } }, undefined, class_('mid'), undefined],
  ])('select %s (MatchesPriorityClassSelector)', (_, more, priority, tags, expected) => {
    const options = by([rule({ ...own, ...(priority && { priority }) }, 'Always', more)], queue(6), { labelKeysToCopy: [] }) // classes are seen all the same
    expect(preempted(options, ...threeClasses, ['a_in', 2, 0, tags])).toEqual(expected)
  })

  it('for nodes do not come where quota is lacking', () => {
    expect(preempted(by([rule(own, 'QuotaFeasibleAndInsufficientTopology')], queue(4)), ['a_1', 2], ['a_2', 2], ['a_in', 2])).toBeUndefined()
  })

  it('see only tags that are copied', () => {
    const found = (labelKeysToCopy?: string[]) => preempted(by([rule({ ...own, ...smaller })], queue(4), { ...(labelKeysToCopy && { labelKeysToCopy }) }), ['a_1', 4, 0, rung(1)], ['a_in', 4, 0, rung(2)])
    expect([found(), found(['rung', 'size']), found(['size']), found([])]).toEqual([['a_1'], ['a_1'], undefined, undefined])
  })

  it('of which there are none are refused', () => {
    const of = (options: KueueOptions) => () => dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] }), policy: kueue(options) })
    expect(of({ preemptionConfigs: { heroes: {} }, queues: { a: { preemptionConfig: 'hero' } } })).toThrow('queues.a.preemptionConfig: no preemptionConfig is called "hero". Known: heroes.')
    expect(of({ defaults: { preemptionConfig: 'hero' } })).toThrow('defaults.preemptionConfig: no preemptionConfig is called "hero".')
  })

  it('find others for who asks the same with other tags', () => {
    const { submit } = world(by([rule({ ...own, ...smaller })], queue(2)))
    const come = (id: string, value: number) => submit(job({ id, queue: 'a', tags: rung(value), demand: { cpu: 2 } }))
    expect([come('first', 3), come('small', 2), come('large', 4)].map(({ started, killed }) => [...started, ...killed.map((each) => `-${each}`)])).toEqual([['first'], [], ['large', '-first']])
  })
})

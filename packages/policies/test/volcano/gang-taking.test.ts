import type { JobSpec } from '@sched/core'
import { volcano, type VolcanoOptions } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { both, outcome, wants, type Nodes } from './world.js'

// Cases of Volcano's own tests of the actions gangpreempt and gangreclaim (gangpreempt_test.go, gangreclaim_test.go, planning_test.go, gangreclaim_fairness_test.go, bundle_test.go).

type Plugins = NonNullable<NonNullable<VolcanoOptions['tiers']>[number]['plugins']>
const one = both(1)
const low = { priority: 10 }
const high = { priority: 100 }
const preempting = (more: VolcanoOptions = {}, plugins: Plugins = ['gang', 'priority', 'capacity']): VolcanoOptions => ({ actions: ['allocate', 'gangpreempt'], tiers: [{ plugins }], ...more })
const reclaiming = (plugins: Plugins, more: VolcanoOptions = {}): VolcanoOptions => ({ actions: ['allocate', 'gangreclaim'], tiers: [{ plugins }], ...more })
const count = (found: readonly string[], what: string) => found.filter((each) => each.startsWith(what)).length

describe('gangpreempt', () => {
  it.each([[0, 1], [1, 0]])('takes what the job needs and no more, with %d free (TestGangPlan_OnlyEvictsWhatTargetNeeds)', (idle, gone) => {
    const found = outcome({ n1: both(4 + idle) }, preempting(), [wants('victim', 'q', one, { tasks: 4, ...low })], wants('in', 'q', one, high))
    expect([count(found, '-victim'), count(found, '+in')]).toEqual([gone, 1])
  })

  it.each<[string, JobSpec, boolean, readonly string[]]>([
    ['a job that may go as a whole', wants('victim', 'q', one, low), true, ['-victim', '+in@n1']],
    ['none that would, where none may', wants('victim', 'q', one, low), false, []],
    ['none that may not be preempted', { ...wants('victim', 'q', one, low), preemptible: false }, true, []],
    ['one that may be', { ...wants('victim', 'q', one, low), preemptible: true }, true, ['-victim', '+in@n1']],
    ['none of the same priority', wants('victim', 'q', one, high), true, []],
    ['none of another queue', wants('victim', 'other', one, low), true, []],
  ])('takes %s (TestSelectDomainVictims)', (_, victim, allowWholeBundle, expected) => {
    expect(outcome({ n1: one }, preempting({ allowWholeBundle }), [victim], wants('in', 'q', one, high))).toEqual(expected)
  })

  it('takes what a job can do without, and then the rest of it at once (TestCreateJobBundles_SafeAndWhole)', () => {
    const gone = (asked: number) => count(outcome({ n1: both(5) }, preempting(), [wants('victim', 'q', one, { tasks: 5, min: 3, ...low })], wants('in', 'q', both(asked), high)), '-')
    expect([1, 2, 3].map(gone)).toEqual([1, 2, 5])
  })

  it('takes what jobs can do without first, then the lower priority, then the last in order (TestSortBundlesForPreempt)', () => {
    const held = [wants('whole', 'q', one, { priority: 1 }), wants('more', 'q', one, { tasks: 2, priority: 20 }), wants('less', 'q', one, { tasks: 2, ...low }), wants('last', 'q', one, { priority: 1 })]
    const gone = (asked: number) => outcome({ n1: both(6) }, preempting(), held, wants('in', 'q', both(asked), high)).filter((each) => each.startsWith('-')).sort()
    expect([1, 2, 3, 4].map(gone)).toEqual([['-less'], ['-less', '-more'], ['-last', '-less', '-more'], ['-last', '-less', '-more', '-whole']])
  })

  it('makes room for a gang on several nodes at once, or takes nothing', () => {
    const nodes: Nodes = { n1: both(2), n2: both(2) }
    const gang = wants('in', 'q', both(2), { tasks: 2, min: 2, ...high })
    expect(outcome(nodes, preempting(), [wants('a', 'q', both(2), { tasks: 2, min: 2, ...low })], gang)).toEqual(['-a', '-a', '+in@n1', '+in@n2'])
    expect(outcome(nodes, preempting(), [wants('a', 'q', both(2), low), wants('b', 'q', both(2), high)], gang)).toEqual([])
  })

  it('takes a whole gang, which preempt does not with the plug-in gang', () => {
    const held = [wants('a', 'q', one, { tasks: 2, min: 2, ...low })]
    expect(outcome({ n1: both(2) }, preempting(), held, wants('in', 'q', one, high))).toEqual(['-a', '-a', '+in@n1'])
    expect(outcome({ n1: both(2) }, preempting({ actions: ['allocate', 'preempt'] }), held, wants('in', 'q', one, high))).toEqual([])
  })
})

describe('gangreclaim', () => {
  const released: Plugins = ['priority', 'gang', 'drf']
  const held = [wants('low', 'qa', one, { tasks: 7, ...low })]
  const coming = wants('high', 'qb', both(2), { priority: 1000 })

  it.each<[string, Plugins, VolcanoOptions, number]>([
    ['nothing without a plug-in that orders queues', released, {}, 0],
    ['as much as is needed with proportion', [...released, 'proportion'], {}, 2],
    ['as much as is needed with capacity', [...released, 'capacity'], { queues: { qa: { deserved: both(3) }, qb: { deserved: both(3) } } }, 2],
    ['as much as is needed with drf in a tree', ['priority', 'gang', { name: 'drf', enableHierarchy: true }], {}, 2],
    ['nothing where the order of queues is off', [...released, { name: 'proportion', enableQueueOrder: false }], {}, 0],
    ['nothing of a queue that has what it deserves', [...released, 'capacity'], { queues: { qa: { deserved: both(7) }, qb: { deserved: both(3) } } }, 0],
    ['nothing of a queue that is not reclaimable', [...released, 'proportion'], { queues: { qa: { reclaimable: false } } }, 0],
  ])('takes %s (TestGangReclaimNeedsQueueFairnessPlugin, TestQueueFairnessEnabled, TestSelectDomainVictims)', (_, plugins, more, gone) => {
    expect(count(outcome({ n1: both(7) }, reclaiming(plugins, more), held, coming), '-low')).toBe(gone)
  })

  it.each<[string, number, readonly [number, number, number, number], readonly string[]]>([
    ['that gives all it has, and not the last in order', 2, [2, 0, 4, 0], ['-a', '-a']],
    ['that is the last in order, if they give the same part', 2, [2, 0, 2, 0], ['-b', '-b']],
    ['of the lower priority, whatever it gives', 2, [2, 5, 4, 1], ['-b', '-b', '-b', '-b']],
  ])('of two gangs of a queue takes the one %s (TestSortBundlesForReclaim_UsesQueueOrderThenROI)', (_, asked, [ofA, priorityA, ofB, priorityB], gone) => {
    const gangs = [wants('a', 'qa', one, { tasks: ofA, min: ofA, priority: priorityA }), wants('b', 'qa', one, { tasks: ofB, min: ofB, priority: priorityB })]
    expect(outcome({ n1: both(ofA + ofB) }, reclaiming(['gang', 'proportion']), gangs, wants('in', 'qc', both(asked))).filter((each) => each.startsWith('-'))).toEqual(gone)
  })

  it('takes of the queue that gives first, whatever the priority of its jobs (TestSortBundlesForReclaim_UsesQueueOrderThenROI)', () => {
    const two = [wants('a', 'qa', one, { tasks: 2, priority: 1 }), wants('b', 'qb', one, { tasks: 4, priority: 500 })]
    expect(outcome({ n1: both(6) }, reclaiming(['gang', 'proportion']), two, wants('in', 'qc', one))).toEqual(['-b', '+in@n1'])
  })
})

it('with these actions the laws of policies hold', { tags: 'long' }, () => {
  const options: VolcanoOptions = { actions: ['allocate', 'gangpreempt', 'gangreclaim'], tiers: [{ plugins: ['priority', 'gang', 'proportion'] }] }
  expect(checkPolicyLaws(() => volcano(options), { runs: 12, seed: 3, worlds: { gangJobs: true } }).launches).toBeGreaterThan(50)
})

// @module-tag long
import { volcano, type VolcanoOptions } from '@sched/policies'
import { checkPolicyLaws, type LawOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

type Make = (queues: readonly string[]) => VolcanoOptions
/** Queues of a world in its order, with settings that depend on the name alone. */
const weighted: Make = (queues) => ({ queues: Object.fromEntries(queues.map((name) => [name, { weight: name === 'a' ? 2 : 1, priority: name === 'b' ? 1 : 0 }])) })
const taking: Make = (queues) => ({
  ...weighted(queues),
  actions: ['enqueue', 'allocate', 'preempt', 'reclaim'],
  tiers: [{ plugins: ['priority', { name: 'gang', enablePreemptable: false, enableReclaimable: false }, 'conformance'] }, { plugins: ['drf', { name: 'capacity' }] }],
})
/** Who has waited for long is enqueued, and takes of others. */
const waiting: Make = (queues) => ({
  ...weighted(queues),
  actions: ['enqueue', 'allocate', 'preempt'],
  tiers: [{ plugins: ['priority', { name: 'sla', arguments: { 'sla-waiting-time': 5 } }] }, { plugins: [{ name: 'overcommit', arguments: { 'overcommit-factor': 1 } }, 'drf'] }],
})
/** Not only jobs without a task take of others, and they find the cluster full: where they had to be enqueued they would not be there. */
const hungry: Make = (queues) => ({ ...weighted(queues), actions: ['allocate', 'preempt'], tiers: [{ plugins: ['priority'] }] })
const tree: Make = (queues) => ({
  queues: Object.fromEntries([['around', {}], ...queues.map((name) => [name, { parent: 'around', ...(name === 'a' && { priority: 1 }), dequeueStrategy: name < 'b' ? ('traverse' as const) : ('priorityfifo' as const) }])]),
  actions: ['enqueue', 'reclaim', 'allocate', 'preempt', 'backfill'],
  tiers: [{ plugins: ['priority', 'gang'] }, { plugins: ['overcommit', 'drf', { name: 'capacity', enableHierarchy: true }] }],
})
/** Queues by dominant shares, of which some lie in others. */
const dominant: Make = (queues) => ({
  queues: Object.fromEntries([['around', { weight: 2 }], ...queues.map((name) => [name, name < 'b' ? { parent: 'around' } : name === 'b' ? { hierarchy: 'root/around/b', hierarchyWeights: '1/2/3' } : { weight: 2 }])]),
  actions: ['enqueue', 'allocate', 'preempt', 'reclaim'],
  tiers: [{ plugins: ['priority', { name: 'gang', enablePreemptable: false, enableReclaimable: false }] }, { plugins: [{ name: 'drf', enableHierarchy: true }] }],
})
/** The tiers of Volcano itself, where no queue has to wait for ever since it deserves less than a task. */
const unbound: VolcanoOptions['tiers'] = [{ plugins: ['priority', 'gang', 'conformance'] }, { plugins: ['overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }]
const loose: Make = () => ({ tiers: [{ plugins: ['priority', 'gang', 'conformance', 'overcommit', 'drf', { name: 'proportion', enabledAllocatable: false, enabledOverused: false }] }] })

describe('the laws of policies', () => {
  const outlived: LawOptions = { skip: { reservations: 'jobs outlive their estimates' } }
  const cases: Readonly<Record<string, [Make, LawOptions]>> = {
    'shares that bind nobody': [loose, {}],
    'priorities, for which others go': [taking, {}],
    'queues in queues': [tree, {}],
    'gangs in queues in queues': [tree, { ...outlived, worlds: { gangs: true, outages: true, failures: true } }],
    'dominant shares of queues in queues': [dominant, { ...outlived, worlds: { gangs: true, outages: true, failures: true } }],
    'a waiting time after which jobs are enqueued': [waiting, { ...outlived, worlds: { gangs: true, outages: true } }],
    'gangs, and tasks that are taken': [taking, { ...outlived, worlds: { gangs: true, outages: true, failures: true } }],
    'gangs that a later tier lets go in part': [() => ({ actions: ['enqueue', 'allocate', 'preempt', 'reclaim'], tiers: unbound }), { ...outlived, runs: 60, worlds: { gangs: true, outages: true, failures: true } }],
    'masters, and tasks that are taken': [taking, { ...outlived, worlds: { masters: true, outages: true, failures: true } }],
    'priorities of which one takes nothing': [(queues) => ({ ...taking(queues), never: [1] }), outlived],
    'nodes with heartbeats': [taking, { worlds: { heartbeats: true } }],
  }
  it.each(Object.entries(cases))('hold for %s', (_, [make, options]) => {
    expect(checkPolicyLaws(({ queues }) => volcano(make(queues)), { runs: 40, ...options }).launches).toBeGreaterThan(200)
  })
  it('hold where tasks are taken', () => {
    expect(checkPolicyLaws(({ queues }) => volcano(hungry(queues)), { runs: 60, ...outlived, worlds: { masters: true } }).evictions).toBeGreaterThan(0)
  })
})

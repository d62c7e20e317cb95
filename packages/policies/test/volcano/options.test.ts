import { dispatcher } from '@sched/cluster'
import { volcano, type VolcanoOptions } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { both, outcome, wants, world } from './world.js'

const nodes = { n1: both(10) }
const jobs = (...ids: readonly string[]) => ids.map((id) => wants(id, 'q', both(6)))

describe('overcommit', () => {
  it('enqueues as much as all nodes have, times its factor', () => {
    // 6 run; 6 + 6 = 12 are 1.2 times 10, and 6 more are not: when the first ends, the second and the third are in with 1.8
    const of = (factor?: number): VolcanoOptions => ({ tiers: [{ plugins: [{ name: 'overcommit', ...(factor !== undefined && { arguments: { 'overcommit-factor': factor } }) }, { name: 'priority', enableJobOrder: true }] }] })
    const order = (options: VolcanoOptions) => {
      const { come, pass } = world(nodes, options)
      return [come(...jobs('a', 'b'), wants('small', 'q', both(4))).started, pass().started]
    }
    // with a factor of 1 b is not enqueued, and small is
    expect(order(of(1))).toEqual([['a@n1', 'small@n1'], []])
    expect(order(of(1.2))).toEqual([['a@n1'], []])
    expect(order(of())).toEqual([['a@n1'], []])
  })
  it('has a factor for each resource, and none below 1', () => {
    const of = (given: Readonly<Record<string, number>>): VolcanoOptions => ({ actions: ['enqueue', 'allocate'], tiers: [{ plugins: [{ name: 'overcommit', arguments: given }] }] })
    const started = (given: Readonly<Record<string, number>>) => outcome(nodes, of(given), jobs('a'), wants('b', 'q', { cpu: 6, mem: 1 }, { priority: 1 }), wants('c', 'q', { cpu: 4, mem: 4 }))
    expect(started({ 'overcommit-factor.cpu': 1 })).toEqual(['+c@n1'])
    expect(started({ 'overcommit-factor': 0.5 })).toEqual([])
    expect(started({ 'overcommit-factor.mem': 1 })).toEqual([])
  })
})

describe('overcommit (TestOvercommitPlugin)', () => {
  const two = { n1: { cpu: 2000, mem: 4096, gpu: 8 }, n2: { cpu: 4000, mem: 16_384, gpu: 0 } }
  const options = (given: Readonly<Record<string, number>>): VolcanoOptions => ({ actions: ['enqueue', 'allocate'], tiers: [{ plugins: ['priority', { name: 'overcommit', arguments: given }] }] })
  const pg1 = wants('pg1', 'c1', { cpu: 1000, mem: 954 }, { tasks: 2, min: 2 })
  it.each([
    ['overCommitFactor is more than 1', { 'overcommit-factor': 1.2 }],
    ['overCommitFactor is less than 1', { 'overcommit-factor': 0.8 }],
    ['with different overcommit factors', { 'overcommit-factor.cpu': 1.3, 'overcommit-factor.mem': 1.4, 'overcommit-factor.gpu': 1.3 }],
    ['overCommitFactor is not set', {}],
  ])('%s: who asks a third of all is enqueued', (_, given) => {
    expect(outcome(two, options(given), [], pg1)).toEqual(['+pg1@n1', '+pg1@n1'])
  })
  it('when the required resources of pg are too large it is not, and leaves others what there is', () => {
    const pg2 = wants('pg2', 'c1', { cpu: 2000, mem: 1907 }, { tasks: 2, min: 2, priority: 1 })
    // of 7.2 CPUs 4 are used, and 4 more are too many
    expect(outcome(two, options({ 'overcommit-factor': 1.2 }), [wants('runs', 'c1', { cpu: 4000, mem: 1907 })], pg2, pg1)).toEqual(['+pg1@n1', '+pg1@n1'])
  })
})

describe('enqueue (TestEnqueue)', () => {
  // drf, proportion, sla and gang in one tier
  const options: VolcanoOptions = {
    queues: { c1: { weight: 1, capability: both(4) }, c2: { weight: 1, capability: both(4) } },
    actions: ['enqueue', 'allocate'],
    tiers: [{ plugins: ['drf', 'proportion', { name: 'sla', arguments: { 'sla-waiting-time': 180 } }, 'gang'] }],
  }
  it('when podgroup status is pending: one of each queue is enqueued', () => {
    expect(outcome({ n1: both(8) }, options, [], wants('pg1', 'c1', { cpu: 3, mem: 1 }), wants('pg2', 'c2', { cpu: 1, mem: 1 }))).toEqual(['+pg1@n1', '+pg2@n1'])
  })
  it('cannot enqueue because queue resources are less than podgroup MinResources: such a job is refused', () => {
    const { come } = world({ n1: both(8) }, { ...options, queues: { c1: { capability: both(1) } } })
    expect(() => come(wants('pg1', 'c1', both(4), { tasks: 2, min: 2 }))).toThrow('queue c1: 8 cpu of at most 1')
  })
})

describe('a task that has ended', () => {
  // Volcano, JobInfo.ReadyTaskNum: tasks that have succeeded are of the minimum, too
  const jobs = [wants('a', 'q', both(4), { tasks: 2 }), wants('b', 'q', both(10))]
  it('leaves its job its minimum: others come first', () => {
    const of = (enableJobOrder: boolean): VolcanoOptions => ({ actions: ['allocate'], tiers: [{ plugins: [{ name: 'gang', enableJobOrder }] }] })
    const order = (enableJobOrder: boolean) => {
      const { come, end } = world({ n1: both(4) }, of(enableJobOrder))
      come(wants('a', 'q', both(4), { tasks: 2 }), wants('b', 'q', both(4)))
      return end('a').started
    }
    expect(order(true)).toEqual(['b@n1'])
    expect(order(false)).toEqual(['a@n1'])
  })
  it('does not keep room from those that are to be enqueued', () => {
    const options: VolcanoOptions = { tiers: [{ plugins: ['gang', { name: 'overcommit', arguments: { 'overcommit-factor': 1 } }] }] }
    const { come, end } = world({ n1: both(10) }, options)
    come(wants('a', 'q', both(7), { tasks: 2 }))
    expect(come(jobs[1] as (typeof jobs)[number]).started).toEqual([])
    expect(end('a').started).toEqual(['b@n1'])
  })
  it('does not let its job take of others', () => {
    const options: VolcanoOptions = { actions: ['allocate', 'preempt'], tiers: [{ plugins: [{ name: 'priority', enableJobStarving: false }, { name: 'gang', enablePreemptable: false }] }] }
    const { come, end } = world({ n1: both(4) }, options)
    come(wants('low', 'q', both(1)), wants('a', 'q', both(3), { tasks: 2, priority: 1 }))
    expect(end('a', wants('high', 'q', both(1), { priority: 2 }))).toEqual({ started: ['high@n1'], killed: [] })
  })
})

describe('a job of which tasks run that somebody else has started', () => {
  it('is enqueued already', () => {
    const nodes = ([['n1', 9], ['n2', 4]] as const).map(([node, amount]) => ({ count: 1, name: node, resources: both(amount), labels: { node } }))
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: volcano({ tiers: [{ plugins: ['priority', { name: 'overcommit', arguments: { 'overcommit-factor': 1 } }] }] }, firstNode()) })
    master.submit(wants('a', 'q', both(3), { tasks: 2, on: 'n1' }), 0)
    master.submit(wants('full', 'q', both(4), { on: 'n2' }), 0)
    master.adopt({ job: 'a', node: 'n1-0' }, 1)
    master.adopt({ job: 'full', node: 'n2-0' }, 1)
    // of 13, 7 run and 4 are for a job that finds no room: were a to be enqueued anew, its 3 would be too many
    master.submit(wants('waits', 'q', both(4), { priority: 1, on: 'n2' }), 2)
    expect(master.pass(3).start.map(({ job }) => job)).toEqual(['a'])
  })
})

describe('options of volcano', () => {
  it('names what is wrong', () => {
    const making = (options: VolcanoOptions) => () => world(nodes, options)
    expect(making({ queues: { a: { parent: 'b' }, b: { parent: 'a' } } })).toThrow('lies in itself')
    expect(making({ queues: { a: { parent: 'x' } } })).toThrow('there is no queue "x"')
    expect(making({ queues: { a: { capability: { gpus: 1 } } } })).toThrow('the cluster has no resource "gpus"')
    expect(making({ defaults: { deserved: { gpus: 1 } } })).toThrow('the cluster has no resource "gpus"')
    expect(making({ tiers: [{ plugins: ['gang'] }, { plugins: ['gang'] }] })).toThrow('plug-in "gang" is there twice')
    expect(making({ actions: ['enqueue', 'backfill', 'preempt'] })).toThrow('volcano.actions: actions are without allocate: nothing ever starts.')
    expect(making({ tiers: [{ plugins: ['capacity', 'proportion'] }] })).toThrow('divide the cluster in different ways')
    expect(making({ tiers: [{ plugins: [{ name: 'gang', enableHierarchy: true }] }] })).toThrow('the plug-in gang does not compare queues in a tree')
    expect(making({ tiers: [{ plugins: [{ name: 'gang', enableHierarchy: false }] }] })).not.toThrow()
  })
  it('refuses a job that asks more than its queue may ever have', () => {
    const { come } = world(nodes, { queues: { q: { capability: both(5) }, other: { guarantee: both(6) } } })
    expect(() => come(...jobs('a'))).toThrow('queue q: 6 cpu of at most 4')
  })
  it('has defaults for queues that do not say otherwise', () => {
    const options: VolcanoOptions = { queues: { own: { capability: both(9) } }, defaults: { capability: both(5) } }
    expect(() => world(nodes, options).come(...jobs('a'))).toThrow('of at most 5')
    expect(world(nodes, options).come(wants('a', 'own', both(6))).started).toEqual(['a@n1'])
  })
  it('divides by weight what is not guaranteed', () => {
    const started = (queues: VolcanoOptions['queues'] = {}) => {
      const run = world(nodes, { queues }).come(wants('a', 'qa', both(1), { tasks: 10 }), wants('b', 'qb', both(1), { tasks: 10 })).started
      return ['a@n1', 'b@n1'].map((each) => run.filter((one) => one === each).length)
    }
    expect(started()).toEqual([5, 5])
    expect(started({ qa: { weight: 4 } })).toEqual([8, 2])
    expect(started({ qa: { weight: 4 }, qb: { guarantee: both(3) } })).toEqual([7, 3])
    expect(started({ qa: { capability: both(2) } })).toEqual([2, 8])
  })
  it('switches each part of a plug-in off', () => {
    const high = wants('high', 'q', both(10), { priority: 5 })
    const low = wants('low', 'q', both(10))
    const of = (flags: object, actions: VolcanoOptions['actions'] = ['allocate']): VolcanoOptions => ({ actions, tiers: [{ plugins: [{ name: 'priority', ...flags }] }] })
    expect(outcome(nodes, of({}), [], low, high)).toEqual(['+high@n1'])
    expect(outcome(nodes, of({ enableJobOrder: false }), [], low, high)).toEqual(['+low@n1'])
    expect(outcome(nodes, of({}, ['allocate', 'preempt']), [low], high)).toEqual(['-low', '+high@n1'])
    expect(outcome(nodes, of({ enablePreemptable: false }, ['allocate', 'preempt']), [low], high)).toEqual([])
    expect(outcome(nodes, of({ enableJobStarving: false }, ['allocate', 'preempt']), [low], high)).toEqual([])
    const shares = (flags: object): VolcanoOptions => ({ actions: ['allocate'], tiers: [{ plugins: [{ name: 'proportion', ...flags }] }] })
    const two = [wants('a', 'qa', both(6)), wants('b', 'qb', both(6))]
    expect(outcome(nodes, shares({}), [], ...two)).toEqual([])
    expect(outcome(nodes, shares({ enabledAllocatable: false }), [], ...two)).toEqual(['+a@n1'])
    const more = [wants('a1', 'qa', both(3), { tasks: 2 }), wants('b', 'qb', both(6))]
    expect(outcome(nodes, shares({ enabledAllocatable: false, enabledOverused: false, enableQueueOrder: false }), [], ...more)).toEqual(['+a1@n1', '+a1@n1'])
    expect(outcome(nodes, shares({ enabledAllocatable: false }), [], ...more)).toEqual(['+a1@n1', '+b@n1'])
  })
})

describe('drf', () => {
  it('starts the job of a queue that has the smaller dominant share', () => {
    const drf: VolcanoOptions = { actions: ['allocate'], tiers: [{ plugins: ['drf'] }] }
    const run = (options: VolcanoOptions) => outcome(nodes, options, [wants('a', 'q', { cpu: 4 })], wants('b', 'q', { cpu: 1 }, { tasks: 6 }), wants('c', 'q', { mem: 5 }, { tasks: 2 }))
    // b and c start in turn: c has 0.5 of all memory after its first task, which b reaches with five tasks
    expect(run(drf)).toEqual(['+b@n1', '+c@n1', '+b@n1', '+b@n1', '+b@n1', '+b@n1', '+b@n1', '+c@n1'])
    expect(run({ ...drf, tiers: [] })).toEqual(['+b@n1', '+b@n1', '+b@n1', '+b@n1', '+b@n1', '+b@n1', '+c@n1', '+c@n1'])
  })
  it('takes of a job that has more even then', () => {
    const drf: VolcanoOptions = { actions: ['allocate', 'preempt'], tiers: [{ plugins: ['gang', 'drf'] }] }
    expect(outcome(nodes, drf, [wants('a', 'q', both(1), { tasks: 10 })], wants('b', 'q', both(2), { tasks: 2, min: 2 }))).toEqual(['-a', '-a', '-a', '-a', '+b@n1', '+b@n1'])
    expect(outcome(nodes, drf, [wants('a', 'q', both(5), { tasks: 2 })], wants('b', 'q', both(6)))).toEqual([])
  })
})

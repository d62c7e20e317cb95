import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { greedy, yunikorn, type YunikornOptions } from '@sched/policies'
import { instantCluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import type { QueueOptions } from '../../src/yunikorn/options.js'
import { usageRatio, writeShares } from '../../src/yunikorn/usage-ratio.js'
import { firstNode } from '../first-node.js'

// Cases of YuniKorn's own tests (sorters_test.go, queue_test.go, ugm/manager_test.go) and of its page about priorities, in numbers of ours.

/** One node with room for so many units of CPU and memory, of which each task asks one unless told otherwise. */
function world(units: number, options: YunikornOptions) {
  const policy = greedy(yunikorn(options), firstNode())
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: units, mem: units } }] }), policy })
  const submit = (id: string, change: JobChange & Pick<JobSpec, 'group'> = {}) => void master.submit({ ...job({ id, queue: id.split(' ')[0] as string, demand: { cpu: 1, mem: 1 }, ...change }), ...(change.group !== undefined && { group: change.group }) }, 0)
  return { submit, pass: () => master.pass(0).start.map((each) => each.job) }
}
const guaranteed = (cpu: number): QueueOptions => ({ guaranteed: { cpu, mem: cpu } })

describe('queues, sorted fair', () => {
  /** Who is served with the next units, where queues have so many. */
  const served = (queues: Readonly<Record<string, QueueOptions>>, held: readonly number[], units: number) => {
    const { submit, pass } = world(held.reduce((sum, each) => sum + each, units), { root: { queues } })
    for (const [i, tasks] of held.entries()) submit(`q${i} held`, { tasks })
    pass()
    for (const i of held.keys()) submit(`q${i} more`, { tasks: 99 })
    return pass().map((id) => id.split(' ')[0]).join(' ')
  }
  it('come by what they have of what is guaranteed (TestSortQueues)', () => {
    const queues = { q0: guaranteed(5), q1: guaranteed(3), q2: guaranteed(2) }
    expect(served(queues, [3, 2, 1], 3)).toBe('q2 q0 q1') // 3/5, 2/3, 1/2
    expect(served(queues, [2, 3, 1], 3)).toBe('q0 q2 q0') // 2/5, 3/3, 1/2
    expect(served(queues, [1, 1, 1], 3)).toBe('q0 q1 q0') // 1/5, 1/3, 1/2
  })
  it('come by what they have of all there is, where nothing is guaranteed (TestNoQueueLimits)', () => {
    expect(served({}, [3, 2, 1], 3)).toBe('q2 q1 q2')
    expect(served({}, [2, 3, 1], 2)).toBe('q2 q0')
  })
  it('come by the largest part of what is guaranteed, or else of the maximum; of 0 all is used (TestGetFairMaxResource, getFairShare)', () => {
    const none = [NaN, NaN]
    expect(usageRatio([5, 1], 0, [10, NaN], [10, 4], [0, 1])).toBe(0.5)
    expect(usageRatio([5, 3], 0, [10, NaN], [10, 4], [0, 1])).toBe(0.75)
    expect(usageRatio([5, 3], 0, none, [20, 4], [0, 1])).toBe(0.75)
    expect(usageRatio([0, 1], 0, none, [0, 0], [0, 1])).toBe(1)
    expect(usageRatio([0, 0], 0, [0, 0], [1, 1], [0, 1])).toBe(0)
    // the maximum of a queue around counts where the queue has none, and its own where that is larger
    const inside = (max: number) => ({ t: { max: { cpu: 8 }, queues: { a: { max: { cpu: max } }, b: {} } } })
    const next = (queues: Readonly<Record<string, QueueOptions>>) => {
      const { submit, pass } = world(20, { root: { queues } })
      submit('t.a 1', { tasks: 2 })
      submit('t.b 1', { tasks: 1 })
      pass()
      submit('t.a 2', { tasks: 9 })
      submit('t.b 2', { tasks: 9 })
      return pass()[0]?.split(' ')[0]
    }
    expect([next(inside(100)), next(inside(4))]).toEqual(['t.a', 't.b']) // 2/100 and 2/4 against 1/8
  })
})

describe('jobs of a queue', () => {
  const starts = (options: QueueOptions, ids: readonly (readonly [string, number?])[], units = 4) => {
    const { submit, pass } = world(units, { root: { queues: { q: options } } })
    for (const [id, priority = 0] of ids) submit(`q ${id}`, { tasks: 2, priority })
    return pass().map((id) => id.slice(2)).join('')
  }
  it('come by age (TestSortAppsFifo), after priority (TestSortAppsPriorityFifo), or before it', () => {
    expect(starts({}, [['a'], ['b'], ['c']])).toBe('aabb')
    expect(starts({}, [['a'], ['b', 1], ['c']])).toBe('bbaa')
    expect(starts({ sortPriority: false }, [['a'], ['b', 1], ['c']])).toBe('bbaa') // of one age by priority
  })
  it('come by what they have (TestSortAppsFair), after priority', () => {
    expect(starts({ sort: 'fair' }, [['a'], ['b'], ['c']])).toBe('abca')
    expect(starts({ sort: 'fair' }, [['a'], ['b', 1], ['c']])).toBe('bbac')
    expect(starts({ sort: 'fair', sortPriority: false }, [['a'], ['b', 1], ['c']])).toBe('bacb')
  })
  it('are compared by parts of what is guaranteed, the largest first, and by amounts times units where nothing is', () => {
    const shares = (used: readonly number[], of: readonly number[], units = [1, 1]) => {
      const out = new Float64Array(2)
      writeShares(out, 0, used, 0, of, units, [0, 1])
      return [...out]
    }
    expect(shares([1, 6], [4, 8])).toEqual([0.75, 0.25])
    expect(shares([1, 6], [4, NaN])).toEqual([6, 0.25])
    expect(shares([1, 6], [NaN, NaN], [10, 1])).toEqual([10, 6])
    const next = (units: Readonly<Record<string, number>>) => {
      const { submit, pass } = world(20, { root: { queues: { q: { sort: 'fair' } } }, units })
      submit('q cpu', { tasks: 3, demand: { cpu: 4, mem: 1 } })
      submit('q mem', { tasks: 3, demand: { cpu: 1, mem: 3 } })
      return pass().slice(2)[0]
    }
    expect([next({}), next({ mem: 2 })]).toEqual(['q mem', 'q cpu']) // 4 and 3; 4 and 6
  })
})

describe('priorities of queues', () => {
  it('go by offsets and fences (the example of its page about priorities)', () => {
    const fence = (priorityOffset: number, queues: Readonly<Record<string, QueueOptions>>): QueueOptions => ({ priorityPolicy: 'fence', priorityOffset, queues })
    const tenants = fence(0, { a: fence(10, { 1: {}, 2: {} }), b: fence(0, { 1: {}, 2: {} }) })
    const { submit, pass } = world(11, { root: { queues: { system: { queues: { high: { priorityOffset: 1000 }, low: { priorityOffset: -1000 }, normal: {} } }, tenants } } })
    const waits = { 'system.high': [1], 'system.normal': [10, 2], 'system.low': [3], 'tenants.a.1': [8, 5], 'tenants.a.2': [6, 4], 'tenants.b.1': [9, 7], 'tenants.b.2': [8] }
    for (const [queue, priorities] of Object.entries(waits)) for (const priority of priorities) submit(`${queue} ${priority}`, { queue, priority })
    expect(pass()).toEqual([
      'system.high 1', 'system.normal 10', 'system.normal 2', 'tenants.a.1 8', 'tenants.a.2 6', 'tenants.a.1 5', 'tenants.a.2 4', 'tenants.b.1 9', 'tenants.b.2 8', 'tenants.b.1 7', 'system.low 3',
    ])
  })
  it('count after what queues have where the queue around them says so', () => {
    const first = (sortPriority: boolean) => {
      const { submit, pass } = world(4, { root: { sortPriority } })
      submit('a 1', { tasks: 2 })
      pass()
      submit('a 2', { tasks: 9, priority: 5 })
      submit('b 1', { tasks: 9 })
      return pass()
    }
    expect(first(true)).toEqual(['a 2', 'a 2'])
    expect(first(false)).toEqual(['b 1', 'b 1'])
  })
})

describe('limits of users and groups', () => {
  type Limit = NonNullable<QueueOptions['limits']>[number]
  const of = (who: Pick<Limit, 'users' | 'groups'>, cpu: number | undefined, maxApplications: number): Limit => ({ ...who, ...(cpu !== undefined && { maxResources: { cpu } }), maxApplications })
  const user = (cpu: number | undefined, apps: number, name = 'user1') => of({ users: [name] }, cpu, apps)
  const group = (cpu: number | undefined, apps: number, name = 'group1') => of({ groups: [name] }, cpu, apps)
  /** How many jobs of 50 CPUs of a user start, of three that come together. */
  const started = (limits: readonly Limit[], name = 'user1', group = 'group1') => {
    const { submit, pass } = world(1000, { root: { queues: { q: { limits } } } })
    for (const id of ['q 1', 'q 2', 'q 3']) submit(id, { user: name, group, demand: { cpu: 50 } })
    return pass().length
  }
  const [medium, large] = [50, 100]
  it.each<[string, readonly Limit[], number, string?, string?]>([
    // TestCanRunApp
    ['applications of a user', [user(undefined, 1)], 1],
    ['applications of a group', [group(undefined, 1)], 1],
    ['applications of any user', [user(undefined, 1, '*')], 1],
    ['applications of any other group', [group(undefined, 100, 'other'), group(undefined, 1, '*')], 1],
    ['applications of a user, fewer than of the group', [user(undefined, 1), group(undefined, 100)], 1],
    ['applications of a group, fewer than of the user', [user(undefined, 100), group(undefined, 1)], 1],
    // TestUserGroupLimit
    ['resources of a user', [user(medium, 2)], 1],
    ['applications of a user who may have more', [user(large, 1)], 1],
    ['resources of others than a user', [user(large, 2), user(medium, 2, '*')], 1, 'user2', 'group2'],
    ['applications of others than a user', [user(large, 2), user(large, 1, '*')], 1, 'user2', 'group2'],
    ['resources of a user, less than of others', [user(medium, 2), user(large, 2, '*')], 1],
    ['resources of a user, more than of others', [user(large, 2), user(medium, 2, '*')], 2],
    ['applications of a user, fewer than of others', [user(large, 1), user(large, 2, '*')], 1],
    ['resources of a group', [group(medium, 2)], 1],
    ['applications of a group that may have more', [group(large, 1)], 1],
    ['resources of others than a group', [group(large, 2), group(medium, 2, '*')], 1, 'user2', 'group2'],
    ['resources of a group, less than of others', [group(medium, 2), group(large, 2, '*')], 1],
    ['resources of a user, less than of the group', [user(medium, 2), group(large, 2)], 1],
    ['resources of a group, less than of the user', [user(large, 2), group(medium, 2)], 1],
    ['both, where they allow two', [user(large, 3), group(large, 3)], 2],
    ['nobody whom they do not name', [user(medium, 1), group(medium, 1)], 3, 'user2', 'group2'],
  ])('hold %s', (_, limits, expected, name, inGroup) => {
    expect(started(limits, name, inGroup)).toBe(expected)
  })
  it('hold in each queue around a job, each user for himself and a group as a whole', () => {
    const run = (limits: readonly Limit[], groups: YunikornOptions['groups'] = {}) => {
      const { submit, pass } = world(1000, { root: { limits, queues: { t: { queues: { a: {}, b: {} } } } }, groups })
      for (const name of ['ann', 'bob']) for (const queue of ['t.a', 't.b']) submit(`${queue} ${name}`, { user: name, tasks: 2 })
      return pass().map((id) => id.split(' ')[1]).join(' ')
    }
    expect(run([user(3, 0, '*')])).toBe('ann ann ann bob bob bob') // of a and b in turn
    expect(run([group(3, 0, 'team')], { ann: ['team'], bob: ['team'] }).split(' ')).toHaveLength(3)
    expect(run([group(3, 0, 'team')], { ann: ['team'] }).split(' ').filter((name) => name === 'bob')).toHaveLength(4)
    expect(run([group(1, 0, 'other'), group(3, 0, '*')], { ann: ['x'], bob: ['y'] }).split(' ')).toHaveLength(3) // all others together
    expect(run([user(undefined, 1, '*')])).toBe('ann bob ann bob')
  })
  it.each<[string, string, readonly string[], string | undefined]>([
    ['the one in the queue around it', 'p.leaf', ['test', 'test_root', 'test_parent'], 'test_parent'],
    ['the one of the root, elsewhere', 'p1.leaf', ['test', 'test_root', 'test_parent'], 'test_root'],
    ['the one of the root, where its user is in no other', 'p.leaf', ['test', 'test_root'], 'test_root'],
    ['none where its user is in none', 'p.leaf', ['test'], undefined],
  ])('are of one group that counts a job: %s (TestGetGroup)', (_, queue, groups, counted) => {
    const leaf = { queues: { leaf: {} } }
    /** Whether the limit of this group holds jobs of two CPUs to one. */
    const holds = (name: string) => {
      const limit = (of: string) => group(name === of ? 2 : 100, 0, of)
      const { submit, pass } = world(1000, { root: { limits: [limit('test_root')], queues: { p: { limits: [limit('test_parent')], ...leaf }, p1: leaf } }, groups: { ann: [...groups] } })
      for (const id of ['1', '2']) submit(`${queue} ${id}`, { user: 'ann', demand: { cpu: 2 } })
      return pass().length === 1
    }
    expect(['test_root', 'test_parent'].filter(holds)).toEqual(counted === undefined ? [] : [counted])
  })
  it('are of different groups in different queues of a user (TestUserGroupLimitWithMultipleApps)', () => {
    const started = (queue: string) => {
      const { submit, pass } = world(1000, { root: { queues: { p: { limits: [group(10, 3)], queues: { child1: { limits: [group(10, 3, 'group2')] }, child2: {} } } } }, groups: { ann: ['group1', 'group2'] } })
      for (const id of ['p.child1 1', 'p.child2 1']) submit(id, { user: 'ann', demand: { cpu: 10 } })
      expect(pass()).toHaveLength(2)
      submit(`${queue} 2`, { user: 'ann' })
      return pass()
    }
    expect([started('p.child1'), started('p.child2')]).toEqual([[], []])
  })
  it('of several groups are of each of them, and of all others together (TestMultipleGroupLimitChange)', () => {
    const { submit, pass } = world(1000, { root: { queues: { q: { limits: [of({ groups: ['group1', 'group2'] }, large, 2), of({ groups: ['*'] }, medium, 1)] } } } })
    for (const i of [1, 2, 3, 4]) for (const id of ['a', 'b', 'c']) submit(`q ${i}${id}`, { user: `user${i}`, group: `group${i}`, demand: { cpu: medium } })
    expect(pass().map((id) => id.slice(2)).sort()).toEqual(['1a', '1b', '2a', '2b', '3a'])
  })
  it('refuse what could never start', () => {
    const { submit } = world(1000, { root: { queues: { q: { max: { cpu: 8 }, limits: [user(5, 0)] } } } })
    expect(() => submit('q 1', { user: 'user1', demand: { cpu: 6 } })).toThrow(/asks 6 cpu at once, and user user1 may have 5 cpu in queue "root.q"/)
    expect(() => submit('q 2', { user: 'user2', demand: { cpu: 9 } })).toThrow(/a task asks 9 cpu, and the max of queue "root.q" is 8 cpu/)
    expect(() => submit('q 3', { tasks: 3, gang: true, demand: { cpu: 3 } })).toThrow(/a gang asks 9 cpu/)
  })
})

describe('queues', () => {
  it('run no more applications at once than they may, with those inside (TestRunningApps, canRunApp)', () => {
    const { submit, pass } = world(100, { root: { queues: { t: { maxApplications: 3, queues: { a: { maxApplications: 2 }, b: {} } } } } })
    for (const id of ['t.a 1', 't.a 2', 't.a 3', 't.b 1', 't.b 2']) submit(id, { tasks: 2 })
    expect([...new Set(pass())].sort()).toEqual(['t.a 1', 't.a 2', 't.b 1'])
  })
  it('are made at first use with the template of the nearest queue around them that has one', () => {
    const parent = { parent: true, template: { max: { cpu: 2 } } }
    const { submit, pass } = world(100, { root: { template: { maxApplications: 1 }, queues: { one: parent, two: { parent: true } } } })
    for (const queue of ['one.x', 'two.x', 'three']) for (const id of ['1', '2']) submit(`${queue} ${id}`, { tasks: 3 })
    const count = pass().reduce<Record<string, number>>((all, id) => ({ ...all, [id]: (all[id] ?? 0) + 1 }), {})
    expect(count).toEqual({ 'one.x 1': 2, 'two.x 1': 3, 'three 1': 3 })
    expect(() => submit('one 1')).toThrow(/holds queues and no jobs/)
    expect(() => submit('three.inside 1')).toThrow(/which holds jobs itself/)
  })
  it('are answered where options are wrong', () => {
    expect(() => world(1, { root: { queues: { a: { max: { cpus: 1 } } } } })).toThrow(/no resource "cpus".*Did you mean "?cpu/)
    expect(() => world(1, { root: { queues: { a: { parent: true, template: { max: { cpus: 1 } } } } } })).toThrow(/a\.template\.max: the cluster has no resource "cpus"/)
    expect(() => world(1, { root: { max: { cpu: 1 } } })).toThrow(/root queue has what all nodes have/)
    expect(() => world(1, { root: { queues: { 'a.b': {} } } })).toThrow(/"a.b" is no name of a queue/)
    expect(() => world(1, { units: { cpus: 1 } })).toThrow('units: the cluster has no resource "cpus". Did you mean "cpu"? Known: cpu, mem.')
  })
})

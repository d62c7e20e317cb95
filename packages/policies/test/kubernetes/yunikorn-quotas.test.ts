import { dispatcher } from '@sched/cluster'
import { greedy, slurmLimits, yarnFair, yarnPreempting, type KueueOptions, type QueueOptions, type SlurmLimitsOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { preempted, type Load } from '../kueue/world.js'

// Cases of YuniKorn's own tests of preemption and of limits of users and groups, under the policies that docs/kubernetes.md names for them.

type Queues = NonNullable<KueueOptions['queues']>
type Amounts = Readonly<Record<string, number>>

describe('preemption for want of quota, as a kueue that reclaims from any (preemption_test.go)', () => {
  /** What is guaranteed to a queue: its nominal quota; resources without a guarantee are as many as the nodes have. */
  const queue = (cohort: string, guaranteed: Amounts): Queues[string] => ({ cohort, nominalQuota: guaranteed, preemption: { reclaimWithinCohort: 'Any' } })
  /** A queue that holds others: what it may have beyond their guarantees, which they lend each other. */
  const parent = (nominalQuota: Amounts) => ({ nominalQuota, borrowingLimit: Object.fromEntries(Object.keys(nominalQuota).map((r) => [r, 0])), parent: 'root' })

  const siblings: KueueOptions = { cohorts: { p: parent({ cpu: 0 }) }, queues: { a: queue('p', { cpu: 5 }), b: queue('p', { cpu: 5 }) } }
  const without = (more: number, guaranteed: number): KueueOptions => ({ cohorts: { p: parent({ cpu: more }) }, queues: { a: queue('p', { cpu: 0 }), b: queue('p', { cpu: guaranteed }), c: queue('p', { cpu: 0 }) } })
  const nested = (more: number, guaranteed: number, ofVictim = 0): KueueOptions => ({
    cohorts: { p: parent({ cpu: more }), p1: { parent: 'p', nominalQuota: { cpu: 0 } }, p2: { parent: 'p', nominalQuota: { cpu: 0 } } },
    queues: { a: queue('p2', { cpu: ofVictim }), b: queue('p1', { cpu: guaranteed }), c: queue('p2', { cpu: 0 }) },
  })
  const mixed: Load[] = [['a_5', { mem: 100 }], ['a_6', { mem: 100 }], ['a_1', { cpu: 1, mem: 100 }], ['a_2', { cpu: 1, mem: 100 }], ['a_3', { cpu: 1, mem: 100 }]]
  it.each<[string, KueueOptions, readonly Load[], Load, readonly string[] | undefined]>([
    ['the later of two tasks (TryPreemptionOnQueue)', siblings, [['a_1', 5], ['a_2', 5]], ['b_in', 5], ['a_2']],
    ['nothing for what is more than anybody may have (CheckPreemptionQueueGuarantees)', siblings, [['a_1', 5], ['a_2', 4]], ['b_in', 10], undefined],
    ['one task of a queue without a guarantee (OGParentAndUGPreemptor)', without(5, 1), [1, 2, 3, 4, 5, 6].map((i): Load => [`a_${i}`, 1]), ['b_in', 1], ['a_6']],
    ['two tasks, and no third, of lower priority (OnQueue_VictimsOnDifferentNodes)', without(3, 15), [['a_1', 5], ['a_2', 5], ['c_4', 5, 1000]], ['b_in', 10], ['a_1', 'a_2']],
    ['of other kinds of tasks for a queue in another one (AskResTypesDifferent_GuaranteedSetOnPreemptorSide)', nested(1, 1), [['a_1', { cpu: 1, mem: 200 }], ['a_2', { cpu: 1, mem: 200 }]], ['b_in', 1], ['a_2']],
    ['no task that has nothing of it, and not what is guaranteed (AskResTypesDifferent_GuaranteedSetOnVictimAndPreemptorSides)', nested(0, 2, 1), mixed, ['b_in', 2], ['a_2', 'a_3']],
    ['two tasks for two CPUs (AskResTypesSame_GuaranteedSetOnPreemptorSide)', nested(0, 3), mixed, ['b_in', { cpu: 2, mem: 200 }], ['a_2', 'a_3']],
    ['three tasks for three CPUs', nested(0, 3), mixed, ['b_in', { cpu: 3, mem: 200 }], ['a_1', 'a_2', 'a_3']],
  ])('takes %s', (_, options, held, incoming, expected) => {
    expect(preempted(options, held, incoming)).toEqual(expected)
  })

  it('takes nothing for a queue without a guarantee, of a sibling not even where the queue around both has one, as in YuniKorn it does', () => {
    const run = (ofParent: number, ofChild: number) => {
      const options: KueueOptions = { cohorts: { p: { parent: 'root', nominalQuota: { cpu: ofParent } }, root: { nominalQuota: { cpu: 5 - ofParent - ofChild } } }, queues: { a: queue('p', { cpu: 5 }), b: queue('p', { cpu: ofChild }) } }
      return preempted(options, [['a_1', 5], ['a_2', 5]], ['b_in', 5])
    }
    expect(run(0, 0)).toBeUndefined() // NoGuaranteed
    expect(run(0, 5)).toEqual(['a_2']) // ChildGuaranteed, BothGuaranteed
    expect(run(5, 0)).toBeUndefined() // ParentGuaranteed
  })
})

describe('preemption for want of nodes, as yarn-preempting (preemption_test.go)', () => {
  /** How many tasks are taken of a job in queue a, which has so many of equal size, for one in b. */
  const taken = (nodes: readonly number[], queues: Readonly<Record<string, QueueOptions>>, tasks: number, cpu: number, asked: number, ofParent: QueueOptions = {}) => {
    const policy = yarnPreempting(greedy(yarnFair({ root: { queues: { p: { ...ofParent, queues } } }, defaults: { policy: 'drf' } }), firstNode()), { waitBeforeKill: 0, utilizationThreshold: 0 })
    const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((amount) => ({ count: 1, resources: { cpu: amount } })) }), policy })
    master.submit(job({ id: 'held', queue: 'p.a', tasks, demand: { cpu } }), 0)
    if (master.pass(0).start.length !== tasks) throw new Error('all tasks were to start at once')
    master.submit(job({ id: 'in', queue: 'p.b', demand: { cpu: asked } }), 10)
    return [10, 40, 41, 42].flatMap((now) => master.pass(now).kill).length
  }
  const guaranteed = (cpu: number): QueueOptions => ({ minResources: { cpu }, minSharePreemptionTimeout: 30 })

  it('takes the task of one node for one that needs it (TryPreemptionOnNode, OGParentAndUGPreemptor)', () => {
    expect(taken([5, 5], { a: guaranteed(5), b: guaranteed(5) }, 2, 5, 5)).toBe(1)
    expect(taken([3, 3], { a: {}, b: guaranteed(1) }, 6, 1, 1, { minResources: { cpu: 2 } })).toBe(1)
  })
  it('takes what leaves room on a node that is large enough (VictimsAvailableOnDifferentNodes)', () => {
    expect(taken([5, 4], { a: {}, b: guaranteed(5) }, 2, 4, 5)).toBe(1)
  })
})

describe('limits of users and groups, as slurm-limits (ugm/manager_test.go)', () => {
  /** Groups are accounts, `*` one for users of no other; a queue is a partition, and what `*` may have a limit of its QOS. */
  type Limits = Pick<SlurmLimitsOptions, 'accounts' | 'qos'>
  const ofUser = (limit: object): Limits => ({ accounts: { group1: { users: { user1: limit } } } })
  const ofGroup = (limit: object, name = 'group1'): Limits => ({ accounts: { [name]: limit } })
  const ofAnyUser = (amount: number | undefined, apps: number): Limits => ({ qos: { queue: { ...(amount !== undefined && { MaxTRESPerUser: { cpu: amount } }), MaxJobsPerUser: apps } } })
  const together = (...limits: readonly Limits[]): Limits => ({ accounts: Object.assign({}, ...limits.map(({ accounts }) => accounts)) as Limits['accounts'], qos: Object.assign({}, ...limits.map(({ qos }) => qos)) as Limits['qos'] })
  const most = (cpu: number, apps: number) => ({ GrpTRES: { cpu }, GrpJobs: apps })

  /** How many jobs of 50 CPUs of a user start, of three that come together. */
  const started = ({ accounts = {}, qos = {} }: Limits, user = 'user1', account = 'group1') => {
    const policy = slurmLimits(greedy(yarnFair({ defaults: { policy: 'drf' } }), firstNode()), { accounts, qos, partitions: { q: { ...(qos.queue !== undefined && { QOS: 'queue' }) } } })
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000 } }] }), policy })
    for (const id of ['1', '2', '3']) master.submit(job({ id, queue: 'q', user, account, demand: { cpu: 50 } }), 0)
    return master.pass(0).start.length
  }
  const [medium, large] = [50, 100]
  it.each<[string, Limits, number, string?, string?]>([
    // TestCanRunApp: as many applications as the lowest limit allows
    ['applications of a user', ofUser({ GrpJobs: 1 }), 1],
    ['applications of a group', ofGroup({ GrpJobs: 1 }), 1],
    ['applications of any user', ofAnyUser(undefined, 1), 1],
    ['applications of any other group', together(ofGroup({ GrpJobs: 100 }, 'other'), ofGroup({ GrpJobs: 1 }, '*')), 1, 'user1', '*'],
    ['applications of a user, fewer than of the group', { accounts: { group1: { GrpJobs: 100, users: { user1: { GrpJobs: 1 } } } } }, 1],
    ['applications of a group, fewer than of the user', { accounts: { group1: { GrpJobs: 1, users: { user1: { GrpJobs: 100 } } } } }, 1],
    // TestUserGroupLimit: resources, where applications would allow two, and applications, where resources would allow two
    ['resources of a user', ofUser(most(medium, 2)), 1],
    ['applications of a user who may have more', ofUser(most(large, 1)), 1],
    ['resources of a user and of others', together(ofUser(most(large, 2)), ofAnyUser(medium, 2)), 1, 'user2', 'group2'],
    ['applications of a user and of others', together(ofUser(most(large, 2)), ofAnyUser(large, 1)), 1, 'user2', 'group2'],
    ['resources of a user, less than of others', together(ofUser(most(medium, 2)), ofAnyUser(large, 2)), 1],
    ['applications of a user, fewer than of others', together(ofUser(most(large, 1)), ofAnyUser(large, 2)), 1],
    ['resources of a group', ofGroup(most(medium, 2)), 1],
    ['applications of a group that may have more', ofGroup(most(large, 1)), 1],
    ['resources of a group and of others', together(ofGroup(most(large, 2)), ofGroup(most(medium, 2), '*')), 1, 'user2', '*'],
    ['resources of a group, less than of others', together(ofGroup(most(medium, 2)), ofGroup(most(large, 2), '*')), 1],
    ['resources of a user, less than of the group', { accounts: { group1: { ...most(large, 2), users: { user1: most(medium, 2) } } } }, 1],
    ['resources of a group, less than of the user', { accounts: { group1: { ...most(medium, 2), users: { user1: most(large, 2) } } } }, 1],
    ['both, where they allow two', { accounts: { group1: { ...most(large, 3), users: { user1: most(large, 3) } } } }, 2],
  ])('hold %s', (_, limits, expected, user, account) => {
    expect(started(limits, user, account)).toBe(expected)
  })

  it('hold what any user may have for users with a limit of their own, too, as in YuniKorn they do not', () => {
    expect(started(together(ofUser(most(large, 2)), ofAnyUser(medium, 2)))).toBe(1)
  })
})

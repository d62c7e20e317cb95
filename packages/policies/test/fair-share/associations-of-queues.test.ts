import type { JobSpec } from '@sched/core'
import { fairShare, multifactor, strict, type FairShareOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { AssociationTree } from '../../src/fair-share/association-tree.js'

const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] })
const cpu = (change: JobChange) => job({ demand: { cpu: 1 }, tasks: 1, duration: 10, submit: 0, account: 'a', ...change })
const order = (jobs: readonly JobSpec[], options: FairShareOptions) => run({ policy: strict(fairShare({ calcPeriod: 1, ...options })), jobs, cluster }).recorder.launches.map((launch) => launch.job)

describe('associations of users for the jobs of a queue', () => {
  // ann has run in `gpu` for 10 s when her next jobs and bob's compete
  const jobs = [
    cpu({ id: 'first', user: 'ann', queue: 'gpu' }),
    cpu({ id: 'ann in gpu', user: 'ann', queue: 'gpu', submit: 1 }), cpu({ id: 'ann in cpu', user: 'ann', queue: 'cpu', submit: 2 }), cpu({ id: 'bob', user: 'bob', queue: 'gpu', submit: 3 }),
  ]

  it('have use of their own: what a user does in one queue is not held against others', () => {
    // bob has used nothing, ann of `cpu` neither and comes first in submission; then of equal use she of `gpu` is last
    expect(order(jobs, {})).toEqual(['first', 'bob', 'ann in gpu', 'ann in cpu'])
    expect(order(jobs, { accounts: { a: { users: { ann: 1, bob: 1 }, usersOfPartitions: { GPU: { ann: 1 } } } } })).toEqual(['first', 'ann in cpu', 'bob', 'ann in gpu'])
  })

  it('have shares of their own', () => {
    const shares = (gpu: number) => ({ accounts: { a: { users: { ann: 1, bob: 1 }, usersOfPartitions: { gpu: { ann: gpu } } } } })
    // both have used 10 s: in proportion to their shares the one with more has less
    const both = [cpu({ id: 'A', user: 'ann', queue: 'gpu' }), cpu({ id: 'B', user: 'bob' }), cpu({ id: 'A2', user: 'ann', queue: 'gpu', submit: 15 }), cpu({ id: 'B2', user: 'bob', submit: 14 })]
    expect([shares(1), shares(9)].map((options) => order(both, { ...options, halfLife: 0 }).slice(2))).toEqual([['B2', 'A2'], ['A2', 'B2']])
  })

  it('are known to multifactor, too', () => {
    const options = { fairShare: 1000, calcPeriod: 1, accounts: { a: { users: { ann: 1, bob: 1 }, usersOfPartitions: { gpu: { ann: 1 } } } } }
    expect(run({ policy: strict(multifactor(options)), jobs, cluster }).recorder.launches.map((launch) => launch.job)).toEqual(['first', 'ann in cpu', 'bob', 'ann in gpu'])
  })

  it('are found again by their paths, and those of other queues are the user\'s', () => {
    const tree = new AssociationTree({ a: { users: { ann: 2 }, usersOfPartitions: { gpu: { ann: 'parent', bob: 4 } } } })
    const [plain, own] = [tree.user('ann', 'a', 'cpu'), tree.user('ann', 'a', 'Gpu')]
    expect([plain === tree.user('ann', 'a'), own !== plain, own === tree.user('ann', '', 'gpu')]).toEqual([true, true, true])
    expect([plain, own].map((id) => tree.of(tree.path(id)))).toEqual([plain, own])
    const [bob, elsewhere] = [tree.user('bob', 'a', 'gpu'), tree.user('bob', 'a', 'cpu')] // has no other association: one share
    expect([bob, elsewhere].map((id) => tree.shares[id])).toEqual([4, 1])
    expect(tree.user('bob', '', 'cpu')).toBe(elsewhere)
  })
})

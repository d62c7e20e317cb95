import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of Volcano's own tests of the actions `preempt` and `reclaim` on nodes (preempt_test.go, reclaim_test.go), under kai-preempting, which takes back for want of nodes, too.

/** Nodes of so many CPUs and as much memory, and the pool that they are of. */
type Nodes = readonly (readonly [amount: number, pool?: string])[]
const both = (amount: number) => ({ cpu: amount, mem: amount })

/** Whose tasks are taken, once for each, and where the last one starts: job@pool. */
function taken(nodes: Nodes, queues: NonNullable<KaiOptions['queues']>, held: readonly JobSpec[], incoming: JobSpec) {
  const cluster = instantCluster({ nodes: nodes.map(([amount, pool = 'all']) => ({ count: 1, resources: both(amount), labels: { pool } })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ queues, ties: 'submission' }, firstNode()) })
  for (const [now, spec] of held.entries()) {
    master.submit(spec, now)
    master.pass(now)
  }
  master.submit(incoming, held.length)
  const { start, kill } = master.pass(held.length)
  const poolOf = (node: string) => nodes[Number(/\d+/.exec(node)?.[0])]?.[1] ?? 'all'
  return [...kill.map((each) => each.job).sort(), ...start.map((each) => `${each.job}@${poolOf(each.node)}`)]
}
const wants = (id: string, queue: string, amount: number, tasks = 1, more: Partial<JobSpec> = {}) => job({ id, queue, tasks, demand: both(amount), ...more })
const capable = (amount: number): KaiOptions['queues'] => ({ q: { resources: { cpu: { quota: 99, limit: amount }, mem: { quota: 99, limit: amount } } } })

describe('preempt (TestPreempt)', () => {
  const low = (id: string, amount: number, tasks = 1) => wants(id, 'q', amount, tasks, { priority: 10 })
  const high = (amount: number, tasks = 1, gang = false) => job({ id: 'in', queue: 'q', tasks, gang, demand: both(amount), priority: 1000 })
  it.each<[string, Nodes, number, readonly JobSpec[], JobSpec, readonly string[]]>([
    ['nothing while there is room', [[10]], 99, [low('a', 1, 2)], high(1), ['in@all']],
    ['nothing of the same priority', [[3]], 99, [low('a', 1, 3)], low('in', 1), []],
    ['as many tasks as a large one needs on its node', [[6]], 99, [low('a', 1, 3)], high(5), ['a', 'a', 'in@all']],
    ['what keeps the queue below its capability, though the node has room', [[12]], 4, [low('a', 3)], high(3), ['a', 'in@all']],
    ['nothing below the capability', [[12]], 6, [low('a', 3)], high(3), ['in@all']],
    ['the lowest priority', [[12]], 3, [low('a', 1), wants('b', 'q', 1, 1, { priority: 1000 }), wants('c', 'q', 1, 1, { priority: 1000 })], high(1), ['a', 'in@all']],
    ['a task on each node for a gang', [[2], [2]], 99, [low('a', 2, 2)], high(2, 2, true), ['a', 'a', 'in@all', 'in@all']],
    ['nothing for a gang that has no room even so', [[2], [2]], 99, [low('a', 2), wants('b', 'q', 2, 1, { priority: 1000 })], high(2, 2, true), []],
  ])('takes %s', (_, nodes, capability, held, incoming, expected) => {
    expect(taken(nodes, capable(capability) ?? {}, held, incoming)).toEqual(expected)
  })
})

describe('reclaim (TestReclaim, TestReclaimWithNodeSelector)', () => {
  const weighing: KaiOptions['queues'] = { q1: { resources: { cpu: {}, mem: {} } }, q2: { resources: { cpu: {}, mem: {} } } }
  const pinned = (spec: JobSpec, pool: string): JobSpec => ({ ...spec, stages: spec.stages.map((stage) => ({ ...stage, constraints: { require: { pool } } })) })
  it.each<[string, Nodes, readonly JobSpec[], JobSpec, readonly string[]]>([
    ['one task of the queue that has more', [[3]], [wants('a', 'q1', 1, 3)], wants('in', 'q2', 1), ['a', 'in@all']],
    ['of two jobs the one of lower priority', [[4]], [wants('b', 'q1', 1, 2, { priority: 10 }), wants('a', 'q1', 1, 2, { priority: 500 })], wants('in', 'q2', 1), ['b', 'in@all']],
    ['a task of the nodes that it may be on, and none of others', [[3, 'gpu'], [1, 'cpu']], [pinned(wants('b', 'q1', 1), 'cpu'), pinned(wants('a', 'q1', 1, 3), 'gpu')], pinned(wants('in', 'q2', 1), 'gpu'), ['a', 'in@gpu']],
  ])('takes %s', (_, nodes, held, incoming, expected) => {
    expect(taken(nodes, weighing ?? {}, held, incoming)).toEqual(expected)
  })
})

import { dispatcher } from '@sched/cluster'
import { greedy, yunikorn } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import type { QueueOptions } from '../../src/yunikorn/options.js'
import { firstNode } from '../first-node.js'

// Cases of YuniKorn's own tests of queues (queue_test.go): what they may still have, and what of them is to start.

type Amounts = Readonly<Record<string, number>>

/** What starts of so many tasks of each demand that come to queues, beside what runs in them, on a node with plenty. */
function started(queues: Readonly<Record<string, QueueOptions>>, held: Readonly<Record<string, Amounts>>, ...come: readonly (readonly [queue: string, demand: Amounts, tasks?: number])[]) {
  const names = ['a', 'b', 'c', 'd']
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: Object.fromEntries(names.map((name) => [name, 1000])) }] }), policy: greedy(yunikorn({ root: { queues } }), firstNode()) })
  for (const [queue, demand] of Object.entries(held)) master.submit(job({ id: `${queue} held`, queue, demand }), 0)
  expect(master.pass(0).start).toHaveLength(Object.keys(held).length)
  for (const [i, [queue, demand, tasks = 1]] of come.entries()) master.submit(job({ id: `${i}`, queue, tasks, demand }), 1)
  const { start } = master.pass(1)
  return come.map((_, i) => start.filter((each) => each.job === `${i}`).length)
}

describe('a queue may have', () => {
  const two = (own: Amounts | undefined, max: Amounts, other?: Amounts) => ({ p: { max, queues: { leaf1: own === undefined ? {} : { max: own }, leaf2: other === undefined ? {} : { max: other } } } })
  const asks = (queue: string, demands: readonly Amounts[]) => demands.map((demand) => [queue, demand] as const)
  it.each<[string, Readonly<Record<string, QueueOptions>>, Readonly<Record<string, Amounts>>, string, readonly Amounts[], readonly Amounts[]]>([
    ['what is left to the queue around it (TestHeadroom)', two(undefined, { a: 20, b: 8 }), { 'p.leaf1': { a: 5, b: 3 }, 'p.leaf2': { a: 5, b: 3 } }, 'p.leaf1', [{ a: 10, b: 2 }], [{ a: 11 }, { b: 3 }]],
    [
      'of each resource what is least, and of others what it will (TestHeadroomMerge)', two({ a: 10, c: 10 }, { a: 20, b: 10 }, { d: 10 }), { 'p.leaf1': { a: 5, b: 5, c: 5 }, 'p.leaf2': { c: 5, d: 5 } },
      'p.leaf1', [{ a: 5, b: 5, c: 5, d: 900 }], [{ a: 6 }, { b: 6 }, { c: 6 }],
    ],
    [
      'the same of another queue there (TestHeadroomMerge)', two({ a: 10, c: 10 }, { a: 20, b: 10 }, { d: 10 }), { 'p.leaf1': { a: 5, b: 5, c: 5 }, 'p.leaf2': { c: 5, d: 5 } },
      'p.leaf2', [{ a: 15, b: 5, c: 900, d: 5 }], [{ a: 16 }, { b: 6 }, { d: 6 }],
    ],
    ['the least of both (TestMaxHeadroomMax)', two({ a: 10, b: 8 }, { a: 20, b: 8 }), { 'p.leaf1': { a: 5, b: 3 }, 'p.leaf2': { a: 5, b: 3 } }, 'p.leaf1', [{ a: 5, b: 2 }], [{ a: 6 }, { b: 3 }]],
    ['all there is where nothing is said (TestMaxHeadroomNoMax)', { p: { queues: { leaf1: {} } } }, { 'p.leaf1': { a: 5, b: 3 } }, 'p.leaf1', [{ a: 995, b: 997 }], []],
  ])('%s', (_, queues, held, queue, most, more) => {
    expect(started(queues, held, ...asks(queue, more))).toEqual(more.map(() => 0))
    expect(started(queues, held, ...asks(queue, most))).toEqual([1])
  })
})

describe('of what waits in queues with a maximum', () => {
  const queues = { q1: { max: { a: 10 } }, q2: { max: { a: 5 } } }
  it('so much starts as they may have (TestGetOutstandingRequestMax)', () => {
    expect(started(queues, {}, ['q1', { a: 1 }, 20], ['q2', { a: 1 }, 20])).toEqual([10, 5])
    expect(started(queues, { q1: { a: 5 } }, ['q1', { a: 1 }, 20], ['q2', { a: 1 }, 20])).toEqual([5, 5])
  })
  it('others of what they ask do not count (TestGetOutstandingUntracked, TestGetOutstandingOnlyUntracked)', () => {
    expect(started(queues, { q1: { a: 5, b: 10 } }, ['q1', { a: 1, b: 2 }, 20], ['q2', { a: 1, b: 2 }, 20])).toEqual([5, 5])
    expect(started({ q1: { max: { a: 10 } } }, { q1: { a: 10, b: 10 } }, ['q1', { b: 1 }, 20])).toEqual([20])
  })
  it('all starts where there is none (TestGetOutstandingRequestNoMax)', () => {
    expect(started({ q1: {}, q2: {} }, {}, ['q1', { a: 1 }, 10], ['q2', { a: 1 }, 20])).toEqual([10, 20])
  })
})

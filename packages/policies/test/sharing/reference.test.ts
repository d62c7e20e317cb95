import type { Plug } from '@sched/core'
import { assetFairness, ceei, drf, greedy, maxMin, roundRobin, wfq, type CeeiOptions, type DrfOptions, type MaxMinOptions, type RoundRobinOptions, type WfqOptions } from '@sched/policies'
import { firstDifference, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveCeei } from '../reference/ceei.js'
import type { MakeOrder } from '../reference/naive.js'
import { naiveAssets, naiveDrf, naiveMaxMin, naiveRoundRobin, naiveWfq } from '../reference/sharing.js'
import { recorded } from '../reference/recorded.js'

// Every order keeps its lists current by hooks; here it must decide as a sort of everything at every decision does.

/** Seconds; a maximum may leave a job waiting for ever. */
const END = 1e4

function agree<Options>(runs: number, options: fc.Arbitrary<Options>, shipped: (options: Options) => Plug<'order'>, reference: (options: Options) => MakeOrder): void {
  let launches = 0
  fc.assert(
    fc.property(worlds({ jobs: 8 }), options, (world, chosen) => {
      const recorder = recorded(world, greedy(shipped(chosen), firstNode()), END)
      launches += recorder.launches.length
      expect(firstDifference(recorder, recorded(world, naiveGreedy(reference(chosen)), END), 'the reference')).toBeUndefined()
    }),
    { seed: 5, numRuns: runs },
  )
  expect(launches).toBeGreaterThan(6 * runs) // worlds in which something happens
}

const oneOf = fc.constantFrom
const weight = oneOf(0.5, 2, 3)
/** Some of the names, each with a value. */
const some = <V>(value: fc.Arbitrary<V>, ...names: string[]): fc.Arbitrary<Record<string, V>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }) as fc.Arbitrary<Record<string, V>>
const someUsers = <V>(value: fc.Arbitrary<V>) => some(value, 'user', 'ann', 'bob')
const someQueues = <V>(value: fc.Arbitrary<V>) => some(value, 'a', 'b', 'c', 'c/x')
const inner = oneOf('fifo' as const, 'fair' as const, 'share' as const)
const ties = <T extends string>(...names: T[]) => oneOf('name' as const, 'submission' as const, names)
const users = { by: fc.constant('user' as const), ties: ties('bob', 'ann') }
const queues = { by: fc.constant('queue' as const), ties: ties('c', 'b', 'c.y') }
const clean = <T extends object>(each: T) => JSON.parse(JSON.stringify(each)) as T

const shared = fc.oneof(
  fc.record({ ...users, inner, weights: someUsers(weight) }),
  fc.record({ ...queues, inner, weights: someQueues(weight) }),
  fc.constant({ by: 'job' as const }),
).map(clean)

describe('the orders by shares decide as their definitions do', () => {
  it('drf, strict and not, of users, queues in a tree, and jobs', () => {
    const perResource = oneOf({ cpu: 2 }, { cpu: 0.5, mem: 3 })
    const drfOptions: fc.Arbitrary<DrfOptions> = fc.tuple(shared, oneOf(undefined, 'strict' as const, 'skip' as const)).map(([each, blocked]) => ({ ...each, ...(blocked && { blocked }) }))
    agree(60, drfOptions, drf, naiveDrf)
    fc.assert(
      fc.property(worlds({ jobs: 8, slots: false }), perResource, (world, each) => {
        const options = { by: 'queue' as const, weights: { a: each, 'root.c.x': each } }
        expect(firstDifference(recorded(world, greedy(drf(options), firstNode())), recorded(world, naiveGreedy(naiveDrf(options))), 'the reference')).toBeUndefined()
      }),
      { seed: 6, numRuns: 30 },
    )
  })

  it('drf that counts the next piece of the first job of each', () => {
    const options: fc.Arbitrary<DrfOptions> = fc
      .oneof(fc.record({ ...users, inner, weights: someUsers(weight) }), fc.record({ ...queues, inner, weights: someQueues(weight) }))
      .map((each) => ({ ...clean(each), countNext: true }))
    agree(60, options, drf, naiveDrf)
  })

  it('asset fairness', () => agree(40, shared, assetFairness, naiveAssets))

  it('a market, solved anew', () => {
    const options: fc.Arbitrary<CeeiOptions> = fc
      .oneof(fc.record({ by: users.by, inner: oneOf('fifo' as const, 'fair' as const), weights: someUsers(weight) }), fc.record({ by: queues.by, weights: someQueues(weight) }))
      .map(clean)
    agree(15, options, ceei, naiveCeei)
  })

  it('max-min with minimum, maximum and weight', () => {
    const claim = fc.record({ weight, min: oneOf(1, 2, 4), max: oneOf(2, 4, 6) }, { requiredKeys: [] })
    const options: fc.Arbitrary<MaxMinOptions> = fc
      .oneof(
        fc.record({ ...users, inner, shares: someUsers(claim) }),
        fc.record({ ...queues, inner, shares: someQueues(claim) }),
      )
      .map(clean)
    agree(60, options, maxMin, naiveMaxMin)
  })

  it('weighted fair queueing', () => {
    const more = { inner: oneOf('fifo' as const, 'fair' as const), cost: oneOf('tasks' as const, 'share' as const) }
    const powers = oneOf(0.5, 2, 4)
    const options: fc.Arbitrary<WfqOptions> = fc
      .oneof(fc.record({ by: users.by, ...more, weights: someUsers(powers) }), fc.record({ by: queues.by, ...more, weights: someQueues(powers) }))
      .map(clean)
    agree(50, options, wfq, naiveWfq)
  })

  it('round robin', () => {
    const turns = oneOf(1, 2, 3)
    const options: fc.Arbitrary<RoundRobinOptions> = fc
      .oneof(fc.record({ by: users.by, inner: oneOf('fifo' as const, 'fair' as const), weights: someUsers(turns) }), fc.record({ by: queues.by, weights: someQueues(turns) }))
      .map(clean)
    agree(40, options, roundRobin, naiveRoundRobin)
  })
})

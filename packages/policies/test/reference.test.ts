import { withoutUndefined, type Plug } from '@sched/core'
import { delay, fair, fifo, greedy, skipDelay, type FairOptions, type PoolOptions } from '@sched/policies'
import { firstDifference, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from './first-node.js'
import { naiveDelay, naiveGreedy, naiveSkipDelay } from './reference/disciplines.js'
import { naiveFair } from './reference/hfs.js'
import { naiveByRunning, naiveFifo } from './reference/orders.js'
import { recorded } from './reference/recorded.js'

// Every shipped policy keeps its orders and counts current by hooks; here it must decide as the pseudo-code does, launch by launch.

/** Holds both policies against each other on random worlds; the options are part of the world. */
function agree<Options>(runs: number, options: fc.Arbitrary<Options>, shipped: (options: Options) => Plug<'policy'>, reference: (options: Options) => Plug<'policy'>, kind = {}): void {
  let launches = 0
  fc.assert(
    fc.property(worlds({ jobs: 5, ...kind }), options, (world, chosen) => {
      const recorder = recorded(world, shipped(chosen))
      launches += recorder.launches.length
      expect(firstDifference(recorder, recorded(world, reference(chosen)), 'the reference')).toBeUndefined()
    }),
    { seed: 11, numRuns: runs },
  )
  expect(launches).toBeGreaterThan(6 * runs) // worlds in which something happens
}

const oneOf = fc.constantFrom
const nothing = fc.constant({})
const waits = fc.array(oneOf(0, 0.5, 3, 5, 7.5, 1e9), { minLength: 1, maxLength: 3 })
const skips = fc.oneof(oneOf(0, 1, 2, 5), fc.array(oneOf(0, 1, 3), { minLength: 1, maxLength: 3 }))

const fields = {
  weight: oneOf(undefined, 0.5, 2, 3),
  minShare: oneOf(undefined, undefined, 1, 2, 4), // powers of two: scaled shares then tie exactly where they should
  inner: oneOf(undefined, 'fair' as const, 'fifo' as const),
  maxRunningJobs: oneOf(undefined, undefined, 1, 2),
}
const leaf: fc.Arbitrary<PoolOptions> = fc.record(fields).map(withoutUndefined)
/** Some of the pools of the worlds' queues are declared: a, b, c/x, c/y. */
const pools: fc.Arbitrary<Record<string, PoolOptions>> = fc
  .record({ a: fc.option(leaf, { nil: undefined }), b: fc.option(leaf, { nil: undefined }), c: fc.option(fc.record({ inside: fc.record({ x: leaf, y: leaf }), own: leaf }), { nil: undefined }) })
  .map(({ a, b, c }) => {
    const { inner: _, ...own } = c?.own ?? {}
    return { ...(a && { a }), ...(b && { b }), ...(c && { c: { ...own, pools: c.inside } }) }
  })
const fairOptions: fc.Arbitrary<FairOptions> = fc
  .record({
    pools,
    defaults: fc.option(fc.record(fields).map(withoutUndefined), { nil: undefined }),
    users: oneOf(undefined, { ann: { maxRunningJobs: 1 } }),
    userMaxRunningJobs: oneOf(undefined, undefined, 1, 2),
  })
  .map(withoutUndefined)

describe('the shipped policies decide as their pseudo-code', () => {
  it('fifo', () => {
    agree(250, nothing, () => greedy(fifo(), firstNode()), () => naiveGreedy(naiveFifo))
  })

  it('naive fair sharing (Algorithm 1)', () => {
    agree(250, nothing, () => greedy(fair({ pools: false }), firstNode()), () => naiveGreedy(naiveByRunning))
  })

  it('delay by skips (Algorithm 2), D and D1, D2, ...', () => {
    agree(350, skips, (counts) => skipDelay(fair({ pools: false }), { skips: counts }), (counts) => naiveSkipDelay(naiveByRunning, counts), { heartbeats: true })
  })

  it('delay by time (Algorithm 3), W1, W2, ... at heartbeats', () => {
    agree(350, waits, (each) => delay(fair({ pools: false }), { waits: each }), (each) => naiveDelay(naiveByRunning, each), { heartbeats: true })
  })

  it('delay by time in passes over all nodes', () => {
    agree(250, waits, (each) => delay(fifo(), { waits: each }), (each) => naiveDelay(naiveFifo, each), { heartbeats: false })
  })

  it('pools of any depth with weights, minimum shares, inner orders and limits', () => {
    agree(350, fairOptions, (options) => greedy(fair(options), firstNode()), (options) => naiveGreedy(naiveFair(options)))
  })

  it('HFS: pools and delay', () => {
    agree(300, fc.tuple(fairOptions, waits), ([options, each]) => delay(fair(options), { waits: each }), ([options, each]) => naiveDelay(naiveFair(options), each), { heartbeats: true })
  })
})

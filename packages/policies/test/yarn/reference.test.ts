import { withoutUndefined } from '@sched/core'
import { greedy, yarnFair, type QueueOptions, type YarnFairOptions } from '@sched/policies'
import { firstDifference, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveYarnFair } from './reference.js'
import { recorded } from '../reference/recorded.js'

const oneOf = fc.constantFrom
type Kind = 'vectors' | 'slots'

const amounts = (kind: Kind, most: readonly (number | string)[]) =>
  fc.oneof(fc.constant(undefined), fc.constant(undefined), kind === 'slots' ? fc.record({ map: oneOf(...most) }) : fc.oneof(fc.record({ cpu: oneOf(...most), mem: oneOf(...most) }), fc.record({ mem: oneOf(...most) })))
const fields = (kind: Kind) => ({
  weight: oneOf(undefined, 0, 0.5, 2, 3),
  minResources: amounts(kind, [1, 2, 4]),
  maxResources: amounts(kind, [3, 4, 6, '50%']),
  maxRunningApps: oneOf(undefined, undefined, 1, 2),
})
/** Policies that may lie in each other: drf only below drf. */
const leaf = (kind: Kind, above: 'fair' | 'drf'): fc.Arbitrary<QueueOptions> =>
  fc.record({ ...fields(kind), policy: above === 'drf' ? oneOf(undefined, 'fair' as const, 'drf' as const, 'fifo' as const) : oneOf(undefined, 'fair' as const, 'fifo' as const), maxContainerAllocation: amounts(kind, [1, 2, 3]) }).map(withoutUndefined)
const optionsOf = (kind: Kind): fc.Arbitrary<YarnFairOptions> =>
  oneOf<('fair' | 'drf')[]>('fair', 'drf').chain((policy) =>
    fc
      .record({
        a: leaf(kind, policy), b: leaf(kind, policy), x: leaf(kind, policy), y: leaf(kind, policy),
        c: fc.record({ ...fields(kind), maxChildResources: amounts(kind, [2, 3]) }).map(withoutUndefined),
        hasX: fc.boolean(),
        rootMax: amounts(kind, [4, 6, '50%']),
        users: oneOf(undefined, { ann: { maxRunningApps: 1 } }),
        userMaxRunningApps: oneOf(undefined, undefined, 2),
        sizeBasedWeight: oneOf(undefined, true),
        poolOrder: oneOf(undefined, undefined, 'survey-literal' as const),
        defaults: fc.record({ maxResources: amounts(kind, [3, 5]), maxRunningApps: oneOf(undefined, undefined, 2) }).map(withoutUndefined),
      })
      .map(({ a, b, x, y, c, hasX, rootMax, ...rest }) => ({
        root: { policy, ...(rootMax && { maxResources: rootMax }), queues: { a, b, c: { ...c, policy, type: 'parent' as const, queues: { y, ...(hasX && { x }) } } } },
        ...withoutUndefined(rest),
      })),
  )

describe('the order yarn-fair decides as YARN\'s comparators', () => {
  it.each(['vectors', 'slots'] as const)('on random worlds of %s', { tags: 'long' }, (kind) => {
    const runs = 120
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 6, slots: kind === 'slots' }), optionsOf(kind), (world, options) => {
        const recorder = recorded(world, greedy(yarnFair(options), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveYarnFair(options))), 'the reference')).toBeUndefined()
      }),
      { seed: 7, numRuns: runs },
    )
    expect(launches).toBeGreaterThan(3 * runs) // worlds in which something happens
  })
})

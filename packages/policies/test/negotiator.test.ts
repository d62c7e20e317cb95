import { negotiator, type NegotiatorOptions } from '@sched/policies'
import { firstDifference, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { naiveNegotiator } from './reference/condor.js'
import { recorded } from './reference/recorded.js'

const anyOptions: fc.Arbitrary<NegotiatorOptions> = fc.record({
  NEGOTIATOR_INTERVAL: fc.constantFrom(1, 3, 10),
  NEGOTIATOR_CYCLE_DELAY: fc.constantFrom(0, 1, 4),
  NEGOTIATOR_CONSIDER_PREEMPTION: fc.boolean(),
  PRIORITY_HALFLIFE: fc.constantFrom(5, 40),
  PriorityFactor: fc.constantFrom({}, { ann: 500, bob: 2000 }),
  CONSUMPTION_POLICY: fc.boolean(),
  CLAIM_PARTITIONABLE_LEFTOVERS: fc.boolean(),
  CLAIM_WORKLIFE: fc.constantFrom(-1, 0, 5, 1200),
})

describe('negotiator', () => {
  it('matches what a plain loop matches', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 12, heartbeats: false, slots: false }), anyOptions, (drawn, options) => {
        const world = { ...drawn, claims: undefined }
        const recorder = recorded(world, negotiator(options))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveNegotiator(options)), 'the reference')).toBeUndefined()
      }),
      { seed: 5, numRuns: 400 },
    )
    expect(launches).toBeGreaterThan(1000)
  })
})

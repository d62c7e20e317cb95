import { negotiator, type NegotiatorOptions } from '@sched/policies'
import { withoutUndefined } from '@sched/core'
import { firstDifference, worlds, type World } from '@sched/testkit'
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

const groups: fc.Arbitrary<NegotiatorOptions> = fc.record({
  GROUP_NAMES: fc.constant(['lab', 'lab.x', 'lab.y', 'office']),
  GROUP_QUOTA: fc.constantFrom({}, { lab: 4, office: 1 }, { 'lab.x': 1, office: 3 }, { lab: 2, 'lab.x': 1, 'lab.y': 9 }),
  GROUP_QUOTA_DYNAMIC: fc.constantFrom({}, { lab: 0.5, office: 0.25 }, { lab: 0.8, 'lab.x': 0.5, 'lab.y': 0.25, office: 0.7 }),
  GROUP_ACCEPT_SURPLUS: fc.constantFrom<(boolean | Record<string, boolean>)[]>(false, true, { lab: true, 'lab.y': true }, { office: true }),
  GROUP_AUTOREGROUP: fc.boolean(),
})
/** Jobs of groups, of one inside of a group that is not known, and of none. */
const accounts = [undefined, 'lab', 'lab.x', 'lab.x.deep', 'lab.y', 'office', 'elsewhere']
const withAccounts = (world: World, seed: number): World => ({
  ...world,
  claims: undefined,
  jobs: world.jobs.map((job, i) => withoutUndefined({ ...job, account: accounts[(seed * (i + 3)) % accounts.length] })),
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

  it('divides quotas among groups as tables of them do', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 12, heartbeats: false, slots: false }), anyOptions, groups, fc.nat({ max: 6 }), (drawn, options, ofGroups, seed) => {
        const world = withAccounts(drawn, seed)
        const all = { ...options, ...ofGroups }
        const recorder = recorded(world, negotiator(all), 200)
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveNegotiator(all), 200), 'the reference')).toBeUndefined()
      }),
      { seed: 6, numRuns: 400 },
    )
    expect(launches).toBeGreaterThan(1000)
  })
})

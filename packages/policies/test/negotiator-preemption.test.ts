import { withoutUndefined } from '@sched/core'
import { negotiator, type NegotiatorOptions } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { naiveNegotiator } from './reference/condor.js'
import { recorded } from './reference/recorded.js'

const anyOptions: fc.Arbitrary<NegotiatorOptions> = fc.record({
  NEGOTIATOR_INTERVAL: fc.constantFrom(1, 3),
  NEGOTIATOR_CYCLE_DELAY: fc.constantFrom(0, 1),
  NEGOTIATOR_CONSIDER_PREEMPTION: fc.constantFrom(true, true, true, false),
  PRIORITY_HALFLIFE: fc.constantFrom(5, 40),
  PriorityFactor: fc.constantFrom({}, { ann: 500, bob: 2000 }, { 'lab.ann': 500, 'lab.bob': 2000 }),
  CONSUMPTION_POLICY: fc.boolean(),
  CLAIM_PARTITIONABLE_LEFTOVERS: fc.boolean(),
  CLAIM_WORKLIFE: fc.constantFrom(-1, 0, 5),
  PREEMPTION_REQUIREMENTS: fc.constantFrom<Required<NegotiatorOptions>['PREEMPTION_REQUIREMENTS'][]>(
    false, true, { RemoteUserPrio: 1.2 }, { RemoteUserPrio: 1.05, StateTimer: 3 }, { StateTimer: 5 }, { RemoteUserPrio: 1, SameGroup: true }),
  MAXJOBRETIREMENTTIME: fc.constantFrom(0, 0, 4),
  ALLOW_PSLOT_PREEMPTION: fc.boolean(),
  NEGOTIATOR_PRE_JOB_RANK: fc.constantFrom(undefined, undefined, { free: { cpu: -100_000, mem: -1 } }, { Rank: 5, Unclaimed: 0, free: { cpu: -1, mem: 2 } }),
  GROUP_NAMES: fc.constantFrom([], ['lab', 'office']),
  GROUP_QUOTA_DYNAMIC: fc.constant({}),
}).map((options) => withoutUndefined({ ...options, ...(options.GROUP_NAMES.length > 0 && { GROUP_QUOTA_DYNAMIC: { lab: 0.6, office: 0.3 }, GROUP_ACCEPT_SURPLUS: true }) }))

/** Nodes that prefer somebody, the one of this number alone or all. */
const ranks = (kind: number, world: World): Required<NegotiatorOptions>['RANK'] => {
  const named = world.cluster.nodes.map(({ name }) => `${name}-0`).filter((_, i) => i % 2 === 0)
  return [[], [], [{ rank: 1, users: ['ann', 'lab.ann'] }], [{ rank: 2, users: ['bob'], nodes: named }, { rank: 1, accounts: ['lab'] }], [{ rank: 1.5, users: ['bob', 'office.bob'] }, { rank: -1, nodes: named, users: ['ann'] }]][kind] ?? []
}
const accounts = [undefined, undefined, 'lab', 'lab', 'office']
const withAccounts = (world: World, seed: number): World => ({
  ...world,
  claims: undefined,
  jobs: world.jobs.map((each, i) => withoutUndefined({
    ...each, account: accounts[(seed * (i + 3)) % accounts.length], user: ['ann', 'bob', 'cid'][(i * i + seed) % 3] as string,
    licenses: [undefined, { x: 1 }, undefined, { x: 2, y: 1 }, { y: 1 }][(i * seed + i) % 5],
  })),
})

describe('preemption of the negotiator', () => {
  it('takes whom a plain loop takes', () => {
    let [launches, evictions, limited] = [0, 0, 0]
    fc.assert(
      fc.property(worlds({ jobs: 14, heartbeats: false, slots: false }), anyOptions, fc.nat({ max: 4 }), fc.nat({ max: 6 }), (drawn, options, kind, seed) => {
        const world = withAccounts(drawn, seed)
        const all = { ...options, RANK: ranks(kind, world), CONCURRENCY_LIMIT: { x: 2 + (seed % 2), y: 1 } }
        const recorder = recorded(world, negotiator(all), 60)
        launches += recorder.launches.length
        evictions += recorder.events.filter((event) => event.kind === 'end' && event.how === 'evicted').length
        if (firstDifference(recorder, recorded(world, negotiator({ ...all, CONCURRENCY_LIMIT: {} }), 60), '') !== undefined) limited++
        expect(firstDifference(recorder, recorded(world, naiveNegotiator(all), 60), 'the reference')).toBeUndefined()
      }),
      { seed: 11, numRuns: 500 },
    )
    expect([launches, evictions, limited]).toEqual([0, 0, 0])
    expect(launches).toBeGreaterThan(1000)
  })
})

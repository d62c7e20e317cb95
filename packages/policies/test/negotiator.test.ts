import { negotiator, type NegotiatorOptions } from '@sched/policies'
import { withoutUndefined } from '@sched/core'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds, type World } from '@sched/testkit'
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
  jobs: world.jobs.map((job, i) => withoutUndefined({ ...job, account: accounts[(seed * (i + 3)) % accounts.length], user: `u${(i * i + seed) % 5}` })),
})

describe('negotiator', () => {
  /** Single processors, each a slot of its own, and jobs of one processor that run for so long. */
  const slots = (count: number) => instantCluster({ nodes: [{ count, resources: { cpu: 1 } }] })
  const jobsOf = (user: string, count: number, submit: number, duration: number) =>
    Array.from({ length: count }, (_, i) => job({ id: `${user}${i}`, user, submit, tasks: 1, demand: { cpu: 1 }, duration }))
  const starts = (options: NegotiatorOptions, jobs: Parameters<typeof run>[0]['jobs'], cluster: ReturnType<typeof slots>) =>
    Object.fromEntries(run({ policy: negotiator(options), jobs, cluster }).recorder.launches.map((launch) => [launch.job, launch.time]))
  const countAt = (times: Record<string, number>, user: string, time: number) => Object.entries(times).filter(([name, start]) => name.startsWith(user) && start === time).length

  it('gives slices in inverse proportion to priorities: 4 and 8 of 12 slots with factors 2000 and 1000', () => {
    // real priorities 0.5 each: effective 1000 and 500. Shares are 500 / (1000 + 500) = 1/3 and 2/3 of 12
    const times = starts({ PriorityFactor: { ann: 2000 }, CLAIM_WORKLIFE: 0 }, [...jobsOf('ann', 12, 0, 100), ...jobsOf('bob', 12, 0, 100)], slots(12))
    expect([countAt(times, 'ann', 0), countAt(times, 'bob', 0)]).toEqual([4, 8])
  })

  it('lets users go first who have used less, by a half-life', () => {
    // Ann holds the slot from 0 to 110. At the cycle of 60 her real priority is 0.5 / 2 + 1 / 2 = 0.75, and more at that of 115; Bob's is 0.5
    const one = (id: string, submit: number, duration: number) => job({ id, user: id.slice(0, 3), submit, tasks: 1, demand: { cpu: 1 }, duration })
    const first = (PriorityFactor: Record<string, number>) => starts({ PRIORITY_HALFLIFE: 60, PriorityFactor }, [one('ann0', 0, 110), one('ann1', 115, 100), one('bob0', 115, 100)], slots(1))
    expect(first({})).toEqual({ ann0: 0, bob0: 115, ann1: 235 }) // the cycles are at 175 and 235 then; Bob's job ends at 215
    // at 115 a = 2^(-55/60) = 0.53, so that Ann has 0.75 x 0.53 + 1 x 0.47 = 0.868, which is 0.5 x 1.735
    expect(first({ bob: 1730 })).toMatchObject({ bob0: 115 })
    expect(first({ bob: 1740 })).toMatchObject({ ann1: 115 })
  })

  it('begins cycles at an interval, and at a submission if the last is long ago', () => {
    const at = (submit: number) => job({ id: `at${submit}`, user: 'ann', submit, tasks: 1, demand: { cpu: 1 }, duration: 1000 })
    // cycles at 0, at 20 for the job of 5, at 40 for that of 21, at 100 for nobody, and 20 s later for the job of 110
    expect(starts({}, [at(0), at(5), at(21), at(110)], slots(4))).toEqual({ at0: 0, at5: 20, at21: 40, at110: 120 })
    expect(starts({ NEGOTIATOR_CYCLE_DELAY: 0 }, [at(0), at(5), at(21), at(110)], slots(4))).toEqual({ at0: 0, at5: 5, at21: 21, at110: 110 })
  })

  it('starts the next job of a user where one ends, until the claim is too old', () => {
    const times = (CLAIM_WORKLIFE: number) => starts({ CLAIM_WORKLIFE }, jobsOf('ann', 4, 0, 10), slots(1))
    expect(times(1200)).toEqual({ ann0: 0, ann1: 10, ann2: 20, ann3: 30 })
    expect(times(10)).toEqual({ ann0: 0, ann1: 10, ann2: 60, ann3: 70 }) // at 20 the claim is 20 s old
    expect(times(0)).toEqual({ ann0: 0, ann1: 60, ann2: 120, ann3: 180 })
  })

  it('gives a node to one user in a cycle, or with a consumption policy the rest of it to others', () => {
    const one = instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] })
    const jobs = [...jobsOf('ann', 3, 0, 100), ...jobsOf('bob', 3, 0, 100)]
    expect(starts({}, jobs, one)).toMatchObject({ ann0: 0, ann1: 0, ann2: 0, bob0: 60 })
    expect(starts({ CLAIM_PARTITIONABLE_LEFTOVERS: false }, jobs, one)).toMatchObject({ ann0: 0, bob0: 60, ann1: 100 })
    expect(starts({ CONSUMPTION_POLICY: true }, jobs, one)).toMatchObject({ ann0: 0, ann1: 0, bob0: 0, bob1: 0 })
  })

  it('keeps groups to quotas, and gives surplus to those that accept it', () => {
    const of = (account: string, count: number) => jobsOf(account, count, 0, 100).map((each) => ({ ...each, user: 'ann', account }))
    const options = { GROUP_NAMES: ['lab', 'office'], GROUP_QUOTA: { lab: 6 }, GROUP_QUOTA_DYNAMIC: { office: 0.5 }, CLAIM_WORKLIFE: 0 }
    const counts = (more: NegotiatorOptions) => {
      const times = starts({ ...options, ...more }, [...of('lab', 2), ...of('office', 9), ...jobsOf('bob', 9, 0, 100)], slots(12))
      return ['lab', 'office', 'bob'].map((who) => countAt(times, who, 0))
    }
    // lab has 6 of 12, office half of the other 6, which leaves 3 to those of no group
    expect(counts({})).toEqual([2, 3, 7]) // the root accepts surplus: 3, and the 4 that lab does not ask for
    // the root and office share the 4 by their quotas, 3 and 3
    expect(counts({ GROUP_ACCEPT_SURPLUS: true })).toEqual([2, 5, 5])
  })

  it('knows one submitter by one name, whether an account is a part of it or not', () => {
    const options = { GROUP_NAMES: ['lab'], GROUP_QUOTA: { lab: 2 }, CLAIM_WORKLIFE: 0 }
    const named = jobsOf('lab.ann', 3, 0, 100)
    const ofAccount = jobsOf('ann', 3, 0, 100).map((each) => ({ ...each, account: 'lab' }))
    for (const jobs of [named, ofAccount, [...named, ...ofAccount], [...ofAccount, ...named]]) expect(Object.values(starts(options, jobs, slots(6))).filter((time) => time === 0)).toHaveLength(2)
  })

  it('weighs what counts as used', () => {
    const wide = [{ id: 'ann0', user: 'ann', mem: 3 }, { id: 'ann1', user: 'ann', mem: 3 }, { id: 'bob0', user: 'bob', mem: 1 }, { id: 'bob1', user: 'bob', mem: 1 }, { id: 'bob2', user: 'bob', mem: 1 }]
    const jobs = wide.map(({ id, user, mem }) => job({ id, user, tasks: 1, demand: { cpu: 1, mem }, duration: 100 }))
    const first = (SLOT_WEIGHT: Record<string, number>) => {
      const times = starts({ CONSUMPTION_POLICY: true, SLOT_WEIGHT, CLAIM_WORKLIFE: 0 }, jobs, instantCluster({ nodes: [{ count: 1, resources: { cpu: 4, mem: 6 } }] }))
      return Object.keys(times).filter((name) => times[name] === 0)
    }
    expect(first({ cpu: 1 })).toEqual(['ann0', 'ann1']) // 2 of 4 processors, and all memory
    expect(first({ mem: 1 })).toEqual(['ann0', 'bob0', 'bob1', 'bob2']) // 3 of 6
  })

  it('refuses what it does not know', () => {
    expect(() => starts({ SLOT_WEIGHT: { gpus: 1 } }, [], slots(1))).toThrow('SLOT_WEIGHT names gpus')
    for (const SLOT_WEIGHT of [{}, { cpu: 0 }]) expect(() => starts({ SLOT_WEIGHT }, [], slots(1))).toThrow('SLOT_WEIGHT gives cpu no weight, so that users get no slices. Give one')
    expect(() => starts({ GROUP_QUOTA: { lab: 1 } }, [], slots(1))).toThrow('not in GROUP_NAMES')
    expect(() => starts({ GROUP_NAMES: ['lab.x'] }, [], slots(1))).toThrow('lies in no group')
  })

  it('matches what a plain loop matches', { tags: 'long' }, () => {
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

  it('divides quotas among groups as tables of them do', { tags: 'long' }, () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 20, heartbeats: false, slots: false }), anyOptions, groups, fc.nat({ max: 6 }), (drawn, options, ofGroups, seed) => {
        const world = withAccounts(drawn, seed)
        const all = { ...options, ...ofGroups }
        const recorder = recorded(world, negotiator(all), 200)
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveNegotiator(all), 200), 'the reference')).toBeUndefined()
      }),
      { seed: 6, numRuns: 500 },
    )
    expect(launches).toBeGreaterThan(1000)
  })

  it('obeys them where jobs that are one gang of several stages avoid nodes', { tags: 'long' }, () => {
    const quick = { NEGOTIATOR_INTERVAL: 2, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 20, CLAIM_WORKLIFE: 5 }
    const worlds = { gangJobs: true, outages: true, avoid: [{ rule: 'hadoop', failures: 1, ignoreThreshold: -1 }, { rule: 'hadoop1', failures: 1, mostOfJob: 1 }] as const }
    expect(checkPolicyLaws(() => negotiator(quick), { runs: 120, seed: 977, worlds }).launches).toBeGreaterThan(200)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const skip = {}
    const quick = { NEGOTIATOR_INTERVAL: 2, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 20, CLAIM_WORKLIFE: 5 }
    for (const options of [{}, quick, { ...quick, CONSUMPTION_POLICY: true, NEGOTIATOR_CONSIDER_PREEMPTION: false }, { ...quick, GROUP_NAMES: ['lab'], GROUP_QUOTA: { lab: 2 }, GROUP_AUTOREGROUP: true }])
      for (const gangs of [false, true])
        expect(checkPolicyLaws(() => negotiator(options), { runs: 80, seed: 3, skip, worlds: { gangs, gangJobs: gangs, outages: true, failures: true } }).launches).toBeGreaterThan(200)
  })
})

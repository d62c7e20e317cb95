import { withoutUndefined, type JobSpec } from '@sched/core'
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
  GROUP_NAMES: fc.constantFrom<string[][]>([], ['lab', 'office']),
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

type Cluster = ReturnType<typeof instantCluster>

describe('preemption of the negotiator', () => {
  const cluster = (...nodes: { count: number; cpu: number; speed?: number; labels?: Record<string, string> }[]) =>
    instantCluster({ nodes: nodes.map(({ count, cpu, ...more }, i) => ({ name: `n${i}`, count, resources: { cpu }, ...more })) })
  const one = (id: string, submit: number, duration: number, { cpu = 1, ...more }: Partial<JobSpec> & { cpu?: number } = {}) =>
    job({ id, user: id.slice(0, 3), submit, tasks: 1, demand: { cpu }, duration, ...more })
  const starts = (options: NegotiatorOptions, jobs: readonly JobSpec[], nodes = cluster({ count: 1, cpu: 1 })) =>
    run({ policy: negotiator(options), jobs, cluster: nodes }).recorder.launches.map(({ job: id, time, node }) => `${id} ${time} ${node}`)

  it('takes the place of a worse user as the requirements say, from then on the other starts anew', () => {
    // Ann's real priority is above 1.2 x 0.5 once 1 - 0.5 x 2^(-t/3600) > 0.6, after 1,159 s; cycles are at 100 + 60 k
    const first = (options: NegotiatorOptions) => starts({ PRIORITY_HALFLIFE: 3600, ...options }, [one('ann0', 0, 10_000), one('bob0', 100, 500)])
    expect(first({})).toEqual(['ann0 0 n0-0', 'bob0 10000 n0-0'])
    expect(first({ PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.1 } })).toEqual(['ann0 0 n0-0', 'bob0 580 n0-0', 'ann0 1120 n0-0']) // 1.1 after 547 s
    expect(first({ PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2 } })).toEqual(['ann0 0 n0-0', 'bob0 1180 n0-0', 'ann0 1720 n0-0'])
    // Bob's job ends at 4140, before the cycle of 4180, after which Ann needs 10,000 s again
    expect(first({ PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2, StateTimer: 3600 } })).toEqual(['ann0 0 n0-0', 'bob0 3640 n0-0', 'ann0 4180 n0-0'])
    expect(first({ PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.1 }, MAXJOBRETIREMENTTIME: 5000 })).toEqual(['ann0 0 n0-0', 'bob0 5020 n0-0', 'ann0 5560 n0-0'])
    expect(first({ PREEMPTION_REQUIREMENTS: true, NEGOTIATOR_CONSIDER_PREEMPTION: false })).toEqual(first({}))
  })

  it('counts the time of a claim, not of a job, and keeps to a group where it is told to', () => {
    // the second job of Ann runs from 50 on a claim of 0, so that its node has been claimed for more than 100 s at the cycle of 120
    const jobs = [one('ann0', 0, 50), one('ann1', 1, 1000), one('bob0', 60, 10)]
    expect(starts({ PREEMPTION_REQUIREMENTS: { StateTimer: 100 } }, jobs)).toEqual(['ann0 0 n0-0', 'ann1 50 n0-0', 'bob0 120 n0-0', 'ann1 180 n0-0'])
    const apart = (account: string) => starts({ GROUP_NAMES: ['lab', 'office'], GROUP_ACCEPT_SURPLUS: true, PREEMPTION_REQUIREMENTS: { SameGroup: true } },
      [one('ann0', 0, 1000, { account: 'lab' }), one('bob0', 100, 10, { account })])
    expect([apart('lab')[1], apart('office')[1]]).toEqual(['bob0 100 n0-0', 'bob0 1000 n0-0'])
  })

  it('remembers since when a place is claimed where nobody can take it after all', () => {
    // Ann's second job runs from 50 on a claim of 0. At 140 Bob's second task may have its place, but not beside his first. At 160 Ann's claim is old enough for
    // Cid, as Bob's is, and hers is the worse priority
    const apart = job({ id: 'bob0', user: 'bob', submit: 0, stages: [{ name: 's', tasks: 2, demand: { cpu: 1 }, duration: 1000, constraints: { distinctNodes: true } }] })
    const jobs = [one('ann0', 0, 50), apart, one('ann1', 1, 1000), one('cid0', 145, 10)]
    const { recorder } = run({ policy: negotiator({ CONSUMPTION_POLICY: true, PREEMPTION_REQUIREMENTS: { StateTimer: 130 }, PriorityFactor: { ann: 9000 } }), jobs, cluster: cluster({ count: 1, cpu: 2 }), until: 165 })
    expect(recorder.evictions.map(({ job: id, time }) => `${id} ${time}`)).toEqual(['ann1 160'])
  })

  it('never takes from its own user but by rank', () => {
    const jobs = [one('ann0', 0, 1000), one('ann1', 100, 10, { priority: 9 })]
    expect(starts({ PREEMPTION_REQUIREMENTS: true }, jobs)[1]).toBe('ann1 1000 n0-0')
  })

  it('goes where the machine ranks it higher first, and takes the place of whom it ranks lower', () => {
    const nodes = () => cluster({ count: 1, cpu: 1 }, { count: 1, cpu: 1, labels: { owner: 'bob' } })
    const RANK = [{ rank: 1, users: ['bob'], labels: { owner: 'bob' } }]
    const jobs = [one('ann0', 0, 1000), one('ann1', 0, 1000), one('bob0', 100, 10), one('bob1', 100, 10)]
    expect(starts({ RANK }, jobs, nodes())).toEqual(['ann0 0 n0-0', 'ann1 0 n1-0', 'bob0 100 n1-0', 'bob1 110 n1-0', 'ann1 160 n1-0'])
    // without Ann's second job the first of Bob's takes the node that prefers it, although the other one is free, too
    expect(starts({ RANK }, [one('bob0', 0, 10)], nodes())).toEqual(['bob0 0 n1-0'])
    expect(starts({ RANK: [{ rank: 1, users: ['bob'], nodes: ['n1-0'] }] }, [one('bob0', 0, 10)], nodes())).toEqual(['bob0 0 n1-0'])
    expect(starts({ RANK: [{ rank: 1, accounts: ['lab'], nodes: ['n1-0'] }] }, [one('bob0', 0, 10, { account: 'lab' })], nodes())).toEqual(['bob0 0 n1-0'])
    const warnings: string[] = []
    run({ policy: negotiator({ RANK: [...RANK, { rank: 1, labels: { owner: 'cid', rack: '2' } }] }), jobs, cluster: nodes(), warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(['RANK[1] of negotiator holds nowhere: none of its nodes has the labels owner=cid, rack=2.'])
    expect(() => starts({ RANK: [{ rank: 1, nodes: ['n7'] }] }, jobs, nodes())).toThrow('RANK names node "n7", which the cluster does not have')
  })

  it('takes by rank what its slice does not allow', () => {
    // Ann and Bob hold a slot each, which is their part of 2 as long as both wait for more
    const jobs = [one('ann0', 0, 1000), one('bob0', 0, 1000), one('ann1', 100, 500), one('bob1', 100, 500)]
    const last = (options: NegotiatorOptions) => starts(options, jobs, cluster({ count: 2, cpu: 1 }))[2]
    expect(last({ PREEMPTION_REQUIREMENTS: true })).toBe('ann1 1000 n0-0')
    expect(last({ RANK: [{ rank: 1, users: ['bob'] }] })).toBe('bob1 100 n0-0')
  })

  it('takes several places of a node where it may, of whom has run for the least time', () => {
    const jobs = [one('ann0', 0, 1000), one('ann1', 20, 1000), one('ann2', 40, 1000), one('bob0', 100, 10, { cpu: 2 })]
    const of = (options: NegotiatorOptions) => starts({ PREEMPTION_REQUIREMENTS: true, ...options }, jobs, cluster({ count: 1, cpu: 3 })).slice(3)
    expect(of({})[0]).toBe('bob0 1060 n0-0') // nobody holds two processors; Ann's second job ends at 1020
    expect(of({ ALLOW_PSLOT_PREEMPTION: true })).toEqual(['bob0 100 n0-0', 'ann1 160 n0-0', 'ann2 160 n0-0'])
  })

  it('takes the smallest place that suffices, then that of the worst user', () => {
    const jobs = [one('ann0', 0, 1000, { cpu: 4 }), one('cid0', 0, 1000, { cpu: 2 }), one('dan0', 0, 1000, { cpu: 2 }), one('bob0', 100, 1000, { cpu: 1 })]
    const evicted = (PriorityFactor: Record<string, number>) =>
      run({ policy: negotiator({ PREEMPTION_REQUIREMENTS: true, CONSUMPTION_POLICY: true, PriorityFactor }), jobs, cluster: cluster({ count: 1, cpu: 8 }) }).recorder.evictions.map(({ job: id }) => id)
    expect(evicted({ cid: 1500, ann: 9000 })[0]).toBe('cid0')
    expect(evicted({ dan: 1500, ann: 9000 })[0]).toBe('dan0')
  })

  it('prefers nodes by the sum of NEGOTIATOR_PRE_JOB_RANK, and the faster of equal ones', () => {
    const place = (NEGOTIATOR_PRE_JOB_RANK: NegotiatorOptions['NEGOTIATOR_PRE_JOB_RANK'], nodes: Cluster) => starts(withoutUndefined({ NEGOTIATOR_PRE_JOB_RANK }), [one('ann0', 0, 10)], nodes)
    const byMemory = () => instantCluster({ nodes: [{ name: 'a', count: 1, resources: { cpu: 2, mem: 500_000 } }, { name: 'b', count: 1, resources: { cpu: 5, mem: 8000 } }] })
    expect(place(undefined, byMemory())).toEqual(['ann0 0 a-0'])
    expect(place({ free: { cpu: -100_000, mem: -1 } }, byMemory())).toEqual(['ann0 0 b-0']) // -200,000 - 500,000 is less than -500,000 - 8,000
    expect(place(undefined, cluster({ count: 1, cpu: 2 }, { count: 1, cpu: 2, speed: 3 }))).toEqual(['ann0 0 n1-0'])
    expect(() => place({ free: { disk: 1 } }, byMemory())).toThrow('NEGOTIATOR_PRE_JOB_RANK names disk, which no node has')
  })

  it('lets somebody go for a sum in which ten free processors weigh more, as that of HTCondor does', () => {
    const jobs = [one('ann0', 0, 1000), one('bob0', 100, 10)]
    const of = (free: number, options: NegotiatorOptions) => starts({ PREEMPTION_REQUIREMENTS: true, ...options }, jobs, cluster({ count: 1, cpu: 1 }, { count: 1, cpu: free }))[1]
    const sum = { NEGOTIATOR_PRE_JOB_RANK: { free: { cpu: -100_000 } } }
    // -100,000 where Ann runs; 1,000,000 - 1,000,000 and 1,000,000 - 1,200,000 on the free node
    expect([of(12, {}), of(10, sum), of(12, sum)]).toEqual(['bob0 100 n1-0', 'bob0 100 n1-0', 'bob0 100 n0-0'])
  })

  it('starts in the same cycle on what those leave who had to go', () => {
    const nodes = instantCluster({ nodes: [{ name: 'a', count: 1, resources: { cpu: 3, mem: 6 } }, { name: 'b', count: 1, resources: { cpu: 10, mem: 1 } }] })
    const of = (id: string, submit: number, cpu: number, mem: number) => job({ id, user: id.slice(0, 3), submit, demand: { cpu, mem }, duration: 1000 })
    // no place is enough for Bob's first job. His second takes that of 3 processors, of which 2 are left with 3 + 2 of memory; his third asks for as much as his first
    const jobs = [of('ann0', 0, 3, 4), of('ann1', 0, 10, 1), of('bob0', 100, 2, 5), of('bob1', 100, 1, 1), of('bob2', 100, 2, 5)]
    expect(starts({ PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2 }, PriorityFactor: { ann: 9000 } }, jobs, nodes).slice(0, 4)).toEqual(['ann0 0 a-0', 'ann1 0 b-0', 'bob1 100 a-0', 'bob2 100 a-0'])
  })

  it('stops a gang as a whole where one of its tasks has to go', () => {
    const gang = job({ id: 'ann0', user: 'ann', submit: 0, stages: [{ name: 'all', tasks: 2, demand: { cpu: 1 }, duration: 1000, gang: true }] })
    const { recorder } = run({ policy: negotiator({ PREEMPTION_REQUIREMENTS: true }), jobs: [gang, one('bob0', 100, 10)], cluster: cluster({ count: 2, cpu: 1 }) })
    expect(recorder.evictions).toHaveLength(2)
    expect(recorder.launches.map(({ job: id, time }) => [id, time])).toEqual([['ann0', 0], ['ann0', 0], ['bob0', 100], ['ann0', 160], ['ann0', 160]])
  })

  it('takes whom a plain loop takes', { tags: 'long' }, () => {
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
    expect([launches > 9000, evictions > 800, limited > 100]).toEqual([true, true, true])
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const still = { NEGOTIATOR_INTERVAL: 2, NEGOTIATOR_CYCLE_DELAY: 1, PRIORITY_HALFLIFE: 1e12, PriorityFactor: { ann: 500, bob: 2000 }, CLAIM_WORKLIFE: 5, PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1 } }
    for (const options of [still, { ...still, ALLOW_PSLOT_PREEMPTION: true, CONSUMPTION_POLICY: true }, { ...still, RANK: [{ rank: 1, users: ['bob'] }], NEGOTIATOR_PRE_JOB_RANK: { Unclaimed: 0, free: {} } }])
      for (const gangs of [false, true])
        expect(checkPolicyLaws(() => negotiator(options), { runs: 80, seed: 5, worlds: { gangs, gangJobs: gangs, outages: true, failures: true } }).evictions).toBeGreaterThan(15)
  })
})

import type { JobSpec, Plug } from '@sched/core'
import { easy, fairShare, greedy, multifactor, strict, type FairShareOptions, type MultifactorOptions } from '@sched/policies'
import { checkPolicyLaws, exactRuntime, firstDifference, instantCluster, job, prepare, run, serial, worlds, type JobChange, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecayedUsage } from '../../src/fair-share/decayed-usage.js'
import { NO_RESETS, resetsOf } from '../../src/fair-share/usage-resets.js'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveMultifactor, type Weights } from './multifactor-reference.js'
import { naiveFairShare, type Accounts } from './reference.js'

const cpu = (change: JobChange) => job({ demand: { cpu: 1 }, ...change })
const machine = (cpus: number) => instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus, mem: 100 } }] })
const order = (jobs: readonly JobSpec[], policy: Plug<'policy'>, cpus = 1) => run({ policy, jobs, cluster: machine(cpus) }).recorder.launches.map((launch) => launch.job)
const by = (options: FairShareOptions) => strict(fairShare(options))
const every = (seconds: number) => resetsOf(seconds, { warn: () => undefined })

describe('usage', () => {
  it('halves in a half-life, whole periods at a time, and charges what runs', () => {
    const usage = new DecayedUsage({ halfLife: 20, calcPeriod: 10, resets: NO_RESETS })
    usage.id('a')
    const at = (now: number) => {
      usage.advance(now)
      return usage.of(0)
    }
    usage.change(0, 2, 5) // 2 units from 5 to 25: charges 10, 20, 10 in the periods that end at 10, 20, 30
    expect([at(9), at(19)]).toEqual([0, 10])
    const d = Math.SQRT1_2 // 2^(-10 / 20)
    expect(at(20)).toBeCloseTo(10 * d + 20, 10)
    usage.change(0, -2, 25)
    expect(at(30)).toBeCloseTo((10 * d + 20) * d + 10, 10)
    expect(at(50)).toBeCloseTo(((10 * d + 20) * d + 10) / 2, 10)
  })

  it('takes back what has been used in this period, and nothing before it', () => {
    const usage = new DecayedUsage({ halfLife: 0, calcPeriod: 10, resets: NO_RESETS })
    for (const name of ['a', 'b']) usage.id(name)
    for (const id of [0, 1]) usage.change(id, 0.1, 1.1) // until 13.3, and beside it 0.2 of a from 2.2 on
    usage.change(0, 0.2, 2.2)
    for (const id of [0, 1]) {
      usage.change(id, -0.1, 13.3)
      usage.forgive(id, 0.1, 1.1, 13.3)
    }
    usage.advance(20)
    expect(usage.of(0)).toBeCloseTo(0.1 * 8.9 + 0.2 * 17.8, 10)
    expect(usage.of(1)).toBe(0.1 * (10 - 1.1))
  })

  it('never loses what it has however long it decays, and can be forgotten', () => {
    const usage = new DecayedUsage({ halfLife: 10, calcPeriod: 10, resets: every(1e5) })
    for (const name of ['a', 'b']) usage.id(name)
    usage.change(0, 3, 0)
    usage.change(0, -3, 10)
    usage.change(1, 1, 8000)
    usage.change(1, -1, 8010)
    usage.advance(8010)
    expect(usage.of(1)).toBe(10) // after 800 halvings, and as many growths and a change of scale
    expect(usage.of(0)).toBe(30 * 2 ** -800)
    usage.advance(1e5)
    expect(usage.of(0) + usage.of(1)).toBe(0)
  })

  it('keeps of what it forgets that of the period in which it does, as Slurm, which charges that afterwards (_decay_thread)', () => {
    const usage = new DecayedUsage({ halfLife: 0, calcPeriod: 10, resets: every(25) })
    usage.id('a')
    usage.change(0, 1, 0)
    expect([10, 20, 30, 40, 50].map((now) => (usage.advance(now), usage.of(0)))).toEqual([10, 20, 10, 20, 10])
    expect([usage.below(0, 5), usage.notBefore(10, 5)]).toEqual([80, 80]) // forgotten at 75
  })

  it.each([
    ['never halves', { halfLife: 0, calcPeriod: 1, resets: NO_RESETS }],
    ['halves slowly', { halfLife: 1e6, calcPeriod: 1, resets: NO_RESETS }],
    ['halves often', { halfLife: 1000, calcPeriod: 1, resets: NO_RESETS }],
    ['is forgotten by the calendar', { halfLife: 0, calcPeriod: 1, resets: resetsOf('quarterly', { start: 1.7e9, warn: () => undefined }) }],
    ['is forgotten now and then', { halfLife: 1e6, calcPeriod: 1, resets: every(3e6) }],
  ])('is the same over very many periods at once where it %s', { tags: 'long' }, (_, decay) => {
    const [once, steps] = [new DecayedUsage(decay), new DecayedUsage(decay)]
    for (const usage of [once, steps]) {
      for (const name of ['a', 'b', 'c']) usage.id(name)
      usage.change(0, 3, 0.5) // goes on
      usage.change(1, 2, 0.25)
      usage.change(1, -2, 100.5)
      if (usage === steps) for (let now = 1e6; now <= 7e6; now += 1e6) usage.advance(now)
      usage.change(2, 1, 7e6 + 0.5)
      usage.advance(7e6 + 2)
    }
    for (let id = 0; id < 3; id++) expect(once.of(id) / steps.of(id) || 1).toBeCloseTo(1, 9)
    expect([once.tick, once.next, once.of(2)]).toEqual([steps.tick, steps.next, expect.closeTo(steps.of(2), 6)])
    once.advance(1e15) // in no time
    expect(Number.isFinite(once.of(0))).toBe(true)
  })

  it('is that of the last period where it halves at once', () => {
    const usage = new DecayedUsage({ halfLife: 1e-300, calcPeriod: 10, resets: NO_RESETS })
    usage.id('a')
    usage.change(0, 3, 0)
    usage.advance(40)
    expect(usage.of(0)).toBe(30)
  })
})

describe('fair-share', () => {
  // ann has run 100 s, bob nothing; from the period's end at 300 his jobs come first, although hers came before
  const past = cpu({ id: 'past', user: 'ann', duration: 310 })
  const jobs = [past, cpu({ id: 'a', user: 'ann', submit: 1 }), cpu({ id: 'b', user: 'bob', submit: 2 })]

  it('puts those first that have used least, as of the last period', () => {
    expect(order(jobs, by({}))).toEqual(['past', 'b', 'a'])
    expect(order(jobs, by({ calcPeriod: 1000 }))).toEqual(['past', 'a', 'b'])
    expect(order(jobs, easy(fairShare({})))).toEqual(['past', 'b', 'a'])
  })

  it('charges what of the use of a QOS counts', () => {
    const both = [{ ...past, qos: 'cheap' }, cpu({ id: 'too', user: 'bob', duration: 310 }), cpu({ id: 'b', user: 'bob', submit: 1 }), cpu({ id: 'a', user: 'ann', submit: 2 })]
    expect(order(both, by({}), 2).slice(2)).toEqual(['b', 'a'])
    expect(order(both, by({ usageFactors: { cheap: 0.1 } }), 2).slice(2)).toEqual(['a', 'b'])
  })

  it('looks at shares, and at accounts before users', () => {
    // both have used 310 of the machine; ann has 3 of 4 shares
    const two = [...jobs.slice(0, 1), cpu({ id: 'too', user: 'bob', duration: 310 }), ...jobs.slice(1)]
    expect(order(two, by({ accounts: { x: { users: { ann: 3, bob: 1 } } } }), 2).slice(2)).toEqual(['a', 'b'])
    expect(order(two, by({ accounts: { x: { users: { ann: 1, bob: 3 } } } }), 2).slice(2)).toEqual(['b', 'a'])
    // bob is better off in an account of his own than with ann, who has used all of hers: c comes before a
    const shared = { accounts: { x: { users: { ann: 1, cid: 1 } }, y: { users: { bob: 1 } } } }
    const three = [past, cpu({ id: 'c', user: 'cid', submit: 1 }), cpu({ id: 'a', user: 'ann', submit: 1 }), cpu({ id: 'b', user: 'bob', submit: 2 })]
    expect(order(three, by(shared))).toEqual(['past', 'b', 'c', 'a'])
  })

  it('charges the account that a job names', () => {
    const named = jobs.map((each, i) => ({ ...each, user: 'ann', account: i === 2 ? 'y' : 'x' }))
    expect(order(named, by({ accounts: { x: {}, y: {} } }))).toEqual(['past', 'b', 'a'])
    expect(order(named.map((each) => ({ ...each, account: 'x' })), by({ accounts: { x: {}, y: {} } }))).toEqual(['past', 'a', 'b'])
  })

  it('bills what it is told, in sum or by the largest', () => {
    // ann: 1 CPU and 60 of memory, bob: 16 CPUs and 1; billed 1 and 0.25 each: 16 and 16.25 in sum, 15 and 16 by the largest
    const both = (submits: readonly [number, number]) => [
      cpu({ id: 'x', user: 'ann', demand: { cpu: 1, mem: 60 }, duration: 310 }),
      cpu({ id: 'y', user: 'bob', demand: { cpu: 16, mem: 1 }, duration: 310 }),
      cpu({ id: 'a', user: 'ann', submit: submits[0], demand: { cpu: 17 } }),
      cpu({ id: 'b', user: 'bob', submit: submits[1], demand: { cpu: 17 } }),
    ]
    const billing = { cpu: 1, mem: 0.25 }
    expect(order(both([2, 1]), by({ billing }), 17).slice(2)).toEqual(['a', 'b'])
    expect(order(both([1, 2]), by({ billing: { mem: 1 } }), 17).slice(2)).toEqual(['b', 'a'])
    const cheaper = { cpu: 1, mem: 0.26 } // 16.6 and 16.26 in sum, 15.6 and 16 by the largest
    expect(order(both([1, 2]), by({ billing: cheaper }), 17).slice(2)).toEqual(['b', 'a'])
    expect(order(both([2, 1]), by({ billing: cheaper, maxTres: true }), 17).slice(2)).toEqual(['a', 'b'])
  })

  it('adds devices to the largest of processors and memory (MAX_TRES_GRES)', () => {
    // ann: 4 processors, 8 of memory, 2 GPUs; billed 1, 1 and 10 each: 32 in sum, 20 the largest, 28 with GPUs beside the largest
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { procs: 64, memory: 100, gpus: 4 } }] })
    const first = (procs: number, options: FairShareOptions) => {
      const ask = (id: string, user: string, submit: number, demand: Readonly<Record<string, number>>, duration: number) => job({ id, user, submit, demand, duration })
      const jobs = [
        ask('x', 'ann', 0, { procs: 4, memory: 8, gpus: 2 }, 310), ask('y', 'bob', 0, { procs, memory: 1 }, 310),
        ask('b', 'bob', 1, { procs: 64 }, 10), ask('a', 'ann', 2, { procs: 64 }, 10),
      ]
      return run({ policy: by({ billing: { procs: 1, memory: 1, gpus: 10 }, ...options }), jobs, cluster }).recorder.launches[2]?.job
    }
    expect([first(24, {}), first(24, { maxTres: 'gres' }), first(24, { maxTres: true })]).toEqual(['b', 'b', 'a'])
    expect([first(30, {}), first(30, { maxTres: 'gres' }), first(30, { maxTres: true })]).toEqual(['b', 'a', 'a'])
  })

  it('bills what the partition of a job says', () => {
    // ann and bob have both used a CPU for 310 s, his at 3 each
    const both = [past, cpu({ id: 'too', user: 'bob', queue: 'gpu', duration: 310 }), cpu({ id: 'b', user: 'bob', submit: 1 }), cpu({ id: 'a', user: 'ann', submit: 2 })]
    expect(order(both, by({}), 2).slice(2)).toEqual(['b', 'a'])
    expect(order(both, by({ partitionBilling: { gpu: { cpu: 3 } } }), 2).slice(2)).toEqual(['a', 'b'])
    expect(() => order(both, by({ partitionBilling: { gpu: { fpga: 1 } } }), 2)).toThrow('partitionBilling.gpu')
  })

  it('takes users who are in no account, and shares that are those of the account', () => {
    // ann has used what x has; bob, beside it, nothing. With shares of their own cid comes before ann; with those of x they are one, and her job came first
    const three = [past, cpu({ id: 'a', user: 'ann', submit: 1 }), cpu({ id: 'c', user: 'cid', submit: 2 }), cpu({ id: 'b', user: 'bob', submit: 3 })]
    for (const algorithm of ['classic', 'fair-tree'] as const) {
      const shared = (shares: number | 'parent') => by({ algorithm, accounts: { root: { users: { bob: 1 } }, x: { users: { ann: shares, cid: shares } } } })
      expect(order(three, shared(1))).toEqual(['past', 'b', 'c', 'a'])
      expect(order(three, shared('parent'))).toEqual(['past', 'b', 'a', 'c'])
    }
  })

  it('forgets usage as it decays, or at a reset', () => {
    // ann used 310 s until 310, bob runs 200 s from 100,000 on: with a half-life of a day his is more, of a year hers
    const later = [
      past,
      cpu({ id: 'too', user: 'bob', submit: 400_000, duration: 200 }),
      cpu({ id: 'block', user: 'eve', submit: 400_000, duration: 700 }),
      cpu({ id: 'a', user: 'ann', submit: 400_001, demand: { cpu: 2 } }),
      cpu({ id: 'b', user: 'bob', submit: 400_001, demand: { cpu: 2 } }),
    ]
    expect(order(later, by({ halfLife: 86_400 }), 2).slice(3)).toEqual(['a', 'b'])
    expect(order([...later].reverse(), by({ halfLife: 0 }), 2).slice(3)).toEqual(['b', 'a'])
    expect(order([...later].reverse(), by({ halfLife: 0, usageReset: 300_000 }), 2).slice(3)).toEqual(['a', 'b'])
  })

  it('refuses accounts of one name and resources that there are not', () => {
    expect(() => order(jobs, by({ accounts: { x: { accounts: { x: {} } } } }))).toThrow('two accounts are called "x"')
    expect(() => order(jobs, by({ billing: { gpu: 1 } }))).toThrow('the cluster has no resource "gpu"')
  })

  it('decides as a reference that sums everything up at every decision', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ heartbeats: false, jobs: 12 }), fc.constantFrom(1, 4, 16), (world, period) => {
        const shipped = record(world, greedy(fairShare({ ...declared, halfLife: period, calcPeriod: period, billing: each(world, 1) }), firstNode()))
        launches += shipped.launches.length
        expect(firstDifference(shipped, record(world, naiveGreedy(naiveFairShare(rootShares, usersOf, period))), 'the reference')).toBeUndefined()
      }),
      { seed: 31, numRuns: 15 },
    )
    expect(launches).toBeGreaterThan(120)
  })

  it('decides as a reference of the classic factor', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ heartbeats: false, jobs: 12 }), fc.constantFrom(1, 4, 16), (world, period) => {
        const shipped = record(world, greedy(fairShare({ ...declared, algorithm: 'classic', halfLife: period, calcPeriod: period, billing: each(world, 1) }), firstNode()))
        launches += shipped.launches.length
        expect(firstDifference(shipped, record(world, naiveGreedy(naiveMultifactor(rootShares, usersOf, period))), 'the reference')).toBeUndefined()
      }),
      { seed: 32, numRuns: 15 },
    )
    expect(launches).toBeGreaterThan(120)
  })

  it.each([['fair tree', () => greedy(fairShare({ calcPeriod: 5, halfLife: 20 }), firstNode())], ['classic', () => greedy(fairShare({ algorithm: 'classic', calcPeriod: 5, halfLife: 20 }), firstNode())]] as const)('obeys the laws of policies (%s)', { tags: 'long' }, (_, make) => {
    expect(checkPolicyLaws(make, { runs: 12 }).launches).toBeGreaterThan(100)
  })
})

const rootShares = { x: 1, y: 2 }
const usersOf: Accounts = { x: { ann: 1, user: 3 }, y: { bob: 1 } }
const declared = { accounts: { x: { shares: 1, users: usersOf['x'] as object }, y: { shares: 2, users: usersOf['y'] as object } } }
const each = (world: World, amount: number) => Object.fromEntries(resourcesOf(world).map((name) => [name, amount]))

/** One unit per task: all demands of a world count as 1. */
const resourcesOf = ({ cluster }: World) => Object.keys(cluster.nodes[0]?.slots ?? { cpu: 1 })
function record(world: World, policy: Plug<'policy'>) {
  // durations and speeds are sums of powers of two, so usage is exact; one CPU per task
  const jobs = world.jobs.map((each) => ({ ...each, stages: each.stages.map((stage) => ({ ...stage, demand: 'map' in stage.demand || 'reduce' in stage.demand ? stage.demand : { cpu: 1 }, duration: typeof stage.duration === 'object' && 'kind' in stage.duration ? 4 : stage.duration })) }))
  const { recorder, simulation } = prepare({ policy, cluster: world.cluster, jobs, seed: world.seed, runtime: exactRuntime, infeasible: 'reject', architecture: serial() })
  simulation.run()
  return recorder
}

describe('multifactor', () => {
  const starts = (jobs: readonly JobSpec[], options: MultifactorOptions, cpus = 4) => order(jobs, strict(multifactor(options)), cpus)
  const wait = cpu({ id: 'wait', demand: { cpu: 4 }, duration: 700 })

  it('is FIFO without weights, as Slurm is', () => {
    expect(starts([wait, cpu({ id: 'b', submit: 2, priority: 9 }), cpu({ id: 'a', submit: 1 })], {})).toEqual(['wait', 'a', 'b'])
  })

  it('adds weighted factors up: age, share, size, partition and the job\'s own', () => {
    const jobs = [wait, cpu({ id: 'small', submit: 1, queue: 'high' }), cpu({ id: 'large', submit: 320, demand: { cpu: 3 }, user: 'bob', queue: 'low' })]
    expect(starts(jobs, { jobSize: 1000 })).toEqual(['wait', 'large', 'small'])
    expect(starts(jobs, { jobSize: 1000, favorSmall: true })).toEqual(['wait', 'small', 'large'])
    // by 600 the small one has waited 599 s and the large one 280 s of 1,000: 0.599 w against 0.28 w + 500 more for its size
    expect(starts(jobs, { jobSize: 1000, age: 1500, maxAge: 1000 })).toEqual(['wait', 'large', 'small'])
    expect(starts(jobs, { jobSize: 1000, age: 1600, maxAge: 1000 })).toEqual(['wait', 'small', 'large'])
    // as old as can be at once: both have the whole weight
    expect(starts(jobs, { jobSize: 1000, age: 1600, maxAge: 0 })).toEqual(['wait', 'large', 'small'])
    expect(starts(jobs.map((each) => (each.id === 'wait' ? each : { ...each, priority: each.id === 'small' ? 1 : 0 })), { age: 1600, PriorityMaxAge: 0 })).toEqual(['wait', 'small', 'large'])
    expect(starts(jobs, { jobSize: 1000, partition: 700, partitions: { high: 10, low: 1 } })).toEqual(['wait', 'small', 'large'])
    expect(starts(jobs, { jobSize: 1000, partition: 500, partitions: { high: 10, low: 1 } })).toEqual(['wait', 'large', 'small'])
    const ofQos = jobs.map((each) => ({ ...each, ...(each.id === 'small' && { qos: 'high' }) }))
    expect(starts(ofQos, { jobSize: 1000, PriorityWeightQOS: 1000, qosPriorities: { high: 10, normal: 4 } })).toEqual(['wait', 'small', 'large']) // 0.25 + 1 against 0.75 + 0.4
    expect(starts(ofQos, { jobSize: 1000, PriorityWeightQOS: 1000, qosPriorities: { high: 10, normal: 6 } })).toEqual(['wait', 'large', 'small'])
    // as they are instead of as fractions: 60 against 6, or 600 against 60; 100 against 40, or 1000 against 400
    const ofQueues = { jobSize: 1000, partition: 60, partitions: { high: 10, low: 1 } }
    expect(starts(jobs, ofQueues)).toEqual(['wait', 'large', 'small'])
    expect(starts(jobs, { ...ofQueues, PriorityFlags: 'NO_NORMAL_PART' })).toEqual(['wait', 'small', 'large'])
    const byQos = { jobSize: 1000, qos: 100, qosPriorities: { high: 10, normal: 4 } }
    expect(starts(ofQos, byQos)).toEqual(['wait', 'large', 'small'])
    expect(starts(ofQos, { ...byQos, PriorityFlags: 'NO_NORMAL_QOS,NO_NORMAL_ASSOC' })).toEqual(['wait', 'small', 'large'])
    expect(starts([wait, ...jobs.slice(1).map((each, i) => ({ ...each, priority: -i }))], { jobSize: 1000, site: 501 })).toEqual(['wait', 'small', 'large'])
    expect(starts(jobs.map((each) => ({ ...each, user: each.user ?? 'ann' })), { fairShare: 1000 })).toEqual(['wait', 'large', 'small'])
  })

  it('adds the amounts that a job asks, as fractions of what the nodes of its partition have, by weights of their own (_get_tres_factors of Slurm)', () => {
    // 2 nodes of 4 processors and 2 GPUs; `cpus` asks 6/8 of the processors, `gpus` 3/4 of the GPUs
    const ask = (id: string, submit: number, demand: Readonly<Record<string, number>>, tasks = 1, queue = 'main') => ({ id, submit, queue, stages: [{ name: 'all', tasks, gang: true, demand, duration: 10 }] })
    const all = ask('wait', 0, { cpu: 4, gpus: 2 }, 2)
    const cluster = instantCluster({ nodes: [{ count: 1, resources: { cpu: 4, gpus: 2 }, labels: { 'partition:own': 'true' } }, { count: 1, resources: { cpu: 4, gpus: 2 } }] })
    const first = (options: MultifactorOptions, ...jobs: ReturnType<typeof ask>[]) => [...new Set(run({ policy: strict(multifactor(options)), jobs: [all, ...jobs], cluster }).recorder.launches.map((launch) => launch.job))]
    const [cpus, many] = [ask('cpus', 1, { cpu: 3 }, 2), ask('gpus', 2, { gpus: 1 }, 3)]
    expect(first({}, cpus, many)).toEqual(['wait', 'cpus', 'gpus'])
    expect(first({ tres: { cpu: 1000, gpus: 1200 } }, cpus, many)).toEqual(['wait', 'gpus', 'cpus']) // 750 and 3/4 x 1200 = 900
    expect(first({ PriorityWeightTRES: 'CPU=1000,GRES/gpu=900' }, cpus, many)).toEqual(['wait', 'cpus', 'gpus']) // 750 and 675
    expect(first({ PriorityWeightTRES: 'CPU=1000,GRES/gpu=1200', PriorityFlags: 'NO_NORMAL_ALL' }, cpus, many)).toEqual(['wait', 'cpus', 'gpus']) // 6000 and 3600
    // 2 of 4 processors of its own nodes are more than 3 of 8
    expect(first({ PriorityWeightTRES: { cpu: 1000 } }, ask('wide', 1, { cpu: 3 }), ask('own', 2, { cpu: 2 }, 1, 'own'))).toEqual(['wait', 'own', 'wide'])
    expect(first({ PriorityWeightTRES: { cpu: 1000 } }, ask('wide', 1, { cpu: 3 }), ask('main', 2, { cpu: 2 }))).toEqual(['wait', 'wide', 'main'])
    expect(() => first({ tres: { memory: 1 } }, cpus)).toThrow('the cluster has nothing that is "memory". Known: cpu, gres/gpu, gpus, node.')
    expect(() => first({ PriorityWeightTRES: 'CPU' }, cpus)).toThrow('found the weight "CPU". Write CPU=1000')
  })

  it('adds the priority of the association, or of the nearest account around it, as a fraction of the highest (PriorityWeightAssoc in sprio of Slurm 22.05.8)', () => {
    // of 100: bob 100, ann in p and in pp inside it 40, ann in q 7, cat 0, dan none; with the weight 10000, and with sizes beside it
    const associations = { p: { priority: 40, users: { bob: { priority: 100 } }, accounts: { pp: { users: { cat: { priority: 0 } } } } }, q: { users: { ann: { priority: 7 } } } }
    const of = (id: string, user: string, account: string, priority: number) => cpu({ id, submit: 1, user, account, priority, duration: 10, demand: { cpu: 4 } })
    const jobs = [wait, of('bob', 'bob', 'p', 1), of('ann', 'ann', 'p', 2), of('below', 'ann', 'pp', 3), of('other', 'ann', 'q', 4), of('cat', 'cat', 'pp', 5), of('dan', 'dan', 'q', 6)]
    expect(starts(jobs, { site: 1 })).toEqual(['wait', 'dan', 'cat', 'other', 'below', 'ann', 'bob'])
    expect(starts(jobs, { site: 1, PriorityWeightAssoc: 10_000, associations })).toEqual(['wait', 'bob', 'below', 'ann', 'other', 'dan', 'cat']) // 10001, 4003, 4002, 704, 6, 5
    expect(starts(jobs, { site: 1, assoc: 4, associations })).toEqual(['wait', 'dan', 'bob', 'cat', 'below', 'other', 'ann']) // 6, 5, 5, 4.6, 4.28, 3.6
    expect(starts(jobs, { site: 1, assoc: 3, associations, PriorityFlags: 'NO_NORMAL_ASSOC' })).toEqual(['wait', 'bob', 'below', 'ann', 'other', 'dan', 'cat'])
  })

  it('is a whole number, so small weights make ties, which go by submission', () => {
    const jobs = [wait, cpu({ id: 'small', submit: 1 }), cpu({ id: 'large', submit: 2, demand: { cpu: 3 } })]
    expect(starts(jobs, { jobSize: 2 })).toEqual(['wait', 'small', 'large']) // 0.5 and 1.5, both 1
    expect(starts(jobs, { jobSize: 3 })).toEqual(['wait', 'large', 'small']) // 0.75 -> 1 and 2.25 -> 2
  })

  it('serves higher tiers first, whatever the priority (PriorityTier in sort_job_queue2 of Slurm)', () => {
    const jobs = [wait, cpu({ id: 'urgent', queue: 'low', priority: 1e9, submit: 1 }), cpu({ id: 'other', queue: 'none', submit: 1, priority: 5 }), cpu({ id: 'late', queue: 'high', submit: 2 })]
    expect(starts(jobs, { site: 1 })).toEqual(['wait', 'urgent', 'other', 'late'])
    expect(starts(jobs, { site: 1, tiers: { high: 2 } })).toEqual(['wait', 'late', 'urgent', 'other'])
    expect(starts(jobs, { site: 100, tiers: { high: 2, low: 0 } })).toEqual(['wait', 'late', 'other', 'urgent']) // 10^11 would reach over, but priorities end at 2^32 - 1
  })

  it('counts down from job to job with `countDown`, so that one with a nice value of 2 lets two later ones pass (priority/basic of Slurm 22.05.8)', () => {
    // 4294901759, ...58 - 2 = ...56, ...57, ...56 submitted later, ...55
    const jobs = [0, 2, 0, 0, 0].map((nice, at) => cpu({ id: `j${at}`, submit: at, nice, duration: 10 }))
    expect(order(jobs, strict(multifactor({ countDown: true })))).toEqual(['j0', 'j2', 'j1', 'j3', 'j4'])
    expect(order(jobs, strict(multifactor()))).toEqual(['j0', 'j1', 'j2', 'j3', 'j4'])
    const urgent = jobs.map((each) => ({ ...each, nice: each.id === 'j4' ? -3 : 0 }))
    expect(order(urgent, strict(multifactor({ countDown: true })))).toEqual(['j0', 'j1', 'j4', 'j2', 'j3'])
  })

  it('takes the nice value off the priority, which ends at 1 (--nice of Slurm)', () => {
    // priorities: 500 x 4/4 = 500 of `large`, less 400; 500 x 1/4 = 125 of `small`; 1 at least
    const jobs = [wait, cpu({ id: 'large', submit: 1, nice: 400, demand: { cpu: 4 } }), cpu({ id: 'small', submit: 2, demand: { cpu: 1 } }), cpu({ id: 'last', submit: 3, nice: 1000, demand: { cpu: 4 } })]
    expect(starts(jobs, { jobSize: 500 })).toEqual(['wait', 'small', 'large', 'last'])
    expect(starts(jobs.map((each) => ({ ...each, nice: -(each.nice ?? 0) })), { jobSize: 500 })).toEqual(['wait', 'last', 'large', 'small'])
  })

  it('looks at ages at the end of a period', () => {
    // at 299 s no period has ended, so nobody has an age; with periods of 10 s they are 289 s and 288 s as of 290
    const jobs = [cpu({ id: 'wait', demand: { cpu: 4 }, duration: 299 }), cpu({ id: 'b', submit: 2, priority: 1, demand: { cpu: 4 } }), cpu({ id: 'a', submit: 1, demand: { cpu: 4 } })]
    expect(starts(jobs, { age: 1e7, site: 2 })).toEqual(['wait', 'b', 'a'])
    expect(starts(jobs, { age: 1e7, site: 2, calcPeriod: 10 })).toEqual(['wait', 'a', 'b'])
  })

  it('looks at them at the end of every period, also where nothing else happens', () => {
    // 2 processors, one held until 1000; wide waits for both, with 10 + 3 at most; late has 10 + 4 by the end of the third period
    const jobs = [cpu({ id: 'held', duration: 1000 }), cpu({ id: 'wide', submit: 1, demand: { cpu: 2 }, priority: 3 }), cpu({ id: 'late', submit: 65, priority: 4, duration: 10 })]
    const { launches } = run({ policy: strict(multifactor({ age: 10, site: 1, maxAge: 110, calcPeriod: 60 })), jobs, cluster: machine(2) }).recorder
    expect(launches.map((launch) => [launch.job, launch.time])).toEqual([['held', 0], ['late', 180], ['wide', 1000]])
  })

  it('takes the mean of the fractions of processors and of nodes, with one node for tasks that may share it (set_priority_factors of Slurm)', () => {
    // 4 nodes of 4: tasks (8 of 1) is (8/16 + 1/4) / 2 = 0.375, nodes (2 tasks on nodes of their own) (2/16 + 2/4) / 2 = 0.3125, whole (2 of 4) 0.5, one (7 of 1) 0.34375
    const gang = (id: string, tasks: number, amount: number, distinctNodes = false) => ({ ...cpu({ id, submit: 1, estimate: 60 }), stages: [{ name: 'all', tasks, gang: true, demand: { cpu: amount }, duration: 10, ...(distinctNodes && { constraints: { distinctNodes } }) }] })
    const jobs = [{ ...gang('wait', 16, 1), submit: 0 }, gang('nodes', 2, 1, true), gang('one', 7, 1), gang('tasks', 8, 1), gang('whole', 2, 4)]
    const cluster = instantCluster({ nodes: [{ count: 4, resources: { cpu: 4 } }] })
    const first = (options: MultifactorOptions) => [...new Set(run({ policy: strict(multifactor(options)), jobs, cluster }).recorder.launches.map((launch) => launch.job))]
    expect(first({ jobSize: 1e6 })).toEqual(['wait', 'whole', 'tasks', 'one', 'nodes'])
    expect(first({ jobSize: 1e6, favorSmall: true })).toEqual(['wait', 'nodes', 'one', 'tasks', 'whole'])
    expect(first({ jobSize: 1e6, relativeToTime: true })).toEqual(['wait', 'nodes', 'tasks', 'whole', 'one']) // the larger one: 1/2 three times, and 7/16
  })

  it('takes processors alone for the size of a job, where there are any (sprio of Slurm 22.05.8)', () => {
    // 24 of 32 GB and 1 of 8 processors: (1/8 + 1/2) / 2, however much memory; 2 processors: (2/8 + 1/2) / 2
    const ask = (id: string, submit: number, demand: Readonly<Record<string, number>>) => ({ id, submit, stages: [{ name: 'all', tasks: 1, demand, duration: 10 }] })
    const cluster = instantCluster({ nodes: [{ count: 2, resources: { procs: 4, mem: 32 } }] })
    const jobs = [ask('all', 0, { procs: 4 }), ask('both', 0, { procs: 4 }), ask('memory', 1, { procs: 1, mem: 24 }), ask('processors', 2, { procs: 2, mem: 24 })]
    const { launches } = run({ policy: strict(multifactor({ jobSize: 1000 })), jobs, cluster }).recorder
    expect(launches.map(({ job }) => job)).toEqual(['all', 'both', 'processors', 'memory'])
  })

  it('adds the number of nodes by the weight `node` (PriorityWeightTRES=Node=5000 in sprio of Slurm 22.05.8)', () => {
    // 2 of 4 nodes against 3 of 16 processors: 2500 and 1875 with the weights 5000 and 10000
    const gang = (id: string, submit: number, tasks: number, distinctNodes: boolean) => ({ id, submit, stages: [{ name: 'all', tasks, gang: true, demand: { cpu: 1 }, duration: 10, ...(distinctNodes && { constraints: { distinctNodes } }) }] })
    const jobs = [gang('wait', 0, 16, false), gang('shared', 1, 3, false), gang('alone', 2, 2, true)]
    const first = (tres: Readonly<Record<string, number>> | string, more: MultifactorOptions = {}) =>
      [...new Set(run({ policy: strict(multifactor({ PriorityWeightTRES: tres, ...more })), jobs, cluster: instantCluster({ nodes: [{ count: 4, resources: { cpu: 4 } }] }) }).recorder.launches.map(({ job }) => job))]
    expect(first('CPU=10000')).toEqual(['wait', 'shared', 'alone']) // 1875 and 1250
    expect(first('CPU=10000,Node=5000')).toEqual(['wait', 'alone', 'shared']) // 1250 + 2500, and 1875 + 1250
    expect(first({ cpu: 1, node: 1 }, { PriorityFlags: 'NO_NORMAL_TRES' })).toEqual(['wait', 'shared', 'alone']) // both 4
    expect(first({ cpu: 1, node: 2 }, { PriorityFlags: 'NO_NORMAL_TRES' })).toEqual(['wait', 'alone', 'shared']) // 6 and 5
  })

  it('takes a size relative to the time limit', () => {
    const jobs = [wait, cpu({ id: 'long', submit: 1, demand: { cpu: 3 }, estimate: 6000 }), cpu({ id: 'short', submit: 2, estimate: 600 })]
    expect(starts(jobs, { jobSize: 1e6 })).toEqual(['wait', 'long', 'short'])
    expect(starts(jobs, { jobSize: 1e6, relativeToTime: true })).toEqual(['wait', 'short', 'long']) // 3/4/100 < 1/4/10
    expect(starts(jobs, { jobSize: 1e6, relativeToTime: true, favorSmall: true })).toEqual(['wait', 'long', 'short']) // 1 less that
    // limits are whole minutes: 61 s count as 2, so 2/4/2 = 1/4/1, and the earlier one comes first
    const seconds = [wait, cpu({ id: 'narrow', submit: 1, demand: { cpu: 1 }, estimate: 60 }), cpu({ id: 'wide', submit: 2, demand: { cpu: 2 }, estimate: 61 })]
    expect(starts(seconds, { jobSize: 1e6, relativeToTime: true })).toEqual(['wait', 'narrow', 'wide'])
  })

  it('keeps a priority that would fall where they only rise (INCR_ONLY)', () => {
    // ann's jobs have used the machine by the end of the first period, bob has used nothing; before that both had the factor 1, and hers came first
    const jobs = [cpu({ id: 'held', user: 'ann', duration: 100 }), cpu({ id: 'a', user: 'ann', submit: 1, demand: { cpu: 2 } }), cpu({ id: 'b', user: 'bob', submit: 2, demand: { cpu: 2 } })]
    const options = { fairShare: 1000, calcPeriod: 10 }
    expect(starts(jobs, options, 2)).toEqual(['held', 'b', 'a'])
    expect(starts(jobs, { ...options, PriorityFlags: 'INCR_ONLY' }, 2)).toEqual(['held', 'a', 'b'])
    expect(starts([...jobs.slice(0, 1), cpu({ id: 'a', user: 'ann', submit: 11, demand: { cpu: 2 } }), cpu({ id: 'b', user: 'bob', submit: 12, demand: { cpu: 2 } })], { ...options, onlyUp: true, accounts: { root: { users: { ann: 1, bob: 1 } } } }, 2)).toEqual(['held', 'b', 'a'])
  })

  it('takes priorities and amounts as they are, if asked to (NO_NORMAL_PART, NO_NORMAL_QOS and NO_NORMAL_TRES of Slurm)', () => {
    // 6 of 30 is 0.2, and 1 of 4 is 0.25: less than the 1 of the job's own priority, and as they are more
    const jobs = (change: object) => [wait, cpu({ id: 'own', submit: 1, priority: 1, queue: 'none', demand: { cpu: 1 } }), cpu({ id: 'raw', submit: 2, queue: 'a', qos: 'high', demand: { cpu: 3 }, ...change })]
    const [partitions, qosPriorities] = [{ a: 6, b: 30, none: 0 }, { high: 6, higher: 30 }]
    expect(starts(jobs({}), { site: 1, partition: 1, partitions })).toEqual(['wait', 'own', 'raw'])
    expect(starts(jobs({}), { site: 1, partition: 1, partitions, raw: ['partition'] })).toEqual(['wait', 'raw', 'own'])
    expect(starts(jobs({}), { site: 1, qos: 1, qosPriorities })).toEqual(['wait', 'own', 'raw'])
    expect(starts(jobs({}), { site: 1, PriorityWeightQOS: 1, qosPriorities, PriorityFlags: 'NO_NORMAL_QOS' })).toEqual(['wait', 'raw', 'own'])
    expect(starts(jobs({}), { site: 1, tres: { cpu: 1 } })).toEqual(['wait', 'own', 'raw']) // 1 + 1/4, rounded down, and 3/4, at least 1
    expect(starts(jobs({}), { site: 1, tres: { cpu: 1 }, PriorityFlags: 'no_normal_all' })).toEqual(['wait', 'raw', 'own']) // 2 and 3
  })

  it("reads Slurm's names, times and flags", () => {
    const jobs = [wait, cpu({ id: 'small', submit: 1 }), cpu({ id: 'large', submit: 320, demand: { cpu: 3 } })]
    expect(starts(jobs, { PriorityWeightJobSize: 1000, PriorityFavorSmall: 'YES' })).toEqual(['wait', 'small', 'large'])
    expect(starts(jobs, { PriorityWeightJobSize: 1000, PriorityWeightAge: 1600, PriorityMaxAge: '16:40' })).toEqual(['wait', 'small', 'large'])
    expect(starts(jobs, { PriorityWeightJobSize: 1000, PriorityWeightAge: 1600, PriorityMaxAge: '7-0' })).toEqual(['wait', 'large', 'small'])
    expect(() => starts(jobs, { PriorityMaxAge: 'soon' })).toThrow('the time "soon" is not one that Slurm reads')
    expect(() => starts(jobs, { PriorityFlags: 'DEPTH_OBLIVIOS' })).toThrow('DEPTH_OBLIVIOS, which is not modelled. Did you mean "DEPTH_OBLIVIOUS"?')
    expect(() => starts(jobs, { age: 1, PriorityWeightAge: 2 })).toThrow("age is given under its own name and Slurm's")
  })

  it('decides as a reference that computes every priority at every decision', { tags: 'long' }, () => {
    let launches = 0
    const weight = fc.constantFrom(0, 1, 7, 1000)
    const weights: fc.Arbitrary<Weights> = fc.record({
      age: weight, fairShare: weight, jobSize: weight, partition: weight, site: fc.constantFrom(0, 3), maxAge: fc.constantFrom(16, 1000), favorSmall: fc.boolean(),
      partitions: fc.dictionary(fc.constantFrom('a', 'b', 'ann'), fc.integer({ min: 0, max: 5 })),
    })
    fc.assert(
      fc.property(worlds({ heartbeats: false, jobs: 12 }), weights, fc.constantFrom(1, 4, 16), (world, given, period) => {
        const shipped = record(world, greedy(multifactor({ ...given, ...declared, algorithm: 'classic', halfLife: period, calcPeriod: period, billing: each(world, 1) }), firstNode()))
        launches += shipped.launches.length
        expect(firstDifference(shipped, record(world, naiveGreedy(naiveMultifactor(rootShares, usersOf, period, given))), 'the reference')).toBeUndefined()
      }),
      { seed: 33, numRuns: 25 },
    )
    expect(launches).toBeGreaterThan(200)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const make = () => greedy(multifactor({ age: 1000, fairShare: 2000, jobSize: 500, maxAge: 100, calcPeriod: 7, PriorityFlags: 'NO_FAIR_TREE' }), firstNode())
    expect(checkPolicyLaws(make, { runs: 12 }).launches).toBeGreaterThan(100)
  })
})

describe('chargeEnds', () => {
  // Slurm 22.05.8 with PriorityCalcPeriod=1: ann has used 43 and bob 86 processor seconds when their jobs have ended. With AccountingStorageEnforce=limits that is
  // their RawUsage at once; with associations alone it stays 0 after the end of the period, and both have the factor 1
  const jobs = [
    cpu({ id: 'b0', user: 'bob', submit: 0, demand: { cpu: 8 }, duration: 11 }), cpu({ id: 'a0', user: 'ann', submit: 0, demand: { cpu: 4 }, duration: 11 }),
    cpu({ id: 'all', user: 'root', submit: 20, demand: { cpu: 16 }, duration: 100 }),
    cpu({ id: 'b1', user: 'bob', submit: 24, demand: { cpu: 16 }, duration: 1 }), cpu({ id: 'a1', user: 'ann', submit: 25, demand: { cpu: 16 }, duration: 1 }),
  ]
  const last = (options: FairShareOptions, all = jobs) => order(all, by({ calcPeriod: 60, ...options }), 16).slice(-2)

  it('says whether jobs are charged for the period in which they end, as Slurm does only where limits are enforced', () => {
    expect(last({})).toEqual(['a1', 'b1'])
    expect(last({ chargeEnds: false })).toEqual(['b1', 'a1'])
  })

  it('leaves the periods before that as they are', () => {
    expect(last({ chargeEnds: false, calcPeriod: 10 })).toEqual(['a1', 'b1']) // 10 of the 11 s
  })
})

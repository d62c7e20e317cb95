import { kueue, type KueueOptions } from '@sched/policies'
import { checkPolicyLaws, job, prepare, serial, worlds, type LawOptions, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Snapshot, type Admitted, type Place } from '../reference/kueue-preemption.js'
import { world } from './world.js'

const preemption = { withinClusterQueue: 'LowerOrNewerEqualPriority', reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } } as const
/** Queues of a world in a tree of cohorts, in the world's order, with settings that depend on the name alone. */
const tree = (queues: readonly string[], options: Pick<KueueOptions, 'fairSharing'>, strict = false): KueueOptions => ({
  ...options,
  cohorts: { left: { parent: 'root' }, root: {} },
  queues: Object.fromEntries(
    queues.map((name) => [
      name,
      { cohort: name < 'b' ? 'left' : 'root', weight: name === 'a' ? 2 : 1, preemption, queueingStrategy: strict && name > 'a' ? ('StrictFIFO' as const) : ('BestEffortFIFO' as const) },
    ]),
  ),
})

describe('the laws of policies', () => {
  const cases: Readonly<Record<string, [(queues: readonly string[]) => KueueOptions, LawOptions]>> = {
    'one quota of all for every queue': [() => ({}), {}],
    'queues that preempt each other': [(queues) => tree(queues, {}, true), {}],
    'fair sharing': [(queues) => tree(queues, { fairSharing: true }), { worlds: { heartbeats: true } }],
    'fair sharing with queues that are strict': [(queues) => tree(queues, { fairSharing: true }, true), {}],
  }
  it.each(Object.entries(cases))('hold for %s', { tags: 'long' }, (_, [options, law]) => {
    const { launches } = checkPolicyLaws(({ queues }) => kueue(options(queues)), { runs: 20, ...law })
    expect(launches).toBeGreaterThan(200)
  })
})

/** Most of each resource that each queue, and all of them, had at a time. */
function most(world: World, options: KueueOptions): { readonly evictions: number; readonly byQueue: ReadonlyMap<string, number>; readonly all: ReadonlyMap<string, number> } {
  const { recorder, simulation } = prepare({ policy: kueue(options), cluster: world.cluster, jobs: world.jobs, seed: world.seed, runtime: world.runtime, infeasible: 'reject', architecture: serial() })
  simulation.run(3000) // preemption of newer workloads of the same priority may go on for ever
  const held = new Map<string, number>()
  const byQueue = new Map<string, number>()
  const all = new Map<string, number>()
  const note = (key: string, change: number, into: Map<string, number>): void => {
    const now = (held.get(key) ?? 0) + change
    held.set(key, now)
    into.set(key, Math.max(into.get(key) ?? 0, now))
  }
  // what ends at an instant is told before what starts then
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const { queue = '', user = '', stages } = world.jobs.find(({ id }) => id === event.job) as World['jobs'][number]
    for (const [resource, amount] of Object.entries(stages[event.stage]?.demand ?? {})) {
      const change = event.kind === 'launch' ? amount : -amount
      note(`${queue || user || 'default'} ${resource}`, change, byQueue)
      note(resource, change, all)
    }
  }
  return { evictions: recorder.evictions.length, byQueue, all }
}

describe('quotas', () => {
  it('are kept on any small world, by each queue and by its cohort', { tags: 'long' }, () => {
    let evictions = 0
    const quota = fc.record({ nominal: fc.integer({ min: 1, max: 6 }), borrowing: fc.integer({ min: 0, max: 4 }) })
    fc.assert(
      fc.property(worlds({ jobs: 10 }), quota, fc.boolean(), (world, { nominal, borrowing }, fairSharing) => {
        const names = [...new Set(world.jobs.map(({ queue, user }) => queue ?? user ?? 'default'))]
        const resources = [...new Set(world.jobs.flatMap(({ stages }) => stages.flatMap(({ demand }) => Object.keys(demand))))]
        const every = (amount: number) => Object.fromEntries(resources.map((name) => [name, amount]))
        const queue = { cohort: 'all', nominalQuota: every(nominal), borrowingLimit: every(borrowing), preemption: { ...preemption, withinClusterQueue: 'LowerPriority' as const } }
        const found = most(world, { fairSharing, queues: Object.fromEntries(names.map((name) => [name, queue])) })
        evictions += found.evictions
        expect([...found.byQueue].filter(([, amount]) => amount > nominal + borrowing)).toEqual([])
        expect([...found.all].filter(([, amount]) => amount > nominal * names.length)).toEqual([])
      }),
      { seed: 7, numRuns: 60 },
    )
    expect(evictions).toBeGreaterThan(20)
  })
})

describe('preemption', () => {
  const load = fc.record({ queue: fc.constantFrom('a', 'b', 'c'), cpu: fc.integer({ min: 1, max: 9 }), priority: fc.integer({ min: 0, max: 2 }) })
  const within = fc.constantFrom('Never' as const, 'LowerPriority' as const, 'LowerOrNewerEqualPriority' as const)
  const options = fc.record({ fairSharing: fc.boolean(), nominal: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 }), within, weight: fc.integer({ min: 1, max: 3 }), pool: fc.integer({ min: 0, max: 9 }) })

  it('comes to rest at every time, whatever comes', { tags: 'long' }, () => {
    let most = 0
    fc.assert(
      fc.property(options, fc.array(load, { minLength: 4, maxLength: 14 }), ({ fairSharing, nominal, within: withinClusterQueue, weight, pool }, loads) => {
        const queue = (i: number) => ({ cohort: 'all', nominalQuota: { cpu: nominal[i] as number }, weight: i === 0 ? weight : 1, preemption: { withinClusterQueue, reclaimWithinCohort: 'Any' as const, borrowWithinCohort: { policy: 'LowerPriority' as const } } })
        const { submit, passes } = world({ fairSharing, queues: { a: queue(0), b: queue(1), c: queue(2), pool: { cohort: 'all', nominalQuota: { cpu: pool } } } })
        const total = pool + nominal.reduce((sum, each) => sum + each, 0)
        for (const [i, { queue: name, cpu, priority }] of loads.entries()) {
          if (cpu > total) continue
          submit(job({ id: `${name}_${i}`, queue: name, priority, demand: { cpu } }))
          most = Math.max(most, passes())
        }
      }),
      { seed: 21, numRuns: 150 },
    )
    expect(most).toBeGreaterThan(1)
  })

  it('leaves nobody waiting for whom there is room, whatever comes and ends', { tags: 'long' }, () => {
    const step = fc.record({ ends: fc.boolean(), which: fc.nat(), load })
    const limits = fc.record({ borrowing: fc.constantFrom(undefined, 0, 2), lending: fc.constantFrom(undefined, 0, 2), isStrict: fc.boolean() })
    let waited = 0
    let killed = 0
    fc.assert(
      fc.property(options, fc.array(limits, { minLength: 3, maxLength: 3 }), fc.array(step, { minLength: 10, maxLength: 30 }), ({ fairSharing, nominal, within: withinClusterQueue, pool }, ofQueues, steps) => {
        const all: Place = { name: 'all', nominal: [pool], borrowing: [Infinity], lending: [Infinity], weight: 1, parent: undefined }
        const places = ofQueues.map(({ borrowing, lending }, i): Place => ({ name: 'abc'.charAt(i), nominal: [nominal[i] as number], borrowing: [borrowing ?? Infinity], lending: [lending ?? Infinity], weight: 1, parent: all }))
        const queues = ofQueues.map(({ borrowing, lending, isStrict }, i) => [
          'abc'.charAt(i),
          {
            ...{ cohort: 'all', nominalQuota: { cpu: nominal[i] as number }, queueingStrategy: isStrict ? ('StrictFIFO' as const) : ('BestEffortFIFO' as const) },
            ...(borrowing !== undefined && { borrowingLimit: { cpu: borrowing } }),
            ...(lending !== undefined && { lendingLimit: { cpu: lending } }),
            preemption: { withinClusterQueue, reclaimWithinCohort: 'Any' as const, borrowWithinCohort: { policy: 'LowerPriority' as const } },
          },
        ])
        const { submit, end, passes, running } = world({ fairSharing, cohorts: { all: { nominalQuota: { cpu: pool } } }, queues: Object.fromEntries(queues) })
        const empty = new Snapshot([all, ...places], [])
        const inSystem = new Map<string, Admitted>()
        for (const [i, { ends, which, load: { queue, cpu, priority } }] of steps.entries()) {
          const now = running()
          const place = places['abc'.indexOf(queue)] as Place
          const id = `${queue}_${i}`
          if (ends && now.length > 0) {
            const gone = now[which % now.length] as string
            inSystem.delete(gone)
            killed += end(gone).killed.length
          } else if (cpu <= empty.potential(place, 0)) {
            inSystem.set(id, { id: i, admission: i, queue: place, priority, submitted: i, asks: [cpu] })
            killed += submit(job({ id, queue, priority, demand: { cpu } })).killed.length
          }
          passes()
          const isRunning = new Set(running())
          const snapshot = new Snapshot([all, ...places], [...inSystem].flatMap(([name, each]) => (isRunning.has(name) ? [each] : [])))
          const waiting = [...inSystem].filter(([name]) => !isRunning.has(name)).sort(([, a], [, b]) => b.priority - a.priority || a.submitted - b.submitted)
          const lookedAt = waiting.filter(([, { queue: of }], at) => ofQueues[places.indexOf(of)]?.isStrict !== true || waiting.findIndex(([, other]) => other.queue === of) === at)
          waited += waiting.length
          expect([i, lookedAt.filter(([, { queue: of, asks }]) => (asks[0] as number) <= snapshot.available(of, 0)).map(([name]) => name)]).toEqual([i, []])
        }
      }),
      { seed: 31, numRuns: 150 },
    )
    expect(Math.min(waited, killed)).toBeGreaterThan(50)
  })
})

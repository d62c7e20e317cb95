import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterView, JobSpec } from '@sched/core'
import { rankedBy } from '../src/allocator-order.js'
import type { Framework } from '../src/framework.js'
import { allocatorOrders, twoLevel, type Share, type TwoLevelOptions } from '../src/index.js'
import { Roles } from '../src/roles.js'
import { cpuJob, cpus, play } from './world.js'

// Cases of Mesos' own tests (SorterTest, HierarchicalAllocatorTest), in numbers of ours.

const none = { job: 0, task: 0 }
const now = { decision: none, batch: 1, offerTime: 0 }
/** Nodes with these resources, one of each. */
const nodes = (...resources: readonly Readonly<Record<string, number>>[]) => ({ nodes: resources.map((each) => ({ count: 1, resources: each })) })
/** `job@node xTasks` of all starts until a time, in order of first start. */
const starts = (options: TwoLevelOptions, jobs: readonly JobSpec[], cluster: ReturnType<typeof nodes>, until = 50) => {
  const { recorder } = play(twoLevel({ ...now, ...options }), jobs, { cluster, until })
  const count = new Map<string, number>()
  for (const { job, node } of recorder.launches) {
    const place = `${job}@${/\d+/.exec(node)?.[0]}`
    count.set(place, (count.get(place) ?? 0) + 1)
  }
  return [...count].map(([place, tasks]) => `${place} x${tasks}`)
}
const endless = (id: string, of: string, change: Partial<JobSpec> & { readonly demand?: Readonly<Record<string, number>>; readonly tasks?: number; readonly gang?: boolean } = {}) =>
  cpuJob(id, { class: of, duration: 1000, ...change })

describe('dominant shares of frameworks', () => {
  const ranked = (total: Readonly<Record<string, number>>, held: Readonly<Record<string, readonly [cpu: number, mem: number, weight?: number]>>) => {
    const cluster = { resources: ['cpu', 'mem'], capacity: (r: number) => Object.values(total)[r] } as unknown as ClusterView
    const shares = Object.entries(held).map(([name, [cpu, mem, weight = 1]]): Share => ({ name, weight, held: [cpu, mem], tasks: 1, offers: 0, served: 0 }))
    return shares.sort((a, b) => allocatorOrders.drf(a, b, cluster)).map(({ name }) => name).join(' ')
  }

  it('are of what there is now, as in SorterTest.DRFSorter and UpdateTotal', () => {
    expect(ranked({ cpu: 100, mem: 100 }, { a: [5, 5], b: [6, 6], c: [1, 1], d: [3, 1] })).toBe('c d a b')
    expect(ranked({ cpu: 50, mem: 100 }, { b: [2, 2], c: [1, 1], d: [3, 1], e: [1, 5] })).toBe('c b e d')
    expect(ranked({ cpu: 50, mem: 200 }, { b: [2, 2], c: [1, 16], d: [3, 1], e: [1, 5], f: [5, 1] })).toBe('e b d c f')
    expect(ranked({ cpu: 10, mem: 100 }, { a: [2, 1], b: [1, 2] })).toBe('b a')
    expect(ranked({ cpu: 100, mem: 10 }, { a: [2, 1], b: [1, 2] })).toBe('a b')
  })
  it('are divided by weight, as in SorterTest.WDRFSorter', () => {
    const others = { a: [5, 5], c: [4, 4], e: [1, 1, 0.1] } as const
    expect(ranked({ cpu: 100, mem: 100 }, { ...others, b: [6, 6, 2], d: [10, 20, 10] })).toBe('d b c a e')
    expect(ranked({ cpu: 100, mem: 100 }, { ...others, d: [20, 45, 10] })).toBe('c d a e')
  })
})

describe('a tree of roles', () => {
  /** Frameworks named by their roles, `a/b`, with what they hold of 100 CPUs and 100 GB. */
  const order = (held: Readonly<Record<string, readonly [cpu: number, mem: number]>>, weights: Readonly<Record<string, number>> = {}) => {
    const frameworks = Object.entries(held).map(([role, amounts], id) => ({ name: role, role, weight: 1, scheduler: { id }, held: amounts, tasks: 1, isWaiting: true, hasWork: true, onOffer: () => [0, 0] }) as unknown as Framework)
    const cluster = { resources: ['cpu', 'mem'], capacity: () => 100 } as unknown as ClusterView
    const roles = new Roles(frameworks, 2, (path) => weights[path] ?? 1, rankedBy(allocatorOrders.drf, cluster, 'offers'))
    roles.count(true)
    return roles.waiting().map(({ name }) => name).join(' ')
  }

  it('is gone through from the outermost level (SorterTest.HierarchicalAllocation)', () => {
    const held = { a: [6, 6], 'b/c': [5, 5], 'b/d': [3, 3] } as const
    expect(order(held)).toBe('a b/d b/c') // 6 against 8, then 3 against 5
    expect(order({ ...held, 'e/f': [4, 4] })).toBe('e/f a b/d b/c')
    expect(order({ ...held, 'b/d': [0, 0] })).toBe('b/d b/c a')
    expect(order({ ...held, 'b/c': [5, 1], 'b/d': [1, 6] })).toBe('a b/c b/d') // b has 6 and 7
  })
  it('has weights at every level (SorterTest.ChangeWeightOnSubtree)', () => {
    expect(order({ 'a/x': [8, 8], 'b/y': [8, 8] }, { a: 2, b: 3 })).toBe('b/y a/x') // 8/2 against 8/3
    expect(order({ 'a/x': [8, 8], 'b/y': [8, 8], 'b/z': [3, 3] }, { a: 2, b: 3 })).toBe('b/z b/y a/x') // 11/3
    expect(order({ 'a/x': [8, 8], 'b/y': [8, 8], 'b/z': [3, 3], b: [2, 2] }, { a: 2, b: 3 })).toBe('a/x b b/z b/y') // 13/3
    expect(order({ a: [6, 6], 'b/c': [5, 5], 'b/d': [3, 3] }, { 'b/c': 2 })).toBe('a b/c b/d')
  })
  it('has those of an inner role beside the roles inside it, with a weight of 1 (SorterTest.AddChildToLeaf, AddChildToInternal)', () => {
    const held = { a: [9, 9], b: [7, 7], 'a/c': [4, 4] } as const
    expect(order(held)).toBe('b a/c a') // 7 against 13; 4 against 9
    expect(order({ 'a/c': [4, 4], b: [7, 7] })).toBe('a/c b')
    expect(order(held, { 'a/c': 0.2 })).toBe('b a a/c') // 9 against 4/0.2
    expect(order(held, { 'a/c': 0.2, a: 3 })).toBe('a a/c b') // 13/3 against 7
    expect(order({ 'x/a': [9, 9], 'x/b': [5, 5], x: [6, 6], z: [21, 21] })).toBe('x/b x x/a z')
    expect(order({ 'x/a': [9, 9], 'x/b': [5, 5], x: [6, 6], z: [19, 19] })).toBe('z x/b x x/a')
  })
})

describe('offers by node', () => {
  const two = { a: {}, b: {} }
  it('give each of two frameworks a node, where one offer of all gives the first both (CoarseGrained)', () => {
    const jobs = [endless('a', 'a', { tasks: 4 }), endless('b', 'b', { tasks: 4 })]
    expect(starts({ frameworks: two, offers: 'by-node' }, jobs, nodes({ cpu: 2 }, { cpu: 2 }))).toEqual(['a@0 x2', 'b@1 x2'])
    expect(starts({ frameworks: two }, jobs, nodes({ cpu: 2 }, { cpu: 2 }))).toEqual(['a@0 x2', 'a@1 x2'])
  })

  it('take turns where shares are equal, though one name comes before the other (SameShareFairness)', () => {
    const jobs = [cpuJob('a', { class: 'a', tasks: 10, demand: { cpu: 2 }, duration: 1 }), cpuJob('b', { class: 'b', tasks: 10, demand: { cpu: 2 }, duration: 1 })]
    const { recorder } = play(twoLevel({ ...now, frameworks: two, offers: 'by-node' }), jobs, { cluster: cpus(1, 2) })
    expect(recorder.launches.slice(0, 10).map(({ job }) => job).join('')).toBe('ababababab')
  })

  it('go by roles first and by the frameworks in them then (DRF)', () => {
    // nodes come into play as their first tasks end: 2 CPUs at 10 s, 1 at 20, 3 at 30, 4 at 40
    const cluster = nodes({ cpu: 2, mem: 1024 }, { cpu: 1, mem: 512 }, { cpu: 3, mem: 2048 }, { cpu: 4, mem: 4096 })
    const first = [2, 1, 3, 4].map((cpu, i) => cpuJob(`first${i}`, { class: 'first', demand: { cpu, mem: [1024, 512, 2048, 4096][i] as number }, duration: 9 + 10 * i }))
    const want = (id: string, of: string, submit: number) => endless(id, of, { submit, tasks: 10, demand: { cpu: 1, mem: 512 } })
    const frameworks = { first: { role: 'a' }, one: { role: 'role1' }, two: { role: 'role2' }, three: { role: 'role1' } }
    // role1 has 2/10 of the CPUs when node 1 comes; role2 has 1/10, and 4/10 with node 2; one has 2/10 of role1's, three nothing
    const jobs = [...first, want('one', 'one', 5), want('two', 'two', 15), want('three', 'three', 35)]
    expect(starts({ frameworks, offers: 'by-node' }, jobs, cluster, 49).filter((start) => !start.startsWith('first'))).toEqual(['one@0 x2', 'two@1 x1', 'two@2 x3', 'three@3 x4'])
  })

  it('weigh roles (WeightsUpdate): 2 of 3 nodes go to the role that weighs twice as much', () => {
    const jobs = [endless('a', 'a', { tasks: 12 }), endless('b', 'b', { tasks: 12 })]
    const options: TwoLevelOptions = { frameworks: { a: { role: 'a' }, b: { role: 'b' } }, roles: { b: { weight: 2 } }, offers: 'by-node' }
    expect(starts(options, jobs, nodes(...Array.from({ length: 6 }, () => ({ cpu: 2 })))).map((start) => start[0]).sort().join('')).toBe('aabbbb')
  })

  it('weigh three roles (SorterTest.WDRFSorter in an allocator): 1, 2 and 4 of 7 nodes', () => {
    const frameworks = { a: { role: 'a' }, b: { role: 'b' }, c: { role: 'c' } }
    const jobs = Object.keys(frameworks).map((name) => endless(name, name, { tasks: 12 }))
    const got = starts({ frameworks, roles: { b: { weight: 2 }, c: { weight: 4 } }, offers: 'by-node' }, jobs, nodes(...Array.from({ length: 7 }, () => ({ cpu: 2 }))))
    expect(got.map((start) => start[0]).sort().join('')).toBe('abbcccc')
  })

  it('divide a role between the roles inside and the frameworks of its own (NestedRoleDRF)', () => {
    // a holds a/x and two frameworks of its own: of 12 nodes b has 6, a/x 3, and those two 3 together
    const frameworks = { own1: { role: 'a' }, own2: { role: 'a' }, inside: { role: 'a/x' }, other: { role: 'b' } }
    const jobs = Object.keys(frameworks).map((name) => endless(name, name, { tasks: 30 }))
    const got = starts({ frameworks, offers: 'by-node' }, jobs, nodes(...Array.from({ length: 12 }, () => ({ cpu: 2 })))).map((start) => start.split('@')[0])
    const count = (...names: readonly string[]) => got.filter((name) => names.includes(name as string)).length
    expect([count('other'), count('inside'), count('own1', 'own2')]).toEqual([6, 3, 3])
    expect(Math.abs(count('own1') - count('own2'))).toBe(1)
  })

  it('leave resources out of shares that are not counted', () => {
    // a holds all GPUs and b 2 of 6 CPUs; GPUs left out, a has less
    const jobs = [endless('a0', 'a', { demand: { cpu: 1, gpu: 4 } }), endless('b0', 'b', { tasks: 2 }), endless('a1', 'a', { submit: 5 }), endless('b1', 'b', { submit: 5 })]
    const first = (uncounted: readonly string[]) =>
      starts({ frameworks: two, offers: 'by-node', uncounted: [...uncounted] }, jobs, nodes({ cpu: 1, gpu: 4 }, { cpu: 2, gpu: 0 }, { cpu: 1, gpu: 0 }, { cpu: 2, gpu: 0 })).find((start) => start.includes('1@'))
    expect(first([])).toBe('b1@2 x1')
    expect(first(['gpu'])).toBe('a1@2 x1')
  })

  it('keep nodes with GPUs for frameworks that want them', () => {
    const jobs = [endless('a', 'a', { tasks: 3 }), endless('b', 'b', { tasks: 3 })]
    const options: TwoLevelOptions = { frameworks: { a: {}, b: { wants: ['gpu'] } }, keep: ['gpu'], offers: 'by-node' }
    expect(starts(options, jobs, nodes({ cpu: 2, gpu: 1 }, { cpu: 2, gpu: 0 })).sort()).toEqual(['a@1 x2', 'b@0 x2'])
  })

  it('refuse a job whose framework is never offered a node with room for it', () => {
    const options: TwoLevelOptions = { frameworks: { a: {}, b: { wants: ['gpu'] } }, keep: ['gpu'], offers: 'by-node' }
    const cluster = nodes({ cpu: 4, gpu: 1 }, { cpu: 1, gpu: 0 }, { cpu: 1, gpu: 0 })
    const fact = (job: JobSpec) => () => starts(options, [job], cluster)
    expect(fact(endless('big', 'a', { demand: { cpu: 2 } }))).toThrow('job big asks {"cpu":2}, and framework "a" is offered no nodes with gpu: the others have no room for that. Let it want gpu, or leave that out of `keep`.')
    expect(fact(endless('gang', 'a', { tasks: 3, gang: true }))).toThrow('job gang asks')
    expect(starts(options, [endless('big', 'b', { demand: { cpu: 2 } }), endless('two', 'a', { tasks: 2 })], cluster).sort()).toEqual(['big@0 x1', 'two@1 x1', 'two@2 x1'])
  })

  it('have at least one of the least amounts on every node', () => {
    // node 0 has 1 CPU and no memory left, node 1 half a CPU and 64
    const jobs = [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })]
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 8, mem: 64 })
    expect(starts({ frameworks: two, minimumPerNode: [{ mem: 32 }] }, jobs, cluster)).toEqual(['a@1 x1'])
    expect(starts({ frameworks: two, minimumPerNode: [{ mem: 32 }, { cpu: 2 }] }, jobs, cluster)).toEqual(['a@0 x1'])
  })

  it('have what a framework says itself, which may be nothing (FrameworkMinAllocatable, FrameworkEmptyMinAllocatable)', () => {
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 8, mem: 64 })
    const first = (own: NonNullable<TwoLevelOptions['minimumPerNode']> | undefined, offers: 'all' | 'by-node') =>
      starts({ frameworks: { a: own === undefined ? {} : { minimumPerNode: own } }, offers, minimumPerNode: [{ mem: 32 }] }, [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })], cluster)
    for (const offers of ['all', 'by-node'] as const) expect([first(undefined, offers), first([], offers), first([{ cpu: 4 }], offers), first([{ cpu: 8 }], offers)]).toEqual([['a@1 x1'], ['a@0 x1'], ['a@0 x1'], ['a@1 x1']])
    expect(() => first([{ mem: 100 }], 'all')).toThrow('smaller than `minimumPerNode`')
    expect(() => first([{ disk: 1 }], 'all')).toThrow('frameworks.minimumPerNode[0]')
  })

  it('refuses a job that only smaller nodes could hold: it would wait for ever', () => {
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 2, mem: 64 })
    const refused = (least: number) => () => starts({ frameworks: two, minimumPerNode: [{ mem: least }] }, [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })], cluster)
    expect(refused(16)).not.toThrow()
    expect(refused(32)).toThrow('job a asks {"cpu":4}, and framework "a" is offered no nodes smaller than `minimumPerNode`: the others have no room for that. Lower that.')
    expect(refused(100)).toThrow('smaller than `minimumPerNode`')
  })
})

describe('declined', () => {
  const ask = (refuseSeconds: number, jobs: readonly JobSpec[], cluster: ReturnType<typeof nodes>, options: TwoLevelOptions = {}) =>
    play(twoLevel({ ...now, frameworks: 1, refuseSeconds, ...options }), jobs, { cluster, until: 60 }).recorder.launches.map(({ job, time }) => `${job} ${time}`)

  it('a node comes back when time is over (OfferFilter)', () => {
    // the first uses half of the node at 1 s; the rest counts as declined until 11
    expect(ask(10, [cpuJob('a', { duration: 100 }), cpuJob('b', { submit: 2 })], nodes({ cpu: 2 }))).toEqual(['a 1', 'b 12'])
  })
  it('a node comes back sooner if it has more by then', () => {
    expect(ask(10, [cpuJob('a', { duration: 4 }), cpuJob('b', { submit: 2 })], nodes({ cpu: 2 }))).toEqual(['a 1', 'b 5'])
  })
  it('for less time than that between offers, it goes to another first (SmallOfferFilterTimeout)', () => {
    // big holds 3 of 4 and small nothing, so small is first at 2.5, and declines 1 CPU; at 3.5 big has it, though 0.1 s are over
    const jobs = [cpuJob('b0', { class: 'big', tasks: 3, duration: 100 }), cpuJob('s0', { class: 'small', submit: 1.5, demand: { cpu: 2 }, duration: 100 }), cpuJob('b1', { class: 'big', submit: 2, duration: 100 }), cpuJob('s1', { class: 'small', submit: 3, duration: 100 })]
    const first = (refuseSeconds: number) => ask(refuseSeconds, jobs, nodes({ cpu: 2 }, { cpu: 2 }), { frameworks: { big: {}, small: {} } })[3]
    expect(first(0)).toMatch(/^s1/)
    expect(first(0.1)).toMatch(/^b1/)
  })
})

describe('quota', () => {
  const in2 = { a: { role: 'a' }, b: { role: 'b' } }
  const both = [endless('a', 'a', { tasks: 20 }), endless('b', 'b', { tasks: 20 })]
  const of = (name: string, got: readonly string[]) => got.filter((start) => start.startsWith(name)).reduce((sum, start) => sum + Number(start.split('x')[1]), 0)

  it('gives a role its guarantee before others have anything (QuotaAgainstStarvation, DRFWithQuota)', () => {
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { b: { guarantee: { cpu: 6 } } } }, both, nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 }))))
    expect([of('a', got), of('b', got)]).toEqual([2, 6])
  })
  it('keeps a guarantee free for a role that nobody is in yet (QuotaAbsentFramework)', () => {
    const cluster = nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 })))
    expect(of('a', starts({ frameworks: in2, offers: 'by-node', roles: { c: { guarantee: { cpu: 3 } } } }, both.slice(0, 1), cluster))).toBe(5)
    const late = [endless('a', 'a', { tasks: 20 }), endless('b', 'b', { submit: 10, tasks: 20 })]
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { b: { guarantee: { cpu: 3 } } } }, late, cluster)
    expect([of('a', got), of('b', got)]).toEqual([5, 3])
  })
  it('keeps the guarantees of several roles that nobody is in (MultiQuotaAbsentFrameworks)', () => {
    // c and d are kept 2 CPUs each of 5: one is left
    const roles = { c: { guarantee: { cpu: 2 } }, d: { guarantee: { cpu: 2 } } }
    expect(starts({ frameworks: in2, offers: 'by-node', roles }, both.slice(0, 1), nodes({ cpu: 2 }, { cpu: 3 }))).toEqual(['a@0 x1'])
  })
  it('offers a part of a node where a limit is near (QuotaAllocationGranularity)', () => {
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { a: { limit: { cpu: 3 } } } }, both, nodes({ cpu: 8 }))
    expect([of('a', got), of('b', got)]).toEqual([3, 5])
  })
  it('counts what all frameworks of the role have (MultipleFrameworksInRoleWithQuota)', () => {
    const got = starts({ frameworks: { a: { role: 'a' }, b: { role: 'a/x' } }, offers: 'by-node', roles: { a: { limit: { cpu: 5 } } } }, both, nodes({ cpu: 4 }, { cpu: 4 }))
    expect(of('a', got) + of('b', got)).toBe(5)
  })
  it('gives what a role lacks of its guarantee to it, though another has less (MultiQuotaWithFrameworks)', () => {
    // both guarantees are limits, too: a has 1 task, b 2, and c what is left of 4 CPUs
    const frameworks = { a: { role: 'a' }, b: { role: 'b' }, c: { role: 'c' } }
    const roles = { a: { guarantee: { cpu: 1, mem: 200 }, limit: { cpu: 1, mem: 200 } }, b: { guarantee: { cpu: 2, mem: 2000 }, limit: { cpu: 2, mem: 2000 } } }
    const jobs = [endless('a', 'a', { tasks: 9, demand: { cpu: 1, mem: 200 } }), endless('b', 'b', { tasks: 9, demand: { cpu: 1, mem: 1000 } }), endless('c', 'c', { tasks: 9, demand: { cpu: 1, mem: 100 } })]
    const got = starts({ frameworks, offers: 'by-node', roles }, jobs, nodes({ cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }, { cpu: 2, mem: 2048 }))
    expect(['a', 'b', 'c'].map((name) => of(name, got))).toEqual([1, 2, 1])
  })
  it('has no limit of what it does not name, but for what others are guaranteed (QuotaRoleAllocateNonQuotaResource)', () => {
    const run = (mem: number) => {
      const roles = { a: { guarantee: { cpu: 2 }, limit: { cpu: 2 } }, c: { guarantee: { mem } } }
      const jobs = [endless('both', 'a', { tasks: 3, demand: { cpu: 1, mem: 1024 } }), endless('memory', 'a', { submit: 5, demand: { cpu: 0, mem: 512 } })]
      const got = starts({ frameworks: in2, offers: 'by-node', roles }, jobs, nodes({ cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }))
      return [of('both', got), of('memory', got)]
    }
    expect(run(512)).toEqual([2, 1])
    expect(run(1024)).toEqual([2, 0])
  })
  it('leaves what is over to who has less, not to a role at its limit (DRFWithQuota)', () => {
    // a has 1 of 8 CPUs, its quota, and b 3 when the second node comes
    const roles = { a: { guarantee: { cpu: 1 }, limit: { cpu: 1 } } }
    expect(starts({ frameworks: in2, offers: 'by-node', roles }, both, nodes({ cpu: 4 }, { cpu: 4 })).sort()).toEqual(['a@0 x1', 'b@0 x3', 'b@1 x4'])
  })
  it('holds in any small world: no role is ever above its limit, nor others in what is guaranteed, and all jobs end', () => {
    const demand = fc.record({ cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 0, max: 4 }) })
    const jobs = fc.array(fc.record({ demand, tasks: fc.integer({ min: 1, max: 6 }), duration: fc.integer({ min: 1, max: 20 }), submit: fc.integer({ min: 0, max: 40 }) }), { maxLength: 8 })
    const node = fc.record({ cpu: fc.integer({ min: 3, max: 6 }), mem: fc.integer({ min: 4, max: 8 }) })
    fc.assert(
      fc.property(fc.array(node, { minLength: 2, maxLength: 4 }), jobs, fc.integer({ min: 3, max: 6 }), fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 5), (each, drawn, most, set, refuseSeconds) => {
        const specs = drawn.map((change, i) => cpuJob(`j${i}`, { ...change, class: i % 2 === 0 ? 'a' : 'b' })).sort((x, y) => x.submit - y.submit)
        const roles = { a: { limit: { cpu: most } }, c: { guarantee: { cpu: set } } }
        const { recorder } = play(twoLevel({ ...now, frameworks: in2, offers: 'by-node', roles, refuseSeconds, abandonAfter: false, abandonUnplacedAfter: false }), specs, { cluster: nodes(...each) })
        expect(Object.keys(recorder.finishes()).length).toBe(specs.length)
        const held = { a: 0, b: 0 }
        const cpu = each.reduce((sum, own) => sum + own.cpu, 0)
        for (const event of recorder.events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const { class: of, stages } = specs.find(({ id }) => id === event.job) as JobSpec
          held[of as 'a' | 'b'] += (event.kind === 'launch' ? 1 : -1) * (stages[0]?.demand['cpu'] as number)
          expect(held.a).toBeLessThanOrEqual(most)
          expect(held.a + held.b).toBeLessThanOrEqual(cpu - set)
        }
      }),
      { seed: 5, numRuns: 60 },
    )
  })
  it('names a job that its role may never be offered enough for', () => {
    const run = (roles: TwoLevelOptions['roles']) => () => play(twoLevel({ ...now, frameworks: in2, offers: 'by-node', roles }), [cpuJob('wide', { class: 'a', demand: { cpu: 4 } })], { cluster: cpus(2, 4) })
    expect(run({ a: { limit: { cpu: 3 } } })).toThrow(/job wide asks 4 cpu at once, and 3 is the most that role "a" can be offered/)
    expect(run({ b: { guarantee: { cpu: 5 } } })).toThrow(/3 is the most that role "a" can be offered beside what is guaranteed to others/)
  })
  it.each([
    ['a role that nobody is in', { frameworks: in2, roles: { c: { weight: 2 } } }, /no framework has the role "c"/],
    ['an inner role', { frameworks: { a: { role: 'a/x' } }, offers: 'by-node', roles: { 'a/x': { limit: { cpu: 1 } } } }, /only outermost roles/],
    ['offers of all', { frameworks: in2, roles: { a: { limit: { cpu: 1 } } } }, /node by node/],
    ['a guarantee above its limit', { frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 3 }, limit: { cpu: 2 } } } }, /guaranteed more cpu than its limit/],
    ['more than there is', { frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 5 } }, b: { guarantee: { cpu: 4 } } } }, /guaranteed 9 cpu together, and the cluster has 8/],
    ['an unknown resource', { frameworks: in2, offers: 'by-node', roles: { a: { limit: { cpus: 5 } } } }, /no resource "cpus"/],
    ['a fair share of a node', { frameworks: in2, offers: 'by-node', fairShareOffers: true }, /node by node/],
  ] as const)('is refused of %s', (_, options, message) => {
    expect(() => play(twoLevel({ ...now, ...(options as TwoLevelOptions) }), [], { cluster: cpus(2, 4) })).toThrow(message)
  })
})

describe('nodes that are reserved for a role', () => {
  const four = nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 })))
  const names = (...ids: readonly number[]) => ({ reserved: { names: ids.map((id) => `node${id}-0`) } })
  const roles = (...given: readonly string[]) => Object.fromEntries(given.map((role) => [role.replace('/', '-'), { role }]))
  const many = (...of: readonly string[]) => of.map((each) => endless(each, each, { tasks: 20 }))
  const reserved: TwoLevelOptions = { offers: 'by-node', frameworks: roles('a', 'b') }

  it('are offered to frameworks in it alone, and to nobody while there are none (Reservations)', () => {
    const got = (offers: 'all' | 'by-node') => starts({ ...reserved, offers, roles: { a: names(0), b: names(1), c: names(3) } }, many('a', 'b'), four).sort()
    expect([got('by-node'), got('all')]).toEqual(Array(2).fill(['a@0 x2', 'a@2 x2', 'b@1 x2']))
  })

  it('count for the shares of roles: who has them comes later for the others (ReservedDRF)', () => {
    // a has the half of all that is reserved for it; of the other two nodes b has both
    expect(starts({ ...reserved, roles: { a: names(0, 1) } }, many('a', 'b'), four).sort()).toEqual(['a@0 x2', 'a@1 x2', 'b@2 x2', 'b@3 x2'])
  })

  it('are for frameworks in roles inside, too, but not in those beside', () => {
    const frameworks = roles('a', 'a/x', 'a/y')
    const got = (role: string) => starts({ ...reserved, frameworks, roles: { [role]: names(0) } }, many('a', 'a-x', 'a-y'), nodes({ cpu: 2 }, { cpu: 1 }, { cpu: 1 })).sort()
    expect(got('a/x')).toEqual(['a-x@0 x2', 'a-y@2 x1', 'a@1 x1'])
    expect(starts({ ...reserved, frameworks, roles: { a: names(0) } }, many('a-x'), nodes({ cpu: 2 }, { cpu: 1 }))).toEqual(['a-x@0 x2', 'a-x@1 x1'])
  })

  it('count towards its limit, whether or not they are in use (ReservationUnallocated, ReservationAllocated)', () => {
    // a may have 2 CPUs beside the 2 that are reserved for it; its large task has no room on these
    const jobs = [endless('a', 'a', { demand: { cpu: 3 }, tasks: 9 })]
    const cluster = nodes({ cpu: 2 }, { cpu: 3 }, { cpu: 3 })
    const most = (cpu: number) => () => starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu } } } }, jobs, cluster)
    expect(most(5)()).toEqual(['a@1 x1'])
    expect(starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu: 4 } } } }, many('a'), four)).toEqual(['a@0 x2', 'a@1 x2'])
    expect(starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu: 1 } } } }, many('a'), four)).toEqual(['a@0 x2'])
  })

  it('count towards its guarantee, and are offered whatever others are guaranteed (NonQuotaRoleReservationWithQuotaRole)', () => {
    // 4 of 8 CPUs are for c, so that of the two open nodes none is left; a has its node, and b nothing
    const kept = { a: names(0), c: { ...names(1), guarantee: { cpu: 6 } } }
    expect(starts({ ...reserved, roles: kept }, many('a'), four)).toEqual(['a@0 x2'])
    expect(starts({ ...reserved, roles: { ...kept, c: { ...names(1), guarantee: { cpu: 4 } } } }, many('a', 'b'), four).sort()).toEqual(['a@0 x2', 'b@2 x2'])
  })

  it('leave the guarantees of others as they are where they are more than the own one (QuotaHeadroomWhenReservationsExceedQuota)', () => {
    // a has twice its guarantee reserved, and c needs one of the open nodes: b has the other
    const roles = { a: { ...names(0), guarantee: { cpu: 1 } }, c: { guarantee: { cpu: 2 } } }
    expect(starts({ ...reserved, roles }, many('b'), nodes({ cpu: 2 }, { cpu: 2 }, { cpu: 2 })).map((start) => start.slice(-2))).toEqual(['x2'])
  })

  it('may be racks, or a part of the nodes', () => {
    const cluster = { nodes: [{ name: 'n', count: 4, racks: 2, resources: { cpu: 2 } }] }
    const of = (given: NonNullable<TwoLevelOptions['roles']>[string]) => starts({ ...reserved, roles: { a: given } }, many('b'), cluster).map((start) => start.slice(0, 3))
    expect([of({ reserved: { fraction: 0.25 } }), of({ reserved: { groups: ['n-rack0'] } })]).toEqual([['b@1', 'b@2', 'b@3'], ['b@2', 'b@3']])
  })

  it('are so in any small world: no task of others is on them, their role has no more beside them than its limit leaves, and all jobs end', () => {
    const demand = fc.record({ cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 0, max: 4 }) })
    const jobs = fc.array(fc.record({ demand, tasks: fc.integer({ min: 1, max: 6 }), duration: fc.integer({ min: 1, max: 20 }), submit: fc.integer({ min: 0, max: 40 }) }), { maxLength: 8 })
    const node = fc.record({ cpu: fc.integer({ min: 3, max: 6 }), mem: fc.integer({ min: 4, max: 8 }) })
    fc.assert(
      fc.property(fc.array(node, { minLength: 2, maxLength: 4 }), jobs, fc.integer({ min: 3, max: 9 }), fc.constantFrom(0, 5), (each, drawn, most, refuseSeconds) => {
        const specs = drawn.map((change, i) => cpuJob(`j${i}`, { ...change, class: i % 2 === 0 ? 'a' : 'b' })).sort((x, y) => x.submit - y.submit)
        const given = { a: { ...names(0), limit: { cpu: most } } }
        const { recorder } = play(twoLevel({ ...now, ...reserved, roles: given, refuseSeconds, abandonAfter: false, abandonUnplacedAfter: false }), specs, { cluster: nodes(...each) })
        expect(Object.keys(recorder.finishes()).length).toBe(specs.length)
        let beside = 0
        for (const event of recorder.events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const { class: of, stages } = specs.find(({ id }) => id === event.job) as JobSpec
          if (of === 'b') expect(event.node).not.toBe('node0-0')
          else if (event.node !== 'node0-0') beside += (event.kind === 'launch' ? 1 : -1) * (stages[0]?.demand['cpu'] as number)
          expect(beside).toBeLessThanOrEqual(Math.max(0, most - (each[0]?.cpu ?? 0)))
        }
      }),
      { seed: 6, numRuns: 50 },
    )
  })

  it('refuse a job that has room on none of the others', () => {
    const big = (role: string) => () => starts({ ...reserved, roles: { a: names(0) } }, [endless('big', role, { demand: { cpu: 4 } })], nodes({ cpu: 4 }, { cpu: 2 }))
    expect(big('a')()).toEqual(['big@0 x1'])
    expect(big('b')).toThrow('job big asks {"cpu":4}, and framework "b" is offered no nodes that are reserved for other roles: the others have no room for that. Reserve fewer, or some for its role.')
    const most = (guarantee: number) => () => starts({ ...reserved, roles: { a: names(0), c: { guarantee: { cpu: guarantee } } } }, [endless('wide', 'b', { tasks: 5, gang: true })], four)
    expect(most(1)()).toEqual(['wide@1 x2', 'wide@2 x2', 'wide@3 x1'])
    expect(most(2)).toThrow('job wide asks 5 cpu at once, and 4 is the most that role "b" can be offered beside what is guaranteed to others')
  })

  it.each([
    ['two roles', { a: names(0), b: names(0) }, 'roles.b.reserved: node node0-0 is in both "a" and "b". A node is reserved for one role.'],
    ['no node', { a: names(9) }, 'no node is called "node9-0"'],
    ['more guarantees than what is left can meet', { a: names(0, 1, 2), b: { guarantee: { cpu: 3 } } }, 'roles are guaranteed 3 cpu together beside what is reserved for them, and the cluster has 2 that are not reserved'],
  ] as const)('are refused of %s', (_, given, message) => {
    expect(() => starts({ ...reserved, roles: given }, [], four)).toThrow(message)
  })
})

describe('a random allocator', () => {
  it('offers twice the weight twice as often', () => {
    const jobs = [cpuJob('a', { class: 'a', tasks: 600, duration: 1 }), cpuJob('b', { class: 'b', tasks: 600, duration: 1 })]
    const { recorder } = play(twoLevel({ ...now, frameworks: { a: {}, b: { weight: 2 } }, allocator: 'random', requeue: 0.1 }), jobs, { cluster: cpus(1, 1), seed: 3 })
    const b = recorder.launches.slice(0, 600).filter(({ job }) => job === 'b').length
    expect(b / 600).toBeGreaterThan(0.61)
    expect(b / 600).toBeLessThan(0.72)
  })

  it('does so at every level: two frameworks in a role of twice the weight have two thirds together', () => {
    const jobs = ['a', 'b', 'c'].map((name) => cpuJob(name, { class: name, tasks: 600, duration: 1 }))
    const options: TwoLevelOptions = { frameworks: { a: { role: 'r' }, b: { role: 'r' }, c: { role: 's' } }, roles: { r: { weight: 2 } }, allocator: 'random', requeue: 0.1 }
    const { recorder } = play(twoLevel({ ...now, ...options }), jobs, { cluster: cpus(1, 1), seed: 3 })
    const count = (name: string) => recorder.launches.slice(0, 600).filter(({ job }) => job === name).length / 600
    for (const name of ['a', 'b', 'c']) expect(Math.abs(count(name) - 1 / 3)).toBeLessThan(0.06)
  })
})

import { describe, expect, it } from 'vitest'
import { randomStream, type ClusterView } from '@sched/core'
import { rankedAtRandom, rankedBy } from '../src/allocator-order.js'
import type { Framework } from '../src/framework.js'
import { allocatorOrders, twoLevel, type Share, type TwoLevelOptions } from '../src/index.js'
import { Roles } from '../src/roles.js'
import { now } from './mesos-world.js'
import { cpuJob, cpus, play } from './world.js'

// Cases of Mesos' SorterTest (later DRFSorterTest, RandomSorterTest and CommonSorterTest), in numbers of ours.

describe('dominant shares of frameworks', () => {
  const ranked = (total: Readonly<Record<string, number>>, held: Readonly<Record<string, readonly [cpu: number, mem: number, weight?: number, offers?: number]>>) => {
    const cluster = { resources: ['cpu', 'mem'], capacity: (r: number) => Object.values(total)[r] } as unknown as ClusterView
    const shares = Object.entries(held).map(([name, [cpu, mem, weight = 1, offers = 0]]): Share => ({ name, weight, held: [cpu, mem], tasks: 1, offers, served: 0 }))
    return rankedBy(allocatorOrders.drf, cluster, 'offers')(shares).map(({ name }) => name).join(' ')
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
  it('follow what several nodes have together, and what is left of it, as in MultipleSlavesUpdateTotal and RemoveResources', () => {
    const held = { a: [2, 1], b: [1, 3] } as const
    expect([10, 100].map((cpu) => ranked({ cpu, mem: 100 }, held))).toEqual(['b a', 'a b'])
    expect(ranked({ cpu: 12, mem: 1 }, { a: [7, 0], b: [5, 0] })).toBe('b a')
    expect(ranked({ cpu: 6, mem: 1 }, { a: [1, 0], b: [5, 0] })).toBe('a b')
  })
  it('that are equal go by the number of offers so far, then by name, as in AllocationCountTieBreak', () => {
    const total = { cpu: 100, mem: 100 }
    const after = (c: number, a = 1) => ({ a: [4, 4, 1, a], b: [4, 4, 1, 1], c: [4, 4, 1, c], d: [4, 4, 1, 2], e: [4, 4, 1, 1] }) as const
    expect(ranked(total, after(3))).toBe('a b e d c')
    expect(ranked(total, { ...after(3), c: [0, 0, 1, 3] })).toBe('c a b e d') // it gave all back
    expect(ranked(total, after(4, 2))).toBe('b e a d c')
  })
})

/** A framework in a role, by the name of that. */
const inRole = (role: string, id: number, isWaiting = true, held: readonly number[] = [0, 0]) =>
  ({ name: role, role, weight: 1, scheduler: { id }, held, tasks: 1, isWaiting, hasWork: isWaiting, onOffer: () => [0, 0] }) as unknown as Framework

describe('a tree of roles', () => {
  /** Frameworks named by their roles, `a/b`, with what they hold of 100 CPUs and 100 GB; those that are idle are not in the order. */
  const order = (held: Readonly<Record<string, readonly [cpu: number, mem: number]>>, weights: Readonly<Record<string, number>> = {}, idle = '') => {
    const frameworks = Object.entries(held).map(([role, amounts], id) => inRole(role, id, role !== idle, amounts))
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
    const deep = { a: [9, 9], 'b/c': [5, 5], 'b/d': [3, 3], 'b/e/f': [4, 4] } as const
    expect(order(deep)).toBe('a b/d b/e/f b/c') // 9 against 12
    expect(order({ ...deep, 'b/c': [1, 1] })).toBe('b/c b/d b/e/f a')
  })
  it('changes nothing where each branch holds one role (ShallowHierarchy, DeepHierarchy)', () => {
    const held = { a: [5, 5], b: [6, 6], c: [1, 1], d: [3, 1] } as const
    const deeper = (path: (name: string, i: number) => string) => order(Object.fromEntries(Object.entries(held).map(([name, amounts], i) => [path(name, i), amounts])))
    expect([order(held), deeper((name) => `${name}/${name}`), deeper((name, i) => Array(5 - i).fill(name).join('/'))]).toEqual(['c d a b', 'c/c d/d a/a b/b', 'c/c/c d/d a/a/a/a/a b/b/b/b'])
  })
  it('is gone through as a whole: who is in it follow one another (HierarchicalIterationOrder)', () => {
    const none = { 'a/b': [0, 0], c: [0, 0], d: [0, 0], 'd/e': [0, 0] } as const
    expect(order(none)).toBe('a/b c d d/e')
    expect(order({ ...none, c: [9, 9] })).toBe('a/b d d/e c')
    expect(order({ ...none, c: [9, 9], d: [4, 4], 'd/e': [1, 1] })).toBe('a/b d/e d c')
    expect(order({ c: [9, 9], d: [4, 4], 'd/e': [1, 1], 'a/b': [7, 7] })).toBe('d/e d a/b c')
  })
  it('counts what frameworks hold that want nothing now (AddChildToInactiveLeaf, RemoveLeafCollapseParentInactive)', () => {
    expect(order({ a: [9, 9], b: [6, 6], 'a/c': [4, 4] }, {}, 'a')).toBe('b a/c') // 6 against 13
    expect(order({ a: [9, 9], b: [6, 6] }, {}, 'a')).toBe('b')
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

describe('a random allocator', () => {
  /** How often each role is at each place of so many draws, as a fraction. */
  const drawn = (weights: Readonly<Record<string, number>>, roles: readonly string[], idle = '') => {
    const tree = new Roles(roles.map((role, id) => inRole(role, id, role !== idle)), 2, (path) => weights[path] ?? 1, rankedAtRandom(randomStream(7, 'allocator')))
    const draws = 20_000
    const counts = Object.fromEntries(roles.map((role) => [role, roles.map(() => 0)]))
    for (let i = 0; i < draws; i++) for (const [place, { name }] of tree.waiting().entries()) (counts[name] as number[])[place]! += 1 / draws
    return counts
  }
  /** The same where each place goes to one of the rest, as likely as its part of what they weigh. */
  const expected = (parts: Readonly<Record<string, number>>) => {
    const names = Object.keys(parts)
    const chances = Object.fromEntries(names.map((name) => [name, names.map(() => 0)]))
    const go = (rest: readonly string[], chance: number): void => {
      const sum = rest.reduce((total, name) => total + (parts[name] as number), 0)
      for (const name of rest) {
        const own = (chance * (parts[name] as number)) / sum
        ;(chances[name] as number[])[names.length - rest.length]! += own
        go(rest.filter((other) => other !== name), own)
      }
    }
    go(names, 1)
    return chances
  }
  const distance = (a: Readonly<Record<string, readonly number[]>>, b: Readonly<Record<string, readonly number[]>>) =>
    Math.max(...Object.entries(b).flatMap(([name, places]) => places.map((chance, place) => Math.abs(chance - (a[name]?.[place] ?? 0)))))

  it('draws by weight for every place (WeightedShuffleTest, RandomSorterTest.ProbabilityDistribution)', () => {
    const weights = { a: 1, b: 2, c: 4, d: 5 }
    expect(distance(drawn(weights, Object.keys(weights)), expected(weights))).toBeLessThan(0.012)
  })

  it('draws roles of all levels together, by the product of their parts (RandomSorterTest.HierarchicalProbabilityDistribution)', () => {
    // a has 1 of 4 and is one of two of weight 1 and 3 there; c has 3 of 4, d and e half of it each. Else d and e would follow one another
    const weights = { a: 1, 'a/b': 3, c: 3 }
    expect(distance(drawn(weights, ['a', 'a/b', 'c/d', 'c/e']), expected({ a: 1 / 16, 'a/b': 3 / 16, 'c/d': 3 / 8, 'c/e': 3 / 8 }))).toBeLessThan(0.012)
  })

  it('leaves roles their parts whose frameworks want nothing now, as Mesos does of those that suppress offers', () => {
    // a/b has 1 of 4 of all, c 1 of 2
    expect(distance(drawn({}, ['a', 'a/b', 'c'], 'a'), { 'a/b': [1 / 3], c: [2 / 3] })).toBeLessThan(0.012)
  })

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

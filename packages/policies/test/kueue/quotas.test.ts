import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { QuotaNode } from '../../src/kueue/quota-node.js'

const INF = Infinity
interface Given {
  readonly nominal: readonly number[]
  readonly borrowing?: readonly number[]
  readonly lending?: readonly number[]
  readonly weight?: number
}
const node = (name: string, { nominal, borrowing, lending, weight = 1 }: Given, parent?: QuotaNode) =>
  new QuotaNode(name, { nominal: Float64Array.from(nominal), borrowing: Float64Array.from(borrowing ?? nominal.map(() => INF)), lending: Float64Array.from(lending ?? nominal.map(() => INF)) }, weight, parent)

describe('the share of a queue, as in TestDominantResourceShare of Kueue', () => {
  /** CPU and GPU in one flavor; per mille. */
  const share = (given: Given, usage: readonly number[], other: Given = { nominal: [8, 5] }, hasCohort = true) => {
    const cohort = hasCohort ? node('cohort', { nominal: given.nominal.map(() => 0) }) : undefined
    const queue = node('queue', given, cohort)
    if (cohort !== undefined) node('lending', other, cohort)
    usage.forEach((amount, c) => queue.add(c, amount))
    return queue.share(2) * 1000
  }

  it('is 0 without a cohort and below the nominal quota', () => {
    expect(share({ nominal: [2, 5] }, [3, 7], undefined, false)).toBe(0)
    expect(share({ nominal: [2, 5] }, [1, 2])).toBe(0)
  })
  it('is what is borrowed over what the cohort has, of the resource of which that is most', () => {
    expect(share({ nominal: [2, 5] }, [3, 7])).toBe(200) // (7 - 5) / 10
    expect(share({ nominal: [2, 5] }, [3, 3])).toBe(100) // (3 - 2) / 10
    expect(share({ nominal: [2, 5] }, [5, 6])).toBe(300) // (5 - 2) / 10
  })
  it('leaves out what nobody lends', () => {
    expect(share({ nominal: [2, 2], lending: [INF, 0] }, [5, 5], { nominal: [8, 64], lending: [INF, 0] })).toBe(300)
  })
  it('adds up what is borrowed in all flavors, and does not count what is left in others', () => {
    // CPU and GPU of two flavors: 15 + 10 of 20, and 5 of 80
    expect(share({ nominal: [20, 0, 80, 0] }, [25, 0, 5, 0], { nominal: [100, 0, 0, 0] })).toBe(25) // 5 / 200
  })
  it('is divided by the weight', () => {
    expect(share({ nominal: [2, 5], weight: 2 }, [0, 7])).toBe(100)
    expect(share({ nominal: [2, 5], weight: 0.5 }, [0, 7])).toBe(400)
    expect(share({ nominal: [2, 5], weight: 0 }, [0, 7])).toBeGreaterThan(1e100)
    expect(share({ nominal: [2, 5], weight: 0 }, [0, 8])).toBeGreaterThan(share({ nominal: [2, 5], weight: 0 }, [0, 7]))
    expect(share({ nominal: [2, 5], weight: 0 }, [0, 3])).toBe(0)
  })
  it('is without weight infinite, too, of what nobody lends (a zero-weight ClusterQueue borrowing only what nobody lends)', () => {
    const [own, other] = [{ nominal: [8, 2], lending: [INF, 0] }, { nominal: [8, 64], lending: [INF, 0] }]
    expect([share(own, [0, 3], other), share({ ...own, weight: 0 }, [0, 2], other)]).toEqual([0, 0])
    expect(share({ ...own, weight: 0 }, [0, 3], other)).toBeGreaterThan(1e100)
    expect(share({ ...own, weight: 0 }, [9, 3], other)).toBeGreaterThan(share({ ...own, weight: 0 }, [0, 3], other))
  })
  it('is of cohorts, too, and of what these could have at most (resource share affected by borrowing limit)', () => {
    const under = (borrowing: number) => {
      const root = node('root', { nominal: [50] })
      const inner = node('inner', { nominal: [0], borrowing: [borrowing], weight: 2 }, root)
      const queue = node('queue', { nominal: [0] }, inner)
      queue.add(0, 10)
      return [queue.share(1), inner.share(1), root.share(1)]
    }
    expect([under(INF), under(10)]).toEqual([[0.2, 0.1, 0], [1, 0.1, 0]])
  })
})

describe('what a queue may use', () => {
  it('is bounded by limits of borrowing and lending at every level', () => {
    // root has 10 of its own; the left cohort lends 4 of its 12 and borrows 5 at most; its queue a keeps 2 of 6 for itself
    const root = node('root', { nominal: [10] })
    const left = node('left', { nominal: [0], borrowing: [5], lending: [4] }, root)
    const a = node('a', { nominal: [6], lending: [4] }, left)
    const b = node('b', { nominal: [8], borrowing: [3] }, left)
    const c = node('c', { nominal: [1] }, root)
    expect([left.subtree[0], root.subtree[0]]).toEqual([12, 15]) // 4 + 8; 10 + 4 + 1
    expect([a.potential(0), b.potential(0), c.potential(0)]).toEqual([2 + 17, 11, 15])
    expect([a.available(0), b.available(0), c.available(0)]).toEqual([19, 11, 15])
    a.add(0, 15)
    expect([left.usage[0], root.usage[0]]).toEqual([13, 5]) // 2 stay in a; 8 of 13 stay in left
    expect([a.available(0), b.available(0), c.available(0)]).toEqual([4, 4, 10])
    a.remove(0, 14)
    expect([left.usage[0], root.usage[0], a.available(0)]).toEqual([0, 0, 18])
  })

  /** Nodes by name: parent, nominal quota, borrowing and lending limit. */
  type Tree = Readonly<Record<string, readonly [parent: string, nominal: number, borrowing?: number, lending?: number]>>
  const grown = (tree: Tree) => {
    const made = new Map<string, QuotaNode>()
    for (const [name, [parent, nominal, borrowing = INF, lending = INF]] of Object.entries(tree)) made.set(name, node(name, { nominal: [nominal], borrowing: [borrowing], lending: [lending] }, made.get(parent)))
    return (name: string) => made.get(name) as QuotaNode
  }
  it.each<[string, Tree, Readonly<Record<string, number>>, Readonly<Record<string, readonly [potential: number, available: number]>>]>([
    ['alone', { a: ['', 0], b: ['', 5] }, { a: 1, b: 2.5 }, { a: [0, 0], b: [5, 2.5] }],
    ['in a cohort', { c: ['', 10], a: ['c', 10], b: ['c', 10, INF, 9] }, { a: 1, b: 0.5 }, { a: [29, 28], b: [30, 28.5] }],
    ['of a cohort', { c: ['', 10], a: ['c', 10] }, { a: 11 }, { a: [20, 9] }],
    ['where another one has more than there is', { c: ['', 10], a: ['c', 10], b: ['c', 10, 0, 0] }, { a: 31 }, { a: [20, 0], b: [10, 0] }],
    ['within limits', { c: ['', 10], a: ['c', 10], b: ['c', 10, 2], d: ['c', 10, INF, 5] }, { a: 20, b: 10, d: 6 }, { a: [35, 4], b: [12, 2], d: [40, 4] }],
    ['in a tree', { r: ['', 0], x: ['r', 10], y: ['r', 10], a: ['x', 10], b: ['y', 10, INF, 0] }, { a: 10, b: 5 }, { a: [30, 20], b: [40, 25] }],
    ['of a cohort with a borrowing limit', { r: ['', 0], x: ['r', 10, 5], y: ['r', 10], a: ['x', 10], b: ['x', 10, 5], d: ['y', 10] }, {}, { a: [35, 35], b: [15, 15], d: [50, 50] }],
    ['of a cohort with a lending limit', { r: ['', 0], x: ['r', 0, INF, 5], y: ['r', 0], a: ['x', 10, INF, 5], b: ['x', 10], d: ['y', 0], e: ['r', 0] }, {}, { a: [20, 20], b: [15, 15], d: [5, 5], e: [5, 5] }],
  ])('is as in TestAvailable of Kueue: %s', (_, tree, usage, expected) => {
    const of = grown(tree)
    for (const name of Object.keys(expected)) expect([name, of(name).potential(0), of(name).available(0)]).toEqual([name, expected[name]?.[0], expected[name]?.[0]])
    for (const [name, amount] of Object.entries(usage)) of(name).add(0, amount)
    for (const [name, [potential, available]] of Object.entries(expected)) expect([name, of(name).potential(0), Math.max(0, of(name).available(0))]).toEqual([name, potential, available])
  })

  it('is what others lend at most, as in TestFitInCohort and TestCohortLendable', () => {
    const of = grown({ c: ['', 0], a: ['c', 2], b: ['c', 3, INF, 2] })
    of('a').add(0, 1)
    expect([of('c').potential(0), of('a').available(0)]).toEqual([4, 3])
    of('a').add(0, 1)
    expect(of('a').available(0)).toBe(2)
  })

  it('is kept for who waits for it, as in TestResourcesToReserve', () => {
    const queue = node('queue', { nominal: [100, 0, 10, 10], borrowing: [INF, 100, 0, 5] }, node('cohort', { nominal: [0, 0, 0, 0] }))
    const kept = (usage: readonly number[], borrows: boolean, ...asked: readonly (readonly [c: number, amount: number])[]) => {
      usage.forEach((amount, c) => queue.add(c, amount))
      const found = asked.map(([c, amount]) => queue.toKeep(c, amount, borrows))
      usage.forEach((amount, c) => queue.remove(c, amount))
      return found
    }
    expect(kept([60, 50, 6, 2], false, [0, 50], [2, 6])).toEqual([40, 4])
    expect(kept([60, 50, 2, 2], false, [0, 30], [2, 2])).toEqual([30, 2])
    expect(kept([60, 60, 2, 10], false, [1, 50], [3, 2])).toEqual([0, 0])
    expect(kept([60, 60, 2, 10], true, [1, 50], [3, 2])).toEqual([40, 2])
    expect(kept([60, 60, 2, 10], true, [0, 50], [3, 2])).toEqual([50, 2])
  })

  it('is what plain sums say, however workloads come and go', () => {
    const amount = fc.integer({ min: 0, max: 9 })
    const limit = fc.oneof(fc.constant(INF), amount)
    const given = fc.record({ nominal: amount, borrowing: limit, lending: limit })
    const world = fc.record({ nodes: fc.array(given, { minLength: 2, maxLength: 7 }), parents: fc.array(fc.nat(), { minLength: 7, maxLength: 7 }), steps: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 }), fc.boolean()), { maxLength: 30 }) })
    fc.assert(
      fc.property(world, ({ nodes, parents, steps }) => {
        const made: QuotaNode[] = []
        for (const [i, each] of nodes.entries()) made.push(node(`${i}`, { nominal: [each.nominal], borrowing: [each.borrowing], lending: [each.lending] }, i === 0 ? undefined : made[(parents[i] as number) % i]))
        const own = nodes.map(() => 0)
        for (const [which, by, isMore] of steps) {
          const leaves = made.filter(({ children }) => children.length === 0)
          const leaf = leaves[which % leaves.length] as QuotaNode
          const at = made.indexOf(leaf)
          if (isMore) leaf.add(0, by)
          else leaf.remove(0, Math.min(by, own[at] as number))
          own[at] = (own[at] as number) + (isMore ? by : -Math.min(by, own[at] as number))
        }
        const childrenOf = (i: number) => made.flatMap((each, j) => (each.parent === made[i] ? [j] : []))
        const subtree = (i: number): number => (nodes[i] as (typeof nodes)[number]).nominal + childrenOf(i).reduce((sum, j) => sum + subtree(j) - kept(j), 0)
        const kept = (i: number): number => Math.max(0, subtree(i) - (nodes[i] as (typeof nodes)[number]).lending)
        const usage = (i: number): number => (own[i] as number) + childrenOf(i).reduce((sum, j) => sum + Math.max(0, usage(j) - kept(j)), 0)
        for (const [i, each] of made.entries()) expect([each.subtree[0], each.usage[0]]).toEqual([subtree(i), usage(i)])
        // what a node may have: what it keeps, and of what its parent may have as much as its borrowing limit allows beyond what it has there
        const parentOf = (i: number) => made.findIndex((each) => each === made[i]?.parent)
        const available = (i: number): number => {
          if (parentOf(i) < 0) return subtree(i) - usage(i)
          const { borrowing } = nodes[i] as (typeof nodes)[number]
          return Math.max(0, kept(i) - usage(i)) + Math.min(subtree(i) - kept(i) - Math.max(0, usage(i) - kept(i)) + borrowing, available(parentOf(i)))
        }
        const potential = (i: number): number => (parentOf(i) < 0 ? subtree(i) : Math.min(subtree(i) + (nodes[i] as (typeof nodes)[number]).borrowing, kept(i) + potential(parentOf(i))))
        const height = (i: number): number => Math.max(0, ...childrenOf(i).map((j) => height(j) + 1))
        /** The lowest node around with room for so much, of which each below takes what it keeps and does not use. */
        const level = (i: number, more: number): number => (usage(i) + more <= subtree(i) || parentOf(i) < 0 ? height(i) : level(parentOf(i), more - Math.max(0, kept(i) - usage(i))))
        for (const [i, each] of made.entries()) {
          expect([each.available(0), each.potential(0)]).toEqual([available(i), potential(i)])
          for (const more of [1, 4, 9]) expect(each.reach(0, more).level).toBe(level(i, more))
        }
      }),
      { seed: 3, numRuns: 150 },
    )
  })
})

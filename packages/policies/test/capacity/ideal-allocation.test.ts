import { idealAllocation, type PreemptionFactors, type QueueLoads } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { naiveIdeal } from './naive-ideal.js'

/** A queue as a line of a worked example: its parent (-1: the root itself), and amounts of one resource. */
type Line = readonly [parent: number, guaranteed: number, used: number, pending: number, change?: { readonly most?: number; readonly isProtected?: 1; readonly reserved?: number }]
const loadsOf = (lines: readonly Line[]): QueueLoads => ({
  count: lines.length,
  width: 1,
  total: [lines[0]?.[1] ?? 0],
  parent: lines.map(([parent]) => parent),
  guaranteed: lines.map(([, guaranteed]) => guaranteed),
  most: lines.map(([, , , , change]) => change?.most ?? lines[0]?.[1] ?? 0),
  used: lines.map(([, , used]) => used),
  pending: lines.map(([, , , pending]) => pending),
  unreserved: lines.map(([, , , pending, change]) => Math.max(0, pending - (change?.reserved ?? 0))),
  isProtected: lines.map(([, , , , change]) => change?.isProtected ?? 0),
  priority: lines.map(() => 0),
})
const exact: PreemptionFactors = { maxIgnoredOverCapacity: 0.1, naturalTerminationFactor: 1 }
const taken = (lines: readonly Line[], factors = exact, part = 1): number[] => {
  const loads = loadsOf(lines)
  return [...idealAllocation(loads, factors, [Math.floor((loads.total[0] ?? 0) * part)]).toObtain].slice(0, lines.length)
}

describe('what preemption takes in one look', () => {
  it('is what a queue below its guarantee wants, from those above theirs: guarantees 40, 40, 20, used 0, 60, 40, the first wants 10', () => {
    // left of 100 after 0, 40 and 20: 40. A takes 10 of it; B and C divide 30 as 40 : 20, so 60 and 30: C gives 10
    expect(taken([[-1, 100, 100, 0], [0, 40, 0, 10], [0, 40, 60, 0], [0, 20, 40, 0]])).toEqual([0, 0, 0, 10])
  })

  it('is divided in proportion to guarantees: 55, 25, 20, used 0, 54, 46, the first wants 10', () => {
    // left 100 - 25 - 20 = 55, A takes 10; of 45 B gets 25/45 = 25, C 20: 50 and 40, so 4 and 6
    expect(taken([[-1, 100, 100, 0], [0, 55, 0, 10], [0, 25, 54, 0], [0, 20, 46, 0]])).toEqual([0, 0, 4, 6])
  })

  it('comes from others where a queue may not be touched', () => {
    expect(taken([[-1, 100, 100, 0], [0, 55, 0, 10], [0, 25, 54, 0, { isProtected: 1 }], [0, 20, 46, 0]])).toEqual([0, 0, 0, 10])
  })

  it('is nothing without demand, or for one at its maximum, or among queues that all have their guarantee', () => {
    expect(taken([[-1, 100, 100, 0], [0, 40, 0, 0], [0, 40, 60, 0], [0, 20, 40, 0]])).toEqual([0, 0, 0, 0])
    expect(taken([[-1, 100, 100, 0], [0, 60, 55, 0], [0, 40, 45, 10, { most: 45 }]])).toEqual([0, 0, 0])
    expect(taken([[-1, 100, 100, 0], [0, 40, 55, 10], [0, 40, 45, 10], [0, 20, 0, 0]])).toEqual([0, 0, 0, 0])
  })

  it('is nothing inside the dead zone: 43 of 40 and 21 of 20 are less than a tenth too much', () => {
    const lines: Line[] = [[-1, 100, 103, 0], [0, 40, 39, 10], [0, 40, 43, 0], [0, 20, 21, 0]]
    expect(taken(lines)).toEqual([0, 0, 0, 0])
    expect(taken(lines, { ...exact, maxIgnoredOverCapacity: 0 })[2]).toBeGreaterThan(0)
  })

  it('respects levels: B in A gives although E in D is far more above its own guarantee, since D is not above its', () => {
    const lines: Line[] = [[-1, 200, 200, 0], [0, 100, 110, 0], [0, 100, 90, 0], [1, 50, 60, 0], [1, 50, 50, 0], [2, 10, 90, 0], [2, 90, 0, 10]]
    expect(taken(lines)).toEqual([0, 0, 0, 10, 0, 0, 0])
    expect(taken(lines.map((line, i) => (i === 3 ? [line[0], line[1], line[2], line[3], { isProtected: 1 }] : line)))).toEqual([0, 0, 0, 0, 0, 10, 0])
  })

  it('is a part of what is wanted, and never more than a part of the cluster', () => {
    const lines: Line[] = [[-1, 100, 100, 0], [0, 50, 0, 50], [0, 50, 100, 0]]
    expect(taken(lines)).toEqual([0, 0, 50])
    expect(taken(lines, { ...exact, naturalTerminationFactor: 0.2 })).toEqual([0, 0, 10]) // 0.2 x 50
    expect(taken(lines, { ...exact, naturalTerminationFactor: 0.2 }, 0.1)).toEqual([0, 0, 2]) // 50 scaled to 10, 0.2 x 10
  })

  it('is a part in whole amounts: of 18 at most 4, of 5 that are wanted, though 4/18 : 5/18 is less than 0.8 in floating point', () => {
    const loads = loadsOf([[-1, 18, 18, 0], [0, 18, 0, 5], [0, 0, 18, 0]])
    expect([...idealAllocation(loads, exact, [4]).toObtain].slice(0, 3)).toEqual([0, 0, 4])
  })

  it('is not wanted for what is reserved already', () => {
    expect(taken([[-1, 100, 100, 0], [0, 50, 20, 20, { reserved: 20 }], [0, 50, 80, 0]])).toEqual([0, 0, 0])
  })

  it('equals the plain form on random trees', () => {
    expect(equalsPlainForm({ minLength: 1, maxLength: 14 }, (own, i) => own % (i + 1), 200)).toBeGreaterThan(50)
  })

  it('equals the plain form on a root with many children, which are at many different parts of their guarantees', { tags: 'long' }, () => {
    expect(equalsPlainForm({ minLength: 40, maxLength: 70 }, () => 0, 12)).toBeGreaterThan(4)
  })
})

/** Holds random trees against the plain form; in how many something is taken. */
function equalsPlainForm(size: { minLength: number; maxLength: number }, parentOf: (drawn: number, before: number) => number, numRuns: number): number {
  const amount = fc.integer({ min: 0, max: 60 })
  const vector = (width: number) => fc.array(amount, { minLength: width, maxLength: width })
  const worlds = fc.constantFrom(1, 1, 2, 3).chain((width) =>
    fc.record({
      width: fc.constant(width),
      queues: fc.array(fc.record({ parent: fc.nat({ max: 100 }), guaranteed: vector(width), used: vector(width), pending: vector(width), reserved: amount, most: amount, isProtected: fc.constantFrom(0, 0, 0, 1), priority: fc.constantFrom(0, 0, 1, 2) }), size),
      factors: fc.record({ maxIgnoredOverCapacity: fc.constantFrom(0, 0.1, 0.5), naturalTerminationFactor: fc.constantFrom(0.2, 0.5, 1) }),
      allowed: fc.constantFrom(0.1, 0.3, 1),
      hasPriorities: fc.boolean(),
    }),
  )
  let taking = 0
  fc.assert(
    fc.property(worlds, ({ width, queues, factors, allowed, hasPriorities }) => {
      const loads = treeOf(width, queues.map((each, i) => ({ ...each, parent: parentOf(each.parent, i), priority: hasPriorities ? each.priority : 0 })))
      const most = Array.from(loads.total, (total) => Math.floor(total * allowed))
      const { ideal, toObtain } = idealAllocation(loads, factors, most)
      const plain = naiveIdeal(loads, factors, most)
      const isAsked = (_: number, at: number) => plain.isDivided[Number(loads.parent[Math.floor(at / width)])] === true
      expect([...ideal.slice(0, loads.count * width)].filter(isAsked)).toEqual(plain.ideal.filter(isAsked))
      expect([...toObtain.slice(0, loads.count * width)]).toEqual(plain.toObtain)
      if (toObtain.some((each) => each > 0)) taking++
    }),
    { seed: 4, numRuns },
  )
  return taking
}

interface RandomQueue {
  readonly parent: number
  readonly guaranteed: readonly number[]
  readonly used: readonly number[]
  readonly pending: readonly number[]
  readonly reserved: number
  readonly most: number
  readonly isProtected: number
  readonly priority: number
}

/** A root and queues below it, sums of leaves in parents, as a scheduler would have them. */
function treeOf(width: number, queues: readonly RandomQueue[]): QueueLoads {
  const parent = [-1, ...queues.map((each) => each.parent)]
  const isLeaf = parent.map((_, i) => !parent.includes(i))
  const own = (field: 'guaranteed' | 'used' | 'pending') => parent.map((_, i) => (isLeaf[i] === true && i > 0 ? [...(queues[i - 1]?.[field] ?? [])] : Array<number>(width).fill(0)))
  const summed = (field: 'guaranteed' | 'used') => {
    const rows = own(field)
    for (let i = rows.length - 1; i > 0; i--) if (parent[i] !== undefined) rows[parent[i] as number] = (rows[parent[i] as number] ?? []).map((each, k) => each + (rows[i]?.[k] ?? 0))
    return rows
  }
  const [guaranteed, used, pending] = [summed('guaranteed'), summed('used'), own('pending')]
  const total = (guaranteed[0] ?? []).map((each) => Math.max(1, each))
  return {
    count: parent.length, width, total, parent,
    guaranteed: guaranteed.flat(),
    most: parent.flatMap((_, i) => (guaranteed[i] ?? []).map((each, k) => (i === 0 ? (total[k] ?? 0) : Math.max(each, used[i]?.[k] ?? 0) + (queues[i - 1]?.most ?? 0)))),
    used: used.flat(),
    pending: pending.flat(),
    unreserved: pending.flatMap((row, i) => row.map((each) => Math.max(0, each - (queues[i - 1]?.reserved ?? 0)))),
    isProtected: [0, ...queues.map((each) => each.isProtected)],
    priority: [0, ...queues.map((each) => each.priority)],
  }
}

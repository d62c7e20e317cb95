import type { ClusterView, Demand, LaneId, NodeId, ShapeId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weighted, type WeightedOptions } from '../src/index.js'
import { scarcity, strategyFit } from '../src/scored/scores.js'
import { Play } from './world.js'

// Volcano's plug-in resource-strategy-fit, with cases of its own tests (resource_strategy_fit_test.go).

const RESOURCES = ['cpu', 'memory', 'gpu', 'foo']
const of = (amounts: Demand): number[] => RESOURCES.map((name) => amounts[name] ?? 0)
/** The weight of a resource, and whether nodes are better that have more of it in use. */
type Strategies = Readonly<Record<string, readonly [weight: number, type: 'least' | 'most']>>

/** The score of the task on a node, of which so much is in use, with the plug-in's own weight 10. */
function score(asked: Demand, used: Demand, total: Demand, strategies: Strategies): number {
  const [ask, use, all] = [asked, used, total].map(of) as [number[], number[], number[]]
  const cluster = { lanes: [{ resources: RESOURCES.map((_, r) => r) }], total: (_: NodeId, r: number) => all[r], free: (_: NodeId, r: number) => (all[r] as number) - (use[r] as number) } as unknown as ClusterView
  const work = { demand: (_: ShapeId, r: number) => ask[r] } as unknown as WorkView
  const weights = RESOURCES.map((name) => strategies[name]?.[0] ?? 0)
  return 10 * strategyFit(weights, RESOURCES.map((name) => (strategies[name]?.[1] === 'most' ? 1 : 0)))(0 as NodeId, 0 as ShapeId, 0 as LaneId, cluster, work)
}

const hundred = { cpu: 100, memory: 100 }
const inUse = { cpu: 200, memory: 200 }
it.each<[string, Demand, Demand, Strategies, number]>([
  ['test1', hundred, { cpu: 500, memory: 500 }, { cpu: [1, 'least'], memory: [1, 'least'] }, 400],
  ['test2', hundred, { cpu: 400, memory: 400 }, { cpu: [1, 'least'], memory: [1, 'least'] }, 250],
  ['test3', hundred, { cpu: 500, memory: 500 }, { cpu: [1, 'most'], memory: [1, 'most'] }, 600],
  ['test4', hundred, { cpu: 400, memory: 400 }, { cpu: [1, 'most'], memory: [1, 'most'] }, 750],
  ['test5', hundred, { cpu: 500, memory: 500 }, { cpu: [2, 'least'], memory: [1, 'most'] }, 466.66666667],
  ['test6', hundred, { cpu: 500, memory: 500 }, { cpu: [1, 'least'], memory: [2, 'most'] }, 533.33333333],
  ['test7', { memory: 100 }, { cpu: 500, memory: 500 }, { cpu: [1, 'least'], memory: [2, 'most'] }, 600],
  ['test8', hundred, { memory: 400 }, { cpu: [1, 'least'], memory: [2, 'most'] }, 500],
  ['test9', hundred, { cpu: 500, memory: 500 }, { memory: [2, 'most'] }, 600],
])('a node is scored as in TestScore: %s', (_, asked, total, strategies, expected) => {
  expect(score(asked, inUse, total, strategies)).toBeCloseTo(expected, 7)
})

it('nodes are scored as in TestResourceStrategyFitPlugin', () => {
  const four = { cpu: 4, memory: 4 }
  const nodes = [{ ...four, gpu: 10 }, { ...four, gpu: 5 }, { ...four, foo: 10 }, { ...four, foo: 5 }]
  const scores = (asked: Demand, among: readonly Demand[], foo: number) => among.map((node) => score({ cpu: 1, memory: 1, ...asked }, {}, node, { gpu: [1, 'most'], foo: [foo, 'least'] }))
  // a task that asks for GPUs has no more than 0 on nodes without any, and here may not be there
  expect([{ foo: 2 }, { foo: 3 }].map((asked) => scores(asked, nodes.slice(2), 1))).toEqual([[800, 600], [700, 400]])
  expect([{ gpu: 2 }, { gpu: 3 }].map((asked) => scores(asked, nodes, 1).map(Math.round))).toEqual([[200, 400, 0, 0], [300, 600, 0, 0]])
  const [fifth, sixth] = scores({ gpu: 4, foo: 4 }, [{ ...four, gpu: 10, foo: 5 }, { ...four, foo: 10 }], 2)
  expect(fifth).toBeCloseTo(266.66666666, 7)
  expect(sixth).toBeCloseTo(399.99999999, 7)
})

it.each<[string, Demand, readonly number[]]>([
  // sra_test.go: TestNode, with weights of 2 and 3, and with 2 alone; nodes that lack what the task asks for are not in question
  ['t4 and a10', { t4: 2, a10: 3 }, [500, 300, 200, 0]],
  ['t4', { t4: 2 }, [500, 0, 500, 0]],
  ['nothing', {}, [0, 0, 0, 0]],
])('nodes are scored by scarce resources as in TestNode: %s', (_, weights, expected) => {
  const names = ['cpu', 'memory', 't4', 'a10']
  const nodes = [{ cpu: 32, memory: 64 }, { cpu: 8, memory: 16, t4: 16 }, { cpu: 8, memory: 16, a10: 16 }, { cpu: 8, memory: 16, t4: 8, a10: 16 }] as readonly Demand[]
  const cluster = { lanes: [{ resources: names.map((_, r) => r) }], total: (node: NodeId, r: number) => nodes[node]?.[names[r] as string] ?? 0 } as unknown as ClusterView
  const score = scarcity(names.map((name) => weights[name] ?? 0))
  expect(nodes.map((_, node) => Math.round(5 * score(node as NodeId, 0 as ShapeId, 0 as LaneId, cluster, {} as WorkView)))).toEqual(expected)
})

describe('the placement', () => {
  const scores = { 'strategy-fit-percentage': 10 }

  it('puts tasks where TestAllocate wants them, beside nodeorder', () => {
    const options: WeightedOptions = {
      scores: { ...scores, 'least-allocated': 1, 'balanced-allocation': 1 },
      resourceWeightsOf: { 'strategy-fit-percentage': { cpu: 1, mem: 0, gpu: 2 }, 'least-allocated': { gpu: 0 } },
      strategies: { gpu: 'most-allocated' },
    }
    const node = (name: string, gpu: number) => ({ name, count: 1, resources: { cpu: 5, mem: 10, gpu }, labels: { type: gpu > 0 ? 'gpu' : 'cpu' } })
    const placed = (type: string, demand: Demand, used: number) => {
      const play = new Play({ nodes: [node('n1', 10), node('n2', 10), node('n3', 0), node('n4', 0)] }, weighted({ ...options, labels: { type } }))
      play.use(used, demand)
      return play.places(1, demand)
    }
    expect(placed('gpu', { cpu: 1, mem: 1, gpu: 2 }, 1)).toEqual(['n2-0']) // GPU MostAllocated
    expect(placed('cpu', { cpu: 1, mem: 1 }, 2)).toEqual(['n4-0']) // cpu LeastAllocated
  })

  it('takes the best node by the formula of the plug-in', () => {
    const names = ['cpu', 'mem', 'gpu']
    const each = <T>(value: fc.Arbitrary<T>) => fc.tuple(value, value, value)
    const nodes = fc.array(fc.record({ total: each(fc.integer({ min: 3, max: 20 })), used: each(fc.nat({ max: 10 })) }), { minLength: 3, maxLength: 6 })
    let compared = 0
    fc.assert(
      fc.property(nodes, each(fc.nat({ max: 3 })), each(fc.nat({ max: 5 })), each(fc.boolean()), (given, asked, weights, most) => {
        const named = (amounts: readonly number[]) => Object.fromEntries(names.map((name, r) => [name, amounts[r] as number]))
        const worlds = given.map(({ total, used }) => ({ total, used: used.map((amount, r) => Math.min(amount, total[r] as number)) }))
        const room = worlds.map(({ total, used }) => asked.every((amount, r) => (used[r] as number) + amount <= (total[r] as number)))
        if (!room.includes(true) || asked.every((amount) => amount === 0)) return
        const strategies = Object.fromEntries(names.flatMap((name, r) => (most[r] ? [[name, 'most-allocated' as const]] : [])))
        const play = new Play({ nodes: worlds.map(({ total }, i) => ({ name: `n${i}`, names: [`n-${i}`], count: 1, resources: named(total) })) }, weighted({ scores, resourceWeights: named(weights), strategies }))
        worlds.forEach(({ used }, i) => { if (used.some((amount) => amount > 0)) play.use(i, named(used)) })
        const reference = worlds.map(({ total, used }, i) => {
          let [sum, all] = [0, 0]
          for (const [r, ask] of asked.entries()) {
            if (ask === 0) continue
            all += weights[r] as number
            const then = (used[r] as number) + ask
            sum += (weights[r] as number) * ((most[r] ? then : (total[r] as number) - then) / (total[r] as number))
          }
          return room[i] !== true ? -Infinity : all === 0 ? 0 : sum / all
        })
        const [taken] = play.place(1, named(asked))
        expect(reference[taken as number]).toBeGreaterThan(Math.max(...reference) - 1e-9)
        if (new Set(reference.filter((value) => value > -Infinity)).size > 1) compared++
      }),
      { seed: 5, numRuns: 600, endOnFailure: true },
    )
    expect(compared).toBeGreaterThan(150)
  })

  it('keeps tasks that need no GPUs off nodes with some, as long as there is room elsewhere', () => {
    const nodes = [{ name: 'gpu', count: 1, resources: { cpu: 4, gpu: 2 } }, { name: 'cpu', count: 1, resources: { cpu: 2, gpu: 0 } }]
    const play = new Play({ nodes }, weighted({ scores: { 'scarcity-percentage': 1 }, resourceWeightsOf: { 'scarcity-percentage': { cpu: 0 } } }))
    expect([...play.places(3, { cpu: 1 }), ...play.places(1, { cpu: 1, gpu: 1 })]).toEqual(['cpu-0', 'cpu-0', 'gpu-0', 'gpu-0'])
  })

  it('refuses strategies of resources that no node has', () => {
    expect(() => new Play({ nodes: [{ count: 1, resources: { cpu: 2 } }] }, weighted({ scores, strategies: { cpus: 'most-allocated' } }))).toThrow('the cluster has no resource "cpus"')
  })
})

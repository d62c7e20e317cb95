import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparators, compareNodes, nodeWeight, performanceIndex, roundedWeights, type Comparator } from '../src/index.js'
import { job, run } from '@sched/testkit'
import { placing, Play } from './world.js'

/** Values to six places. */
const to6 = (values: readonly number[]) => values.map((value) => Number(value.toFixed(6)))

/** Unit containers dealt out one by one on fresh nodes of these sizes. */
function deal(comparator: Comparator, totals: readonly number[], weights: readonly number[], containers: number) {
  const nodes = totals.map((_, i) => ({ name: `n${i}`, count: 1, resources: { memory: totals[i] as number } }))
  const given = Object.fromEntries(weights.map((weight, i) => [`n${i}`, weight]))
  const order = new Play({ nodes }, nodeWeight({ comparator, weights: given })).places(containers, { memory: 1 }).map((name) => Number(name.slice(1, -2)))
  return { order, counts: totals.map((_, i) => order.filter((node) => node === i).length) }
}

describe('performance index, equations (1) to (8)', () => {
  it('of unequal hardware equally used (fact 1)', () => {
    const nodes = [{ cores: 8, memory: 16 }, { cores: 4, memory: 8 }].map((node) => ({ ...node, cpuUse: [0.5], memoryUse: [0.5] }))
    const { hardware, idle, performance } = performanceIndex(nodes)
    expect(to6(hardware)).toEqual([0.666667, 0.333333])
    expect(to6(idle)).toEqual([0.5, 0.5])
    expect(to6(performance)).toEqual([0.6, 0.4])
  })

  it('of equal hardware unequally used (fact 2)', () => {
    const { idle, performance } = performanceIndex([
      { cores: 4, memory: 8, cpuUse: [0.2], memoryUse: [0.4] },
      { cores: 4, memory: 8, cpuUse: [0.6], memoryUse: [0.8] },
    ])
    expect(to6(idle)).toEqual([0.7, 0.3]) // 1.4 and 0.6 of 2
    expect(to6(performance)).toEqual([0.58, 0.42])
  })

  it('of the illustrative three servers: 3 : 3 : 1 (fact 3)', () => {
    const use = (part: number) => ({ cpuUse: Array.from({ length: 10 }, () => part), memoryUse: Array.from({ length: 10 }, () => part) })
    const { hardware, idle, performance } = performanceIndex([
      { cores: 8, memory: 8, ...use(0.5) },
      { cores: 8, memory: 8, ...use(0.5) },
      { cores: 2, memory: 1, ...use(0.7) },
    ])
    expect(to6(hardware)).toEqual([0.457516, 0.457516, 0.084967])
    expect(to6(idle)).toEqual([0.384615, 0.384615, 0.230769])
    expect(to6(performance)).toEqual([0.428356, 0.428356, 0.143288])
    expect(((performance[0] as number) / (performance[2] as number)).toFixed(4)).toBe('2.9895')
    expect(roundedWeights(performance)).toEqual([3, 3, 1])
  })

  it('of three unlike nodes (fact 4)', () => {
    const { hardware, idle, performance } = performanceIndex([
      { cores: 10, memory: 32, cpuUse: [0.3], memoryUse: [0.5] },
      { cores: 5, memory: 16, cpuUse: [0.6], memoryUse: [0.4] },
      { cores: 5, memory: 16, cpuUse: [0.9], memoryUse: [0.7] },
    ])
    expect(to6(hardware)).toEqual([0.5, 0.25, 0.25])
    expect(to6(idle)).toEqual([0.461538, 0.384615, 0.153846])
    expect(to6(performance)).toEqual([0.484615, 0.303846, 0.211538])
  })

  it('sums to 1 in every part, and goes with the nodes in whatever order they stand', () => {
    const node = fc.record({ cores: fc.integer({ min: 1, max: 64 }), memory: fc.integer({ min: 1, max: 512 }), cpuUse: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 10 }) })
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 8 }), fc.nat(), (nodes, turn) => {
        const at = turn % nodes.length
        const turned = [...nodes.slice(at), ...nodes.slice(0, at)]
        const [index, other] = [performanceIndex(nodes), performanceIndex(turned)]
        for (const part of ['hardware', 'idle', 'performance'] as const) {
          expect(index[part].reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12)
          for (const [i, value] of other[part].entries()) expect(value).toBeCloseTo(index[part][(i + at) % nodes.length] as number, 12)
        }
        expect(Math.min(...roundedWeights(index.performance))).toBe(1)
      }),
      { seed: 8, numRuns: 100 },
    )
  })

  it('counts nodes that are all busy as equally idle', () => {
    const busy = { cores: 1, memory: 1, cpuUse: [1], memoryUse: [1] }
    expect(performanceIndex([busy, busy]).idle).toEqual([0.5, 0.5])
  })

  it('refuses nodes without hardware, and samples that are no parts', () => {
    expect(() => performanceIndex([{ cores: 0, memory: 1 }])).toThrow('node 0 has 0 cores and 1 of memory.')
    expect(() => performanceIndex([{ cores: 1, memory: 1, cpuUse: [1.2] }])).toThrow('a sample of node 0 is 1.2.')
    expect(() => performanceIndex([{ cores: 1, memory: 1, cpuUse: [NaN] }])).toThrow('a sample of node 0 is NaN.')
  })
})

describe('order of nodes', () => {
  it('deals equal nodes out by weights 3, 3, 1, but not in that proportion (fact 5)', () => {
    expect(deal('weighted', [10, 10, 10], [3, 3, 1], 7)).toEqual({ order: [0, 1, 0, 1, 0, 1, 0], counts: [4, 3, 0] })
    expect(deal('weighted', [10, 10, 10], [3, 3, 1], 14).counts).toEqual([7, 7, 0])
    expect(deal('weighted', [10, 10, 10], [3, 3, 1], 20).counts).toEqual([8, 8, 4])
    expect(deal('absolute', [10, 10, 10], [3, 3, 1], 14).counts).toEqual([5, 5, 4])
    expect(deal('ratio', [10, 10, 10], [3, 3, 1], 14).counts).toEqual([5, 5, 4])
  })

  it('deals unlike nodes out by each comparator (fact 5)', () => {
    expect(deal('absolute', [8, 8, 4], [3, 3, 1], 14).counts).toEqual([6, 6, 2])
    expect(deal('ratio', [8, 8, 4], [3, 3, 1], 14).counts).toEqual([6, 5, 3])
    expect(deal('weighted', [8, 8, 4], [3, 3, 1], 14).counts).toEqual([7, 6, 1])
  })

  it('proportional, ours, deals out as the weights say', () => {
    expect(deal('proportional', [10, 10, 10], [3, 3, 1], 7).counts).toEqual([3, 3, 1])
    expect(deal('proportional', [10, 10, 10], [3, 3, 1], 14).counts).toEqual([6, 6, 2])
  })

  it('compares a (40 of 100 free) and b (30 of 40 free) in every way (fact 6)', () => {
    const a = { available: 40, total: 100, weight: 3, assigned: 60 }
    const b = { available: 30, total: 40, weight: 1, assigned: 10 }
    expect(compareNodes('absolute')(a, b)).toBeLessThan(0)
    expect(comparators.ratio(a)).toBe(0.4)
    expect(comparators.ratio(b)).toBe(0.75)
    expect(compareNodes('ratio')(a, b)).toBeGreaterThan(0)
    expect(compareNodes('weighted')(a, b)).toBeLessThan(0) // 1.20 against 0.75
    expect(compareNodes('weighted')({ ...a, weight: 1.875 }, b)).toBe(0)
    expect(compareNodes('weighted')({ ...a, weight: 1.87 }, b)).toBeGreaterThan(0)
  })

  it('takes weights from the hardware where none are given', () => {
    const nodes = [{ name: 'big', count: 1, resources: { cpu: 6, memory: 60 } }, { name: 'small', count: 1, resources: { cpu: 2, memory: 60 } }]
    // h = 6/8 + 1/2 and 2/8 + 1/2: 0.625 and 0.375 of the hardware, half of the idle: 0.575 and 0.425, rounded 1 and 1
    const placed = (round: boolean) => new Play({ nodes }, nodeWeight({ round })).places(4, { cpu: 1, memory: 10 })
    expect(placed(true)).toEqual(['big-0', 'small-0', 'big-0', 'small-0'])
    expect(placed(false)).toEqual(['big-0', 'big-0', 'small-0', 'big-0']) // 0.575, 0.479, 0.425 before 0.383
  })

  it('goes by the hardware that a cluster describes, whatever its nodes offer', () => {
    const node = (name: string, cores: number, memory: number) => ({ name, count: 1, resources: { memory: 8 }, hardware: { cores, memory } })
    const measured = { cpu: [0.5], memory: [0.5] }
    const options = { probe: { big: measured, small: { cpu: [0.7], memory: [0.7] } } }
    // fact 3: 3 : 3 : 1, so the small one waits until a third of the others is left
    const { recorder } = run({ policy: placing(nodeWeight(options)), jobs: [job({ tasks: 14, demand: { memory: 1 } })], cluster: { nodes: [{ ...node('big', 8, 8), count: 2 }, node('small', 2, 1)] } })
    const on = (name: string) => recorder.launches.filter((launch) => launch.node === name).length
    expect(['big-0', 'big-1', 'small-0'].map(on)).toEqual([6, 6, 2])
  })

  it('measures its weights again where it is told to, by what is in use', () => {
    const placed = (refresh: number | undefined) => {
      const play = new Play({ nodes: [{ count: 2, resources: { cpu: 10, memory: 10 } }] }, nodeWeight({ round: false, ...(refresh !== undefined && { refresh }) }))
      play.use(0, { cpu: 8 })
      const before = play.place(2, { memory: 1 })
      play.now = 5
      return [before, play.place(2, { memory: 1 })]
    }
    expect(placed(undefined)).toEqual([[0, 1], [0, 1]])
    // idle 0.2 + 0.9 and 1 + 0.9 of 3: performance 0.447 and 0.553, so 0.9 x 0.553 and then 0.8 x 0.553 beat 0.9 x 0.447
    expect(placed(5)).toEqual([[0, 1], [1, 1]])
    expect(placed(6)).toEqual([[0, 1], [0, 1]])
  })

  it('measures when a container is placed, not when there was no room for one', () => {
    const play = new Play({ nodes: [{ count: 2, resources: { cpu: 10, memory: 10 } }] }, nodeWeight({ round: false, refresh: 5 }))
    play.use(0, { cpu: 8 })
    play.place(2, { memory: 1 })
    play.now = 5
    expect(play.place(1, { memory: 10 })).toEqual([])
    play.drop()
    play.use(1, { cpu: 8 })
    play.now = 6
    expect(play.place(2, { memory: 1 })).toEqual([0, 1]) // both as idle at 6; at 5 node 1 would have been better for both
  })

  it('takes scores for equal that differ by rounding alone: 24 x 0.7 / 24 is 0.6999999999999998', () => {
    const nodes = [{ name: 'a', count: 1, resources: { memory: 24 } }, { name: 'b', count: 1, resources: { memory: 8 } }]
    expect(new Play({ nodes }, nodeWeight({ weights: { a: 0.7, b: 0.7 } })).places(1, { memory: 1 })).toEqual(['a-0'])
  })

  it('measures what tasks really use where the cluster describes its hardware', () => {
    const cluster = { nodes: [{ count: 2, resources: { memory: 8 }, hardware: { cores: 4, memory: 8 } }] }
    const stage = (tasks: number, cores: number) => [{ name: 's', tasks, demand: { memory: 1 }, duration: 100, use: { cores } }]
    const jobs = [{ id: 'heavy', submit: 0, stages: stage(1, 4) }, { id: 'light', submit: 10, stages: stage(4, 0.1) }]
    const nodes = (options: Parameters<typeof nodeWeight>[0]) =>
      run({ policy: placing(nodeWeight({ round: false, ...options })), jobs, cluster }).recorder.launches.slice(1).map(({ node }) => node.at(-1)).join('')
    // all cores of node 0 are in use at 10: idle 1 and 2 of 3, performance 13/30 and 17/30; 8/8, 7/8, 6/8 of 17 are above 7/8 of 13, 5/8 is not
    expect(nodes({ refresh: 5 })).toBe('1110')
    expect(nodes({})).toBe('1010') // alike: 8/8, then 7/8 and 7/8, the lower first
  })

  it('refuses a node without a weight, a weight or a probe of an absent node, and a cluster without memory', () => {
    const play = (options: Parameters<typeof nodeWeight>[0], nodes: object = { cpu: 1, memory: 1 }) => () => new Play({ nodes: [{ count: 2, resources: nodes as Record<string, number> }] }, nodeWeight(options))
    expect(play({ weights: { 'node-0': 1 } })).toThrow('node "node-1" has no weight.')
    expect(play({ weights: { node: 1, other: 2 } })).toThrow('no node is called "other".')
    const samples = { cpu: [0.1], memory: [0.1] }
    expect(play({ probe: { 'node-0': samples } })).toThrow('the probe has no samples of node "node-1".')
    expect(play({ probe: { 'node-0': samples, 'node-1': samples, 'node-2': samples } })).toThrow('no node is called "node-2".')
    expect(play({ weights: { node: 1 }, refresh: 10 })).toThrow('weights are given, and to be measured again. Leave one of the two out.')
    expect(play({ cores: 'core' })).toThrow('no resource is called "core".')
    expect(play({}, { cpu: 1 })).toThrow('no resource of the cluster stands for memory: it has cpu.')
    expect(play({ probe: { 'node-0': { cpu: [], memory: [0.1] } } })).toThrow(/cpu/)
  })
})

describe('the published run times (fact 7)', () => {
  it('are 538 s and 307 s, a saving of 42.9 %', () => {
    const seconds = (from: string, to: string) => (Date.parse(`2017-01-01T${to}Z`) - Date.parse(`2017-01-01T${from}Z`)) / 1000
    const [before, after] = [seconds('08:57:21', '09:06:19'), seconds('13:44:24', '13:49:31')]
    expect([before, after]).toEqual([538, 307])
    expect((1 - after / before).toFixed(5)).toBe('0.42937')
    expect((before / after).toFixed(5)).toBe('1.75244')
  })
})

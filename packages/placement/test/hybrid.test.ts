import type { Demand } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hybrid, type HybridOptions } from '../src/index.js'
import { Play } from './world.js'

/** Of a node: what it has, and what of it is free. */
type Node = readonly [total: Demand, free?: Demand]

/** Nodes of which as much is free as said; `preferred` is the first of them. */
function playOn(nodes: readonly Node[], options: HybridOptions = {}, seed = 1): Play {
  const groups = nodes.map(([resources], i) => ({ names: [`n-${i}`], name: `g${i}`, count: 1, resources: { ...resources } }))
  const play = new Play({ nodes: groups }, hybrid({ topKFraction: 0, ...options }), seed)
  for (const [node, [total, free = total]] of nodes.entries()) {
    const used = Object.entries(total).map(([name, amount]) => [name, amount - (free[name] as number)] as const)
    if (used.some(([, amount]) => amount > 0)) play.use(node, Object.fromEntries(used))
  }
  return play
}
const local = { preferred: 'n-0' }
const first = (nodes: readonly Node[], demand: Demand, options: HybridOptions = local): number | undefined => playOn(nodes, options).place(1, demand)[0]

describe("Ray's own cases (scheduling_policy_test.cc, hybrid_scheduling_policy_test.cc)", () => {
  it('AvailableTruncation: below the threshold nodes are alike, and the one of the driver is taken', () => {
    const nodes: Node[] = [[{ cpu: 200 }, { cpu: 150 }], [{ cpu: 200 }, { cpu: 175 }]]
    expect(first(nodes, { cpu: 100 })).toBe(0)
    expect(first([...nodes].reverse(), { cpu: 100 }, { preferred: 'n-1' })).toBe(1)
  })

  it('AvailableTieBreak: half of the node is not below a threshold of half', () => {
    expect(first([[{ cpu: 200 }, { cpu: 100 }], [{ cpu: 200 }, { cpu: 150 }]], { cpu: 100 })).toBe(1)
    expect(first([[{ cpu: 200 }, { cpu: 100 }], [{ cpu: 200 }, { cpu: 150 }]], { cpu: 100 }, { ...local, spreadThreshold: 0.51 })).toBe(0)
  })

  it('AvailableOverFeasible: a node that has no room now is not taken', () => {
    expect(first([[{ cpu: 10, gpu: 1 }, { cpu: 10, gpu: 0 }], [{ cpu: 10, gpu: 1 }, { cpu: 1, gpu: 1 }]], { cpu: 1, gpu: 1 })).toBe(1)
  })

  it('AvoidSchedulingCPURequestsOnGPUNodes', () => {
    const nodes: Node[] = [[{ cpu: 10, gpu: 1 }], [{ cpu: 2 }, { cpu: 1 }]]
    expect([{ cpu: 1 }, { gpu: 1, cpu: 0 }, { cpu: 1, gpu: 1 }].map((demand) => first(nodes, demand))).toEqual([1, 0, 0])
    expect(first(nodes, { cpu: 1 }, { ...local, avoidGpuNodes: false })).toBe(0)
  })

  it('SchedulenCPURequestsOnGPUNodeAsALastResort', () => {
    expect(first([[{ cpu: 10 }, { cpu: 0 }], [{ cpu: 1, gpu: 1 }]], { cpu: 1 })).toBe(1)
  })

  it('NonGpuNodePreferredScheduling', () => {
    const nodes: Node[] = [[{ cpu: 2, gpu: 1 }], [{ cpu: 2 }], [{ cpu: 3 }]]
    expect([{ cpu: 1 }, { cpu: 3 }, { cpu: 1, gpu: 1 }, { cpu: 2 }].map((demand) => first(nodes, demand))).toEqual([1, 2, 0, 1])
  })

  it('GetBestNode: the node used least, the lowest of equals; drawn among the best three it is any of these', () => {
    // used: 0.6, 0.7, and two below the threshold
    const nodes: Node[] = [[{ cpu: 100 }, { cpu: 90 }], [{ cpu: 100 }, { cpu: 90 }], [{ cpu: 100 }, { cpu: 40 }], [{ cpu: 100 }, { cpu: 30 }]]
    expect(first(nodes, { cpu: 1 }, {})).toBe(0)
    const drawn = Array.from({ length: 60 }, (_, seed) => playOn(nodes, { topKAbsolute: 3 }, seed).place(1, { cpu: 1 })[0])
    expect(new Set(drawn)).toEqual(new Set([0, 1, 2]))
  })

  it('GetBestNodePrioritizePreferredNode: the preferred node is taken if none is better', () => {
    const nodes: Node[] = [[{ cpu: 100 }, { cpu: 50 }], [{ cpu: 100 }], [{ cpu: 100 }]]
    expect(['n-0', 'n-1', 'n-2'].map((preferred) => first(nodes, { cpu: 1 }, { preferred, topKAbsolute: 3 }))[2]).toBe(2)
    expect(['n-0', 'n-1', 'n-2'].map((preferred) => first(nodes, { cpu: 1 }, { preferred }))).toEqual([1, 1, 2])
  })

  it('CriticalResourceUtilization: the largest of processors and memory counts, GPUs do not', () => {
    const nodes: Node[] = [[{ cpu: 2, memory: 4, gpu: 2 }, { cpu: 1, memory: 1, gpu: 1 }], [{ cpu: 10, memory: 4, gpu: 2 }, { cpu: 3, memory: 4, gpu: 0 }]]
    expect(first(nodes, { cpu: 1 }, {})).toBe(1) // 0.7 against 0.75
    expect(first(nodes, { cpu: 1 }, { resources: ['cpu'] })).toBe(0)
  })
})

describe('hybrid', () => {
  it('fills nodes up to the threshold in order, then the node used least', () => {
    expect(playOn(Array(3).fill([{ cpu: 4 }])).place(12, { cpu: 1 })).toEqual([0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1, 2])
    expect(playOn(Array(3).fill([{ cpu: 4 }]), { spreadThreshold: 0 }).place(6, { cpu: 1 })).toEqual([0, 1, 2, 0, 1, 2])
  })

  it('goes to data where a node that has some is as good as the best', () => {
    const data = { data: { hosts: [['n-2'], ['n-2'], ['n-2']] } }
    expect(playOn(Array(3).fill([{ cpu: 4 }])).place(3, { cpu: 1 }, data)).toEqual([2, 2, 0])
    expect(playOn(Array(3).fill([{ cpu: 4 }]), { preferred: 'n-1' }).place(3, { cpu: 1 }, data)).toEqual([2, 2, 0]) // the node of the driver counts for jobs without
    expect(playOn(Array(3).fill([{ cpu: 4 }]), { preferred: 'n-1' }).place(3, { cpu: 1 })).toEqual([1, 1, 0])
  })

  it.each([
    [{ preferred: 'n-9' }, /no node "n-9".*Did you mean "n-0"/],
    [{ resources: ['cpus'] }, /no resource "cpus".*Did you mean "cpu"/],
  ])('names what the cluster has not: %o', (options, message) => {
    expect(() => playOn([[{ cpu: 1 }]], options)).toThrow(message)
  })

  it('chooses as written down plainly', { tags: 'long' }, () => {
    const node = fc.record({ cpu: fc.integer({ min: 1, max: 8 }), memory: fc.integer({ min: 1, max: 8 }), gpu: fc.nat({ max: 1 }), busy: fc.nat({ max: 8 }) })
    const choices = fc.record({ spreadThreshold: fc.constantFrom(0, 0.25, 0.5, 1), topKAbsolute: fc.integer({ min: 1, max: 4 }), topKFraction: fc.constantFrom(0, 0.5), avoidGpuNodes: fc.boolean() })
    let drawn = 0
    fc.assert(
      fc.property(fc.array(node, { minLength: 2, maxLength: 8 }), choices, fc.nat(), fc.nat({ max: 7 }), fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }), (given, options, seed, at, asked) => {
        const preferred = at < given.length ? at : undefined
        const nodes = given.map(({ cpu, memory, gpu, busy }): { total: Demand; free: Record<string, number> } => ({ total: { cpu, memory, gpu }, free: { cpu: Math.max(0, cpu - busy), memory, gpu } }))
        const play = playOn(nodes.map(({ total, free }) => [total, { ...free }]), { ...options, ...(preferred !== undefined && { preferred: `n-${preferred}` }) }, seed)
        for (const cpu of asked.filter((each) => given.some((one) => one.cpu >= each))) {
          const [node] = play.place(1, { cpu, memory: 1 })
          play.drop()
          const fitting = nodes.flatMap(({ free }, i) => ((free.cpu as number) >= cpu && (free.memory as number) >= 1 ? [i] : []))
          const without = fitting.filter((i) => nodes[i]?.total.gpu === 0)
          const among = options.avoidGpuNodes && without.length > 0 ? without : fitting
          const use = (i: number) => {
            const { total, free } = nodes[i] as (typeof nodes)[number]
            const most = Math.max(...['cpu', 'memory'].map((r) => 1 - (free[r] as number) / (total[r] as number)))
            return most < options.spreadThreshold ? 0 : most
          }
          const sorted = among.toSorted((a, b) => use(a) - use(b) || a - b)
          const isBest = preferred !== undefined && among.includes(preferred) && use(preferred) === use(sorted[0] as number)
          const candidates = isBest ? [preferred] : sorted.slice(0, Math.max(options.topKAbsolute, Math.floor(nodes.length * options.topKFraction)))
          if (node === undefined) expect(among).toEqual([])
          else {
            expect(candidates).toContain(node)
            const { free } = nodes[node] as (typeof nodes)[number]
            free.cpu = (free.cpu as number) - cpu
            free.memory = (free.memory as number) - 1
            drawn++
          }
        }
      }),
      { seed: 11, numRuns: 400 },
    )
    expect(drawn).toBeGreaterThan(500)
  })
})

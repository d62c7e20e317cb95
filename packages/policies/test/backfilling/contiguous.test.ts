import type { JobSpec, NodeId, Observer } from '@sched/core'
import { conservative, easy, fifo, greedy, multifactor, replan, slurmPreempting, type ReplanOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { bestRuns } from '../../src/backfilling/node-runs.js'
import { startsOf } from './machine.js'

const spec = (id: string, tasks: number, seconds: number, change: Partial<JobSpec> = {}): JobSpec =>
  ({ id, submit: 0, estimate: Math.ceil(seconds / 60) * 60, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: seconds }], ...change })

/** The start of each job and the node of each of its tasks, on nodes of a processor. */
function placesOf(specs: readonly JobSpec[], nodes: number, options: ReplanOptions = {}, policy = replan(fifo(), { nodes: 'named', ...options })) {
  const places: Record<string, number[]> = {}
  const names: string[] = []
  const watch: Observer = { onSubmit: (job, { id }) => void (names[job] = id), onTaskStart: (_task, job, _lane, node) => void (places[names[job] ?? ''] ??= []).push(node) }
  const starts = startsOf(specs, [1], policy, { nodes, observers: [watch] })
  return Object.fromEntries([...starts].map(([id, start]) => [id, [start, ...(places[id] as number[])]]))
}

// A to D hold nodes 0 to 3, of which 0 and 2 are free first, then 1
const held = [60, 120, 60, 180].map((seconds, i) => spec('ABCD'[i] as string, 1, seconds))
const two = (change: Partial<JobSpec> = {}) => spec('K', 2, 60, { submit: 1, contiguous: true, ...change })

describe('jobs that ask for consecutive nodes', () => {
  it('wait for them while others take what is free', () => {
    expect(placesOf([...held, two()], 4)['K']).toEqual([120, 0, 1])
    expect(placesOf([...held, two({ contiguous: false })], 4)['K']).toEqual([60, 0, 2])
    expect(placesOf([...held, two()], 4, { select: 'cons_tres' })['K']).toEqual([120, 0, 1])
    expect(placesOf([...held, two()], 4, { twoPass: true, bf_interval: 1 })['K']).toEqual([120, 0, 1])
  })

  it('have a node each of their own, the fewest and the most that they say', () => {
    expect(placesOf([...held, two({ minNodes: 2, maxNodes: 2 })], 4)['K']).toEqual([120, 0, 1])
    expect(placesOf([...held, spec('K', 1, 60, { submit: 1, contiguous: true })], 4)['K']).toEqual([60, 0])
  })

  it('are where Slurm 22.05.8 had them', () => {
    // 4 nodes of a processor. y1 and y3 make room; x2 and x4 were on n2 and n4 (--nodelist) for 40 and 70 s, with limits of 2 and 3 minutes. Two seconds later came k and k3
    // (--contiguous, 2 and 3 nodes), l (-t10 --time-min=1, ran until it was killed) and m (1 node). Slurm began k at 40 s on n2 and n3, k3 at 71 s on n2 to n4
    const queue = [
      spec('y1', 1, 1), spec('x2', 1, 40, { estimate: 120 }), spec('y3', 1, 1), spec('x4', 1, 71, { estimate: 180 }),
      spec('k', 2, 15, { submit: 2, contiguous: true }), spec('k3', 3, 15, { submit: 2, contiguous: true }),
      spec('l', 1, 200, { submit: 2, estimate: 600, minEstimate: 60 }), spec('m', 1, 10, { submit: 2, contiguous: true }),
    ]
    expect(placesOf(queue, 4, { select: 'cons_tres', bf_resolution: 1 })).toMatchObject({ l: [2, 0], m: [2, 2], k: [40, 1, 2], k3: [71, 1, 2, 3] })
  })

  it('are given those of the least weight that hold all of them, and no others are used up before', () => {
    const places: NodeId[] = []
    const one = { least: 1, wanted: 1, isOneRun: true }
    expect([bestRuns(Int32Array.of(1, 0, 1, 1), 2, places, undefined, one), places]).toEqual([true, [2, 3]])
    expect([bestRuns(Int32Array.of(1, 0, 1, 1), 3, places, undefined, one), places]).toEqual([false, []])
    expect([bestRuns(Int32Array.of(1, 1, 1, 1), 2, places, Float64Array.of(1, 2, 3, 3), one), places]).toEqual([true, [2, 3]]) // nodes of one weight are a run
    expect([bestRuns(Int32Array.of(1, 1, 0, 1, 1), 2, places, Float64Array.of(3, 3, 3, 2, 2), one), places]).toEqual([true, [3, 4]])
    expect([bestRuns(Int32Array.of(4, 0, 1, 1, 2), 4, places, undefined, { least: 2, wanted: 2, isOneRun: true }), places]).toEqual([true, [2, 3, 4, 4]])
  })

  it('take the place of others on consecutive nodes, and on any where the tree of racks says which (as Slurm)', () => {
    const tiers = { high: 3 }
    // node 1 is held by a job that nobody preempts
    const queue = ['low', 'high', 'low', 'low'].map((name, i) => spec('ABCD'[i] as string, 1, 600, { submit: i, queue: name }))
    const policy = slurmPreempting(replan(multifactor({ tiers }), { nodes: 'named' }), { tiers })
    const nodesOf = (change: Partial<JobSpec>) => placesOf([...queue, two({ submit: 9, queue: 'high', ...change })], 4, {}, policy)['K']
    expect([nodesOf({}), nodesOf({ contiguous: false })]).toEqual([[9, 2, 3], [9, 0, 2]])
    expect(placesOf([...queue.slice(0, 3), two({ submit: 9, queue: 'high' })], 3, {}, policy)['K']).toEqual([601, 0, 1])
    expect(placesOf([...queue.slice(0, 3), two({ submit: 9, queue: 'high', contiguous: false })], 3, {}, policy)['K']).toEqual([9, 0, 2])
    expect(placesOf([...held, two()], 4, { topology: 'tree' })['K']).toEqual([60, 0, 2])
    expect(placesOf([...held, two()], 4, { leastLoaded: true })['K']).toEqual([60, 0, 2])
  })

  it('are told of where nobody heeds that', () => {
    const told = (policy: Parameters<typeof startsOf>[2]) => {
      const warnings: string[] = []
      startsOf([two()], [1], policy, { nodes: 4, warn: (message) => warnings.push(message) })
      return warnings
    }
    for (const policy of [greedy(fifo()), easy(), conservative(fifo(), { nodes: 'named' }), replan(), replan(fifo(), { nodes: 'named', topology: 'tree' })])
      expect(told(policy)).toEqual(['job K asks for consecutive nodes (contiguous), and nothing here heeds that: it goes anywhere. Use `replan` with named nodes and the topology flat.'])
    expect(told(replan(fifo(), { nodes: 'named' }))).toEqual([])
  })
})

import type { JobSpec, NodeId, Observer } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { bestRuns } from '../../src/backfilling/node-runs.js'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, tasks: number, change: Partial<JobSpec> = {}): JobSpec =>
  ({ id, submit: 0, estimate: 10 * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: 10 * MINUTE }], ...change })

/** The start of each job and the node of each of its tasks, on nodes of 4 processors. */
function placesOf(specs: readonly JobSpec[], nodes: number, options: ReplanOptions = {}) {
  const places: Record<string, number[]> = {}
  const names: string[] = []
  const watch: Observer = {
    onSubmit: (job, { id }) => void (names[job] = id),
    onTaskStart: (_task, job, _lane, node) => void (places[names[job] ?? ''] ??= []).push(node),
  }
  const starts = startsOf(specs, [4], replan(fifo(), { nodes: 'named', ...options }), { nodes, observers: [watch] })
  return Object.fromEntries([...starts].map(([id, start]) => [id, [start, ...(places[id] as number[])]]))
}
const runs = (room: readonly number[], tasks: number, spread: { least: number; wanted: number }, weights?: readonly number[]) => {
  const places: NodeId[] = []
  bestRuns(Int32Array.from(room), tasks, places, weights && Float64Array.from(weights), spread)
  return places
}

describe('fewest nodes of a job', () => {
  it('leave a task for each of the others: -N2 -n4 has 3 and 1 processors of two nodes of 4, as in Slurm', () => {
    expect(placesOf([spec('A', 4, { minNodes: 2, maxNodes: 2 }), spec('B', 4)], 3)).toEqual({ A: [0, 0, 0, 0, 1], B: [0, 2, 2, 2, 2] })
    expect(placesOf([spec('A', 4, { minNodes: 4 })], 4)).toEqual({ A: [0, 0, 1, 2, 3] })
  })

  it('keep a job waiting while so many have no room, though its tasks would fit on fewer', () => {
    // B holds node 0 and half of node 1: A (2 tasks on 2 nodes) waits for it, C (2 tasks) does not
    const specs = [spec('B', 6), spec('A', 2, { submit: 1, minNodes: 2 }), spec('C', 2, { submit: 2 })]
    expect(placesOf(specs, 2)).toEqual({ B: [0, 0, 0, 0, 0, 1, 1], C: [600, 0, 0], A: [600, 0, 1] })
    expect(placesOf(specs.slice(0, 2), 2)['A']).toEqual([600, 0, 1])
    expect(placesOf([specs[0] as JobSpec, specs[2] as JobSpec], 2)['C']).toEqual([2, 1, 1])
  })

  it('are as many as have room, up to the most nodes that the job itself names (req_nodes of Slurm)', () => {
    expect(placesOf([spec('A', 6, { maxNodes: 3 })], 4)).toEqual({ A: [0, 0, 0, 0, 0, 1, 2] })
    expect(placesOf([spec('B', 8), spec('A', 6, { submit: 1, minNodes: 2, maxNodes: 3 })], 4)['A']).toEqual([1, 2, 2, 2, 2, 3, 3])
  })

  it('are looked for in a run of consecutive nodes that has as many, with the least room', () => {
    // nodes 0 and 1 hold the 4 tasks; without two nodes to have, node 3 alone does, too
    expect(runs([3, 3, 0, 4], 4, { least: 2, wanted: 2 })).toEqual([0, 0, 0, 1])
    expect(runs([3, 3, 0, 4], 4, { least: 1, wanted: 1 })).toEqual([3, 3, 3, 3])
    expect(runs([3, 3, 0, 4], 4, { least: 1, wanted: 2 })).toEqual([3, 3, 3, 0])
    expect(runs([3, 3, 0, 4], 4, { least: 2, wanted: 2 }, [9, 1, 1, 1])).toEqual([3, 3, 3, 1])
  })

  it('are found in a tree of racks, on the least loaded nodes, and by those that take the place of others', () => {
    expect(placesOf([spec('A', 4, { minNodes: 2 })], 3, { topology: 'tree' })).toEqual({ A: [0, 0, 0, 0, 1] })
    // of racks of 2 and 3 nodes the smaller one holds the 6 tasks, but not on 3 nodes
    const racks = { switches: [{ nodes: ['node-0', 'node-1'], racks: ['small'] }, { nodes: ['node-2', 'node-3', 'node-4'], racks: ['large'] }] }
    expect(placesOf([spec('A', 6, { queue: 'q', minNodes: 3 })], 5, { topologies: { q: racks } })).toEqual({ A: [0, 2, 2, 2, 2, 3, 4] })
    expect(placesOf([spec('A', 6, { queue: 'q' })], 5, { topologies: { q: racks } })).toEqual({ A: [0, 0, 0, 0, 0, 1, 1] })
    expect(placesOf([spec('B', 1), spec('A', 5, { minNodes: 3 })], 3, { leastLoaded: true })['A']).toEqual([0, 1, 1, 1, 2, 0])
  })
})

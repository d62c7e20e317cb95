import type { JobSpec, Observer } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { describe, expect, it } from 'vitest'
import { queuePasses, workloadOf } from './machine.js'

const spec = (id: string, tasks: number, procs: number, queue = 'q'): JobSpec =>
  ({ id, submit: 0, queue, estimate: 600, stages: [{ name: 'job', tasks, gang: true, demand: { procs }, duration: 600 }] })

/** The nodes of each job in order: of 4, 8 and 8 processors. */
function placesOf(specs: readonly JobSpec[], options: ReplanOptions, resource = 'procs'): Record<string, number[]> {
  const places: Record<string, number[]> = {}
  const names: string[] = []
  const watch: Observer = {
    onSubmit: (job, { id }) => void (names[job] = id),
    onTaskStart: (_task, job, _lane, node) => void (places[names[job] as string] ??= []).push(node),
  }
  const nodes = [4, 8, 8].map((procs, i) => ({ name: `n${i}`, count: 1, resources: { [resource]: procs } }))
  simulate({ cluster: { nodes }, workload: workloadOf(specs), policy: replan(fifo(), { nodes: 'named', ...options }), architecture: queuePasses.plug({}), observers: [watch], validate: true, runtime: { jitter: 0 } })
  return places
}

describe('the least loaded nodes', () => {
  it('come first, by the part of them that is free, the first of equals (_eval_nodes_lln of Slurm)', () => {
    // best fit fills node 0; by load A has node 0, B node 1, C node 2, then 3 of 4 are free on node 0, 7 of 8 on the others
    const jobs = ['A', 'B', 'C', 'D', 'E', 'F'].map((id) => spec(id, 1, 1))
    expect(placesOf(jobs, {})).toEqual({ A: [0], B: [0], C: [0], D: [0], E: [1], F: [1] })
    expect(placesOf(jobs, { leastLoaded: true })).toEqual({ A: [0], B: [1], C: [2], D: [1], E: [2], F: [0] })
  })

  it('are those of the jobs of some queues, before any topology but blocks', () => {
    const jobs = [spec('A', 1, 2, 'other'), spec('B', 1, 2), spec('C', 1, 2)]
    expect(placesOf(jobs, { leastLoaded: ['q'], topology: 'tree' })).toEqual({ A: [0], B: [1], C: [2] })
    expect(placesOf(jobs, { leastLoaded: ['q'], topology: { blocks: [['n0-0', 'n1-0', 'n2-0']] } })).toEqual({ A: [0], B: [0], C: [1] })
  })

  it('are of the least weight first, and a job has all that is free on one before the next', () => {
    expect(placesOf([spec('A', 6, 1)], { leastLoaded: true, weights: { 'n0-0': 9 } })).toEqual({ A: [1, 1, 1, 1, 1, 1] })
    expect(placesOf([spec('A', 6, 1)], { leastLoaded: true })).toEqual({ A: [0, 0, 0, 0, 1, 1] })
  })

  it('are as many as tasks have room for where nodes have no processors', () => {
    const job: JobSpec = { id: 'A', submit: 0, estimate: 600, stages: [{ name: 'job', tasks: 1, demand: { slots: 1 }, duration: 600 }] }
    expect(placesOf([job], { leastLoaded: true }, 'slots')).toEqual({ A: [1] })
    expect(() => placesOf([job], { pack_serial_at_end: true }, 'slots')).toThrow('replan.pack_serial_at_end: the cluster has no processors.')
  })
})

describe('the last nodes', () => {
  it('are those of jobs of one processor (pack_serial_at_end), by weight first, and not of the least loaded ones', () => {
    const jobs = [spec('A', 1, 1), spec('B', 1, 2), spec('C', 2, 1), spec('D', 1, 1)]
    expect(placesOf(jobs, { pack_serial_at_end: true })).toEqual({ A: [2], B: [0], C: [0, 0], D: [2] })
    expect(placesOf(jobs, { pack_serial_at_end: true, weights: { 'n2-0': 9 } })['A']).toEqual([1])
    expect(placesOf(jobs, { pack_serial_at_end: true, leastLoaded: true })['A']).toEqual([0])
  })

  it('are named ones', () => {
    expect(() => placesOf([], { pack_serial_at_end: true, nodes: 'counted' })).toThrow("replan.pack_serial_at_end: nodes are taken in an order, but reservations are of amounts. Add { nodes: 'named' }, or a placement in its place.")
    expect(() => placesOf([], { leastLoaded: true, nodes: 'counted' })).toThrow('replan.leastLoaded: nodes are taken in an order')
  })
})

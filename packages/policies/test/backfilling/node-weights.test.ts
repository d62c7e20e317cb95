import type { JobSpec, Observer } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, tasks: number, minutes: number, submit = 0): JobSpec =>
  ({ id, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }] })

/** The nodes of each job, on 4 nodes of 2 processors. */
function nodesOf(specs: readonly JobSpec[], weights: readonly number[], options: ReplanOptions = {}): Record<string, number[]> {
  const places: Record<string, number[]> = {}
  const names: string[] = []
  const watch: Observer = {
    onSubmit: (job, { id }) => void (names[job] = id),
    onTaskStart: (_task, job, _lane, node) => void (places[names[job] ?? ''] ??= []).push(node),
  }
  const named = Object.fromEntries(weights.map((weight, node) => [`node-${node}`, weight]))
  startsOf(specs, [2], replan(fifo(), { nodes: 'named', ...(weights.length > 0 && { weights: named }), ...options }), { nodes: 4, observers: [watch] })
  return places
}

describe('weights of nodes', () => {
  it('have those of the least taken first, whatever the fit (_eval_nodes_consec of Slurm)', () => {
    // A takes half of node 0, which then has the best fit for S
    const specs = [spec('A', 1, 10), spec('S', 1, 10, 1), spec('W', 3, 10, 2)]
    expect(nodesOf(specs, [])).toEqual({ A: [0], S: [0], W: [1, 1, 2] })
    expect(nodesOf(specs, [5, 9, 1, 7])).toEqual({ A: [2], S: [2], W: [0, 0, 3] })
  })

  it('make runs of nodes that follow each other with one weight: the others are used up before the next', () => {
    // of nodes 1 and 3, alike and apart, none holds three tasks, and the run of 0 alone comes after both
    expect(nodesOf([spec('A', 3, 10)], [4, 2, 4, 2])).toEqual({ A: [1, 1, 3] })
    // 2 and 3 hold all five tasks but one
    expect(nodesOf([spec('A', 5, 10)], [8, 8, 3, 3])).toEqual({ A: [2, 2, 3, 3, 0] })
    expect(nodesOf([spec('A', 3, 10)], [3, 3, 3, 3])).toEqual(nodesOf([spec('A', 3, 10)], []))
  })

  it('are 1 where they are not given', () => {
    const places = nodesOf([spec('A', 1, 10)], [], { weights: { 'node-0': 2, 'node-1': 1, elsewhere: 0 } })
    expect(places).toEqual({ A: [1] })
  })

  it('choose the nodes of reservations, too', () => {
    // X holds all until 10 min but a processor of node 0 and of node 1, which it gives back after 1 min. W is to be on 0 and 1 then, where S
    // would be in its way, or with weights on 2 and 3
    const starts = (weights: Record<string, number>, durations: readonly number[]) => {
      const all = spec('X', 8, 10)
      const held: JobSpec = { ...all, stages: all.stages.map((stage) => ({ ...stage, duration: durations.map((minutes) => minutes * MINUTE) })) }
      return startsOf([held, spec('W', 4, 5, 61), spec('S', 1, 20, 62)], [2], replan(fifo(), { nodes: 'named', weights }), { nodes: 4 }).get('S')
    }
    expect([starts({}, [1, 10, 1, 10, 10, 10, 10, 10]), starts({ 'node-0': 9, 'node-1': 9 }, [10, 10, 10, 10, 1, 10, 1, 10])]).toEqual([600, 62])
  })

  it('are of nodes, and not of amounts', () => {
    expect(() => nodesOf([spec('A', 1, 10)], [1], { nodes: 'counted' })).toThrow("nodes have weights, but reservations are of amounts. Add { nodes: 'named' }, or leave them out.")
  })
})

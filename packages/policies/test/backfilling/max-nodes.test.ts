import type { JobSpec, NodeId } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { bestRuns } from '../../src/backfilling/node-runs.js'
import { onFewNodes } from '../../src/backfilling/few-nodes.js'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, queue: string, tasks: number, minutes: number, submit = 0): JobSpec =>
  ({ id, queue, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }] })
const starts = (specs: readonly JobSpec[], options: ReplanOptions) => Object.fromEntries(startsOf(specs, [4], replan(fifo(), options), { nodes: 3 }))

describe('most nodes of the jobs of a queue', () => {
  it.each([[false, 1], [true, 30]])('keep a job of processors waiting that would be on more, and with twoPass %s nobody from the nodes that it does not get, by %i s', (twoPass, next) => {
    // A, B and C leave 1 of 4 processors on each node; D is planned where two of them end first
    const jobs = [spec('A', 'other', 3, 10), spec('B', 'other', 3, 20), spec('C', 'other', 3, 30), spec('D', 'few', 3, 5, 1), spec('E', 'many', 3, 5, 1)]
    expect(starts(jobs, { nodes: 'named', maxNodes: { few: 2 }, twoPass })).toEqual({ A: 0, B: 0, C: 0, D: 600, E: next })
    expect(starts(jobs, { nodes: 'named', twoPass })).toMatchObject({ D: 1, E: 301 })
  })

  it('are found where others have the least room', () => {
    // the run of all three is the only one; filled from the lowest node on, 6 tasks would be on all of them
    const places: NodeId[] = []
    const choose = (room: Int32Array, into: NodeId[]) => {
      bestRuns(room, 6, into)
      return true
    }
    expect([onFewNodes(choose, Int32Array.of(1, 4, 2), 6, 3, places), [...places]]).toEqual([true, [0, 1, 1, 1, 1, 2]])
    expect([onFewNodes(choose, Int32Array.of(1, 4, 2), 6, 2, places), [...places]]).toEqual([true, [1, 1, 1, 1, 2, 2]])
    expect([onFewNodes(choose, Int32Array.of(1, 4, 2), 6, 1, places), [...places]]).toEqual([false, []])
  })

  it('are named ones', () => {
    expect(() => starts([spec('A', 'few', 1, 1)], { maxNodes: { few: 2 } })).toThrow('jobs of queues are on few nodes, but reservations are of amounts.')
  })
})

describe('most nodes of a single job', () => {
  it('hold for it alone, and the fewer of these and of those of its queue count', () => {
    const jobs = [spec('A', 'other', 3, 10), spec('B', 'other', 3, 20), spec('C', 'other', 3, 30), { ...spec('D', 'few', 3, 5, 1), maxNodes: 2 }, spec('E', 'few', 3, 5, 1)]
    expect(starts(jobs, { nodes: 'named' })).toEqual({ A: 0, B: 0, C: 0, D: 600, E: 1 })
    expect(starts(jobs.slice(0, 4), { nodes: 'named', maxNodes: { few: 3 } })).toMatchObject({ D: 600 })
    expect(starts(jobs.slice(0, 4), { nodes: 'named', maxNodes: { few: 1 } })).toMatchObject({ D: 600 })
  })
})

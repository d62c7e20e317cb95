import type { JobId, LaneId, NodeId, ShapeId, TaskId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HoldingJobs } from '../../src/capacity/holding-jobs.js'
import { NodeReservations, type Reservation } from '../../src/capacity/node-reservations.js'
import type { Pots } from '../../src/capacity/pots.js'
import { RunningTasks } from '../../src/capacity/running-tasks.js'
import { WaitingAmounts } from '../../src/capacity/waiting-amounts.js'

// What looks of preemption keep between them, held against lists that are sorted and summed at every reading.

const all = (next: () => number): number[] => {
  const read: number[] = []
  for (let id = next(); id >= 0; id = next()) read.push(id)
  return read
}
const LANE = 0 as LaneId
const by = (...keys: ((id: number) => number)[]) => (a: number, b: number) => keys.reduce((found, key) => found || key(a) - key(b), 0)

describe('running tasks of a job', () => {
  const read = (running: RunningTasks) => {
    const tasks: number[] = []
    for (let task = running.last(0 as JobId, LANE); task >= 0; task = running.next(task)) tasks.push(task)
    return tasks
  }

  it('are read by their start, the last first, whatever starts late, ends, or comes again', () => {
    const starts = new Map<number, number>()
    const work = { started: (task: TaskId) => starts.get(task) as number } as WorkView
    const step = fc.record({ does: fc.constantFrom('claim', 'claim', 'claim', 'start', 'start', 'end', 'read'), which: fc.nat({ max: 99 }), at: fc.nat({ max: 5 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const running = new RunningTasks(work, 1)
        starts.clear()
        for (const { does, which, at } of steps) {
          const claimed = [...starts.keys()].sort((a, b) => a - b)
          const free = Array.from({ length: 60 }, (_, task) => task).filter((task) => !starts.has(task))
          const waiting = claimed.filter((task) => Number.isNaN(starts.get(task)))
          if (does === 'claim' && free.length > 0) {
            const task = free[which % Math.min(3, free.length)] as number // ids mostly ascend
            starts.set(task, at < 3 ? NaN : at)
            running.add(0 as JobId, LANE, task as TaskId)
          } else if (does === 'start' && waiting.length > 0) starts.set(waiting[which % waiting.length] as number, at)
          else if (does === 'end' && claimed.length > 0) {
            const task = claimed[which % claimed.length] as number
            starts.delete(task)
            running.remove(0 as JobId, LANE, task as TaskId)
          } else {
            const sorted = claimed.filter((task) => !waiting.includes(task)).sort(by((task) => -(starts.get(task) as number), (task) => -task))
            expect(read(running)).toEqual(sorted)
          }
        }
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  it('are few or many', () => {
    const running = new RunningTasks({ started: (task: TaskId) => Number(task) % 7 } as WorkView, 1)
    for (let task = 0; task < 200; task++) running.add(0 as JobId, LANE, task as TaskId)
    read(running)
    for (let task = 0; task < 190; task++) if (task % 5 > 0) running.remove(0 as JobId, LANE, task as TaskId)
    for (let task = 300; task < 310; task++) running.add(0 as JobId, LANE, task as TaskId)
    const left = [...Array.from({ length: 200 }, (_, task) => task).filter((task) => task % 5 === 0 || task >= 190), ...Array.from({ length: 10 }, (_, i) => 300 + i)]
    expect(read(running)).toEqual(left.sort(by((task) => -(task % 7), (task) => -task)))
  })
})

describe('jobs that hold something', () => {
  it('are read from the last one, by keys that stay or change, while those that were read leave', () => {
    const step = fc.record({ job: fc.nat({ max: 19 }), more: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.array(fc.nat({ max: 3 }), { minLength: 20, maxLength: 20 }), fc.boolean(), fc.boolean(), (steps, keys, isFixed, leaves) => {
        const jobs = new HoldingJobs(1)
        const held = keys.map(() => 0)
        const leafOf = (job: number) => job % 2
        const key = (job: number) => keys[job] as number
        for (const job of keys.keys()) jobs.enter(job as JobId, isFixed ? key(job) : 0, 50 - job)
        for (const { job, more } of steps) {
          if (!more && held[job] === 0) continue
          held[job] = (held[job] as number) + (more ? 1 : -1)
          jobs.change(job as JobId, leafOf(job), LANE, more ? 1 : -1)
        }
        for (const leaf of [0, 1]) {
          const sorted = [...keys.keys()].filter((job) => leafOf(job) === leaf && (held[job] as number) > 0).sort(by((job) => -key(job), (job) => job - 50))
          jobs.begin(leaf, LANE, isFixed ? undefined : key)
          const read = all(() => {
            const job = jobs.next()
            if (leaves && job >= 0 && job % 3 > 0) for (let i = 0; i < (held[job] as number); i++) jobs.change(job as JobId, leaf, LANE, -1)
            return job
          })
          expect(read).toEqual(sorted)
        }
      }),
      { seed: 8, numRuns: 300 },
    )
  })
})

describe('amounts that wait', () => {
  const demands = Float64Array.from([1, 2, 3, 0, 2, 5]) // of three shapes
  const pots = { count: 2, lanes: 1, width: 2, demands, demandAt: (shape: number) => shape * 2, of: (_lane: number, node: number) => node % 2, laneOf: () => 0 } as unknown as Pots

  it('are the sums over the jobs of each user, less what they have reserved, after any changes', () => {
    const step = fc.record({ job: fc.nat({ max: 5 }), tasks: fc.nat({ max: 4 }), shape: fc.nat({ max: 2 }), pot: fc.integer({ min: -1, max: 1 }), pair: fc.nat({ max: 3 }), node: fc.nat({ max: 3 }), does: fc.constantFrom('change', 'change', 'reserve', 'giveUp', 'read') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const jobs = Array.from({ length: 6 }, () => ({ tasks: 0, shape: 0 }))
        const [potOf, pairOf] = [jobs.map(() => -1), jobs.map(() => 0)]
        const work = { unplaced: (job: JobId) => jobs[job]?.tasks, shape: (job: JobId) => jobs[job]?.shape } as unknown as WorkView
        const reservations = new NodeReservations(1)
        const waiting = new WaitingAmounts(pots, work, reservations, { potOf, pairOf })
        const made: Reservation[] = []
        reservations.onChange = ({ job, lane }) => waiting.note(job, lane)
        for (const { does, job, tasks, shape, pot, pair, node } of steps) {
          if (does === 'change') {
            jobs[job] = { tasks, shape }
            ;[potOf[job], pairOf[job]] = [pot, pair] // ids of jobs that are gone are used again
            waiting.note(job as JobId, LANE)
          } else if (does === 'reserve' && !made.some((each) => each.node === node)) {
            made.push({ job: job as JobId, lane: LANE, node: node as NodeId, shape: shape as ShapeId })
            reservations.add(made.at(-1) as Reservation)
          } else if (does === 'giveUp' && made.length > 0) reservations.drop(made.pop() as Reservation)
          else {
            waiting.refresh(4)
            const sums = Array<number>(4 * 2 * 4).fill(0)
            for (const [id, each] of jobs.entries())
              for (const i of [0, 1]) {
                if ((potOf[id] as number) < 0) continue
                const at = ((pairOf[id] as number) * 2 + (potOf[id] as number)) * 4 + i
                const wanted = each.tasks * (demands[each.shape * 2 + i] as number)
                const reserved = made.filter((one) => Number(one.job) === id && Number(one.node) % 2 === potOf[id]).reduce((sum, one) => sum + (demands[one.shape * 2 + i] as number), 0)
                sums[at] = (sums[at] as number) + wanted
                sums[at + 2] = (sums[at + 2] as number) + Math.max(0, wanted - reserved)
              }
            expect([...waiting.sums.slice(0, sums.length)]).toEqual(sums)
          }
        }
      }),
      { seed: 9, numRuns: 300 },
    )
  })
})

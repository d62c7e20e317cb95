import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rangesOf, rangesText, Units } from '../src/ranges.js'
import { scheduleRows, type ScheduleRow } from '../src/schedule-rows.js'
import { World } from './world.js'

describe('Units', () => {
  it('gives the lowest free numbers, each to one at a time', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 6 })), { maxLength: 40 }), (steps) => {
        const units = new Units(10)
        const free = new Set(Array.from({ length: 10 }, (_, i) => i)) // the plain reference
        const held: number[][] = []
        for (const [takes, count] of steps) {
          if (takes && count <= free.size) {
            const lowest = [...free].sort((a, b) => a - b).slice(0, count)
            expect(units.take(count)).toEqual(rangesOf(lowest))
            lowest.forEach((unit) => free.delete(unit))
            held.push(lowest)
          } else {
            const back = held.splice(count, 1)[0] ?? []
            back.forEach((unit) => free.add(unit))
            units.giveBack(rangesOf(back))
          }
        }
      }),
      { seed: 7, numRuns: 200 },
    )
  })

  it('are written as ranges', () => {
    expect(rangesText(rangesOf([7, 2, 1, 3, 9, 10]))).toBe('1-3 7 9-10')
  })
})

describe('scheduleRows', () => {
  const rigid = (procs: number): Partial<JobSpec> => ({ id: `of ${procs}`, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: 1 }] })

  it('says which processors of an aggregate machine a job holds', () => {
    const rows: ScheduleRow[] = []
    const world = new World([scheduleRows((row) => rows.push(row))], { procs: 8 }, { nodes: 1 })
    const [a, b, c] = [world.submit(0, rigid(3)), world.submit(0, rigid(2)), world.submit(1, rigid(4))]
    const [ofA, ofB] = [world.start(0, a), world.start(0, b)]
    world.end(4, ofA)
    world.finish(4, a)
    const ofC = world.start(4, c) // 0 to 2 are free again, 3 and 4 are not
    world.end(6, ofB)
    world.finish(6, b)
    world.end(9, ofC)
    world.finish(9, c)
    world.close(9)
    expect(rows.map(({ id, submit, start, end, units }) => [id, submit, start, end, units])).toEqual([
      ['of 3', 0, 0, 4, '0-2'], ['of 2', 0, 0, 6, '3-4'], ['of 4', 1, 4, 9, '0-2 5'],
    ])
  })

  it('takes tasks that run alike as one row', () => {
    const rows: ScheduleRow[] = []
    const world = new World([scheduleRows((row) => rows.push(row))], { map: 8 })
    const job = world.submit(0, { tasks: 3 })
    const tasks = [world.start(1, job), world.start(1, job), world.start(2, job)]
    tasks.forEach((task) => world.end(5, task))
    world.finish(5, job)
    world.close(5)
    expect(rows).toMatchObject([{ start: 1, end: 5, tasks: 2, nodes: '0', units: '', how: 'done' }, { start: 2, end: 5, tasks: 1 }])
  })
})

import type { JobSpec, Observer, Pass } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const job = (id: string, procs: number, minutes: number, submit: number, array?: string): JobSpec => ({
  id, submit, estimate: minutes * 60, ...(array !== undefined && { array }), stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * 60 }],
})
const tasks = (count: number, array: string | undefined, procs: number, minutes: number, submit: number): JobSpec[] =>
  Array.from({ length: count }, (_, i) => job(`7_${i}`, procs, minutes, submit, array))
const starts = (jobs: readonly JobSpec[], options: ReplanOptions = {}) => Object.fromEntries(startsOf(jobs, [4], replan(fifo(), { bf_resolution: 1, ...options })))

describe('tasks of an array', () => {
  // one processor is idle until 600 s; six tasks of two then run two by two, and the job behind them needs one for 900 s
  const queue = (array?: string) => [job('before', 3, 10, 0), ...tasks(6, array, 2, 10, 1), job('behind', 1, 15, 2)]

  it('get so many reservations in a pass, and leave what is behind them to others', () => {
    expect(starts(queue('7'), { bf_max_job_array_resv: 1 })['behind']).toBe(2) // beside the one task at 600
    expect(starts(queue('7'), { bf_max_job_array_resv: 2 })['behind']).toBe(2400)
    expect(starts(queue('7'))['behind']).toBe(2400)
    expect(starts(queue(), { bf_max_job_array_resv: 1 })['behind']).toBe(2400) // jobs of their own
  })

  it('start all that fit, however few get a reservation', () => {
    expect(starts([job('before', 4, 10, 0), ...tasks(6, '7', 2, 10, 1)], { bf_max_job_array_resv: 1 })).toEqual({ before: 0, '7_0': 600, '7_1': 600, '7_2': 1200, '7_3': 1200, '7_4': 1800, '7_5': 1800 })
  })

  it('are looked at no more in a pass once one can neither start nor get a reservation', () => {
    const young = { bf_min_age_reserve: 3600, bf_max_job_test: 2 } // nobody gets one
    expect(starts(queue('7'), young)['behind']).toBe(2)
    expect(starts(queue(), young)['behind']).toBeGreaterThan(2)
  })

  it('are one job of those that get reservations in their queue', () => {
    const first = { bf_job_part_count_reserve: 1 }
    expect(starts(queue('7'), first)['behind']).toBe(2400)
    expect(starts(queue(), first)['behind']).toBe(2)
  })

  it('are tried to the end although the jobs that a pass tries are used up', () => {
    const looked: number[] = []
    const observer: Observer = { onPass: ({ tried }: Pass, now) => void (now === 2 && looked.push(tried)) }
    startsOf([...queue('7').slice(0, -1), job('behind', 1, 15, 2)], [4], replan(fifo(), { bf_resolution: 1, bf_max_job_test: 2, bf_node_space_size: 500 }), { observers: [observer] })
    expect(looked).toEqual([6])
  })

  it('are looked at no more at an event, too, once one does not start, and do not count then', () => {
    // all of 4 processors but one are taken; nobody is old enough to keep others from starting, and two jobs and one more are looked at
    const told: number[][] = []
    const observer: Observer = { onPass: ({ kind, looked, started }: Pass, now) => void (kind === 'first' && told.push([now, looked, started])) }
    const options = { twoPass: true, bf_min_age_reserve: 3600, default_queue_depth: 1 }
    startsOf(queue('7'), [4], replan(fifo(), options), { observers: [observer] })
    expect(told.slice(0, 3)).toEqual([[0, 1, 1], [1, 1, 0], [2, 2, 1]])
    told.length = 0
    startsOf(queue(), [4], replan(fifo(), options), { observers: [observer] })
    expect(told.slice(0, 3)).toEqual([[0, 1, 1], [1, 2, 0], [2, 2, 0]])
  })

  it('are jobs of their own where every task may have a reservation and nothing else is limited', { tags: 'long' }, () => {
    const world = fc.array(fc.record({ procs: fc.integer({ min: 1, max: 4 }), minutes: fc.integer({ min: 1, max: 9 }), wait: fc.integer({ min: 0, max: 200 }), count: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(world, (drawn) => {
        let submit = 0
        const jobs = drawn.flatMap(({ procs, minutes, wait, count }, i) => {
          submit += wait
          return Array.from({ length: count }, (_, k) => ({ ...job(`${i}_${k}`, procs, minutes, submit), array: `${i}` }))
        })
        expect(starts(jobs)).toEqual(starts(jobs.map(({ array: _, ...rest }) => rest)))
      }),
      { seed: 21, numRuns: 300 },
    )
  })
})

import type { JobSpec } from '@sched/core'
import { fifo, replan, sjf, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
const job = (id: string, tasks: number, runtime: number, submit = 0, estimate = runtime): JobSpec => ({ id, submit, estimate, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: runtime }] })
const starts = (jobs: readonly JobSpec[], nodes: number, options: ReplanOptions, order = fifo()) => Object.fromEntries(startsOf(jobs, [1], replan(order, options), { nodes }))

const choices = fc.record({
  twoPass: fc.boolean(),
  select: fc.constantFrom('linear' as const, 'cons_tres' as const),
  bf_resolution: fc.constantFrom(1, 60, 100),
  bf_interval: fc.constantFrom(1, 30, 600),
})
const times = (most: number) => fc.oneof(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most / MINUTE }).map((minutes) => minutes * MINUTE))

describe('windows of replan with named nodes', () => {
  it.each([{}, { twoPass: true }, { select: 'cons_tres' as const }])('let a job start that ends in the second in which one begins, with %o', (options) => {
    const windows = [{ from: 600, to: 1234, demand: 'all' as const }]
    const jobs = [job('A', 2, 600), job('B', 1, 601), job('C', 1, 660)]
    for (const nodes of ['counted', 'named'] as const) expect(starts(jobs, 4, { ...options, nodes, windows })).toEqual({ A: 0, B: 1234, C: 1234 })
  })

  it('are as reservations of all nodes, for jobs that name none', () => {
    const jobs = [job('A', 2, 600), job('B', 1, 601), job('C', 1, 300, 301)]
    const windows = [{ from: 600, to: 1234, demand: 'all' as const }]
    const reservations = [{ name: 'repair', from: 600, to: 1234, nodes: 'all' as const }]
    expect(starts(jobs, 4, { nodes: 'named', windows })).toEqual({ A: 0, B: 1234, C: 1234 })
    expect(starts(jobs, 4, { nodes: 'named', reservations })).toEqual({ A: 0, B: 1234, C: 1234 })
  })

  it('hinder jobs of the whole cluster as counted ones do, on any queue', { tags: 'long' }, () => {
    const draft = fc.record({ runtime: times(900), more: fc.constantFrom(0, 0, 61, 240), submit: times(2400) })
    const window = fc.record({ from: times(3000), length: fc.integer({ min: 1, max: 900 }) }).map(({ from, length }) => ({ from, to: from + length, demand: 'all' as const }))
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 9 }), fc.array(window, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 3 }), choices, fc.constantFrom(fifo, sjf), (drafts, windows, nodes, options, order) => {
        const jobs = drafts.sort((a, b) => a.submit - b.submit).map(({ runtime, more, submit }, i) => job(`J${i}`, nodes, runtime + 1, submit, runtime + 1 + more))
        const named = starts(jobs, nodes, { ...options, nodes: 'named', windows }, order())
        expect(named).toEqual(starts(jobs, nodes, { ...options, windows }, order()))
        expect(Object.keys(named)).toHaveLength(jobs.length)
        for (const { id, estimate = 0 } of jobs) {
          const [start, length] = [named[id] as number, Math.ceil(estimate / MINUTE) * MINUTE]
          for (const { from, to } of windows) expect(start + length <= from || start >= to).toBe(true)
        }
      }),
      { seed: 20_261_130, numRuns: 400 },
    )
  })
})

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

  it.each(['counted', 'named'] as const)('keep back those alone that would run into one, at events, too, with nodes %s', (nodes) => {
    const jobs = [job('A', 3, 600), job('B', 1, 601), job('C', 2, 300), job('D', 1, 120)]
    const atEvents = { nodes, twoPass: true, bf_interval: -1, windows: [{ from: 900, to: 1500, demand: 'all' as const }] }
    // B leaves room for what starts now; C lacks room beside A, which keeps D back as ever.
    expect(starts(jobs, 4, atEvents)).toEqual({ A: 0, B: 0, C: 600, D: 600 })
    expect(starts([job('A', 3, 600), job('B', 1, 901), job('C', 1, 300)], 4, atEvents)).toEqual({ A: 0, B: 1500, C: 0 })
  })

  it('of amounts keep back those alone for which they leave too little, at events, too', () => {
    const jobs = [job('A', 3, 600), job('B', 1, 120), job('C', 2, 960), job('D', 1, 960), job('E', 1, 960)]
    const windows = [{ from: 900, to: 1200, demand: { procs: 1 } }, { from: 960, to: 1500, demand: { procs: 2 } }]
    // Both windows together leave 1: too little for C, so that it keeps D from nothing; E waits for what D has, and C for more than one window leaves beside E.
    expect(starts(jobs, 4, { twoPass: true, bf_interval: -1, windows })).toEqual({ A: 0, B: 0, C: 1500, D: 120, E: 1080 })
  })

  it('are as reservations of all nodes at events, on any queue', { tags: 'long' }, () => {
    const choices = fc.record({ twoPass: fc.constant(true), bf_interval: fc.constant(-1), select: fc.constantFrom('linear' as const, 'cons_tres' as const), bf_resolution: fc.constantFrom(1, 60, 100) })
    const draft = fc.record({ tasks: fc.integer({ min: 1, max: 4 }), runtime: times(900), more: fc.constantFrom(0, 0, 61, 240), submit: times(1800) })
    const window = fc.record({ from: times(3000), length: fc.integer({ min: 1, max: 900 }) })
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 9 }), fc.array(window, { minLength: 1, maxLength: 3 }), choices, fc.constantFrom(fifo, sjf), (drafts, drawn, options, order) => {
        const jobs = drafts.sort((a, b) => a.submit - b.submit).map(({ tasks, runtime, more, submit }, i) => job(`J${i}`, tasks, runtime + 1, submit, runtime + 1 + more))
        const windows = drawn.map(({ from, length }) => ({ from, to: from + length, demand: 'all' as const }))
        const reservations = drawn.map(({ from, length }, i) => ({ name: `r${i}`, from, to: from + length, nodes: 'all' as const, maint: true }))
        expect(starts(jobs, 4, { ...options, nodes: 'named', windows }, order())).toEqual(starts(jobs, 4, { ...options, nodes: 'named', reservations }, order()))
      }),
      { seed: 20_261_201, numRuns: 400 },
    )
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

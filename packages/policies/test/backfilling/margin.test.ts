import { conservative, easy, fifo } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import type { RigidJob } from './reference/machine.js'

const job = (size: number, length: number, submit = 0, estimate = length): RigidJob => ({ submit, runtime: length, estimate, size: [size] })

const worlds = fc.record({
  slots: fc.constant(4),
  jobs: fc
    .array(
      fc
        .record({ submit: fc.integer({ min: 0, max: 12 }), runtime: fc.integer({ min: 0, max: 8 }), more: fc.integer({ min: 0, max: 5 }), size: fc.integer({ min: 1, max: 4 }) })
        .map(({ submit, runtime, more, size }) => job(size, runtime, submit, Math.max(1, runtime + more))),
      { minLength: 1, maxLength: 9 },
    )
    .map((all) => all.sort((a, b) => a.submit - b.submit)),
})

describe('margin', () => {
  it('keeps a job from a window into which it might run', () => {
    const windows = [{ from: 10, to: 20, demand: 'all' as const }]
    for (const discipline of [easy, conservative]) {
      expect(simulated([job(1, 10)], [1], discipline(fifo(), { windows }))).toEqual([0])
      expect(simulated([job(1, 10)], [1], discipline(fifo(), { windows, margin: 1 }))).toEqual([20])
    }
  })

  it('lies between the planned starts, though a job may start as soon as the one before it has ended', () => {
    // one slot: jobs of 10 s are promised 15 and 30, and start at 10 and 20
    const jobs = [job(1, 10), job(1, 10), job(1, 10)]
    for (const policy of [conservative(fifo(), { margin: 5 }), easy(fifo(), { reservations: 'all', margin: 5 })]) {
      const promised: (readonly [number, number])[] = []
      expect(simulated(jobs, [1], policy, { observers: [{ onReserve: (id, start, now) => void (now === 0 && start > 0 && promised.push([id, start])) }] })).toEqual([0, 10, 20])
      expect(promised).toEqual([[1, 15], [2, 30]])
    }
  })

  it('plans as if all estimates were so much longer', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 5 }), fc.constantFrom(1, 2, 'all' as const), ({ slots, jobs }, margin, reservations) => {
        const longer = jobs.map((each) => ({ ...each, estimate: each.estimate + margin }))
        expect(simulated(jobs, [slots], conservative(fifo(), { margin }))).toEqual(simulated(longer, [slots], conservative()))
        expect(simulated(jobs, [slots], easy(fifo(), { reservations, margin }))).toEqual(simulated(longer, [slots], easy(fifo(), { reservations })))
      }),
      { seed: 15, numRuns: 200 },
    )
  })
})

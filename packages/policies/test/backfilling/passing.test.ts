import { easy, fifo, sjf, strict, type EasyOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { schedule, type RigidJob } from './reference/machine.js'
import { passing } from './reference/passing.js'

const job = (size: number, length: number, submit = 0, estimate = length): RigidJob => ({ submit, runtime: length, estimate, size: [size] })
const starts = (jobs: readonly RigidJob[], options: EasyOptions, order = fifo()) => simulated(jobs, [4], easy(order, options))

describe('what may pass the first waiting job', () => {
  it('is by default also who needs none of its processors', () => {
    // 4 slots, 2 held until 10; the head wants 3: one is left beside it, for the third job of 20 s
    const jobs = [job(2, 10), job(3, 5), job(1, 20)]
    expect(starts(jobs, {})).toEqual([0, 10, 0])
    expect(starts(jobs, { extra: false })).toEqual([0, 10, 10])
  })

  it('may end at the shadow time, or must before', () => {
    const jobs = [job(2, 10), job(4, 5), job(1, 10), job(1, 9)]
    expect(starts(jobs, {})).toEqual([0, 10, 0, 0])
    expect(starts(jobs, { endBefore: true })).toEqual([0, 10, 15, 0])
    // one is left beside the head: for one that ends then, and, since that has given it back by then, for a long one
    expect(starts([job(2, 10), job(3, 5, 1), job(1, 9, 1), job(1, 50, 1)], { endBefore: true })).toEqual([0, 10, 1, 1])
    // before second 0, where all are expected to end at once, nobody ends
    expect(starts([job(3, 1, 0, 0), job(4, 5), job(1, 0)], { extra: false, endBefore: true })).toEqual([0, 1, 6])
  })
})

describe('the first waiting job', () => {
  it('is another one when a shorter one comes under sjf, or stays', () => {
    // the long one waits for all 4 slots when the short one, which fits as little, comes
    const jobs = [job(3, 10), job(4, 8, 1), job(4, 2, 2)]
    expect(starts(jobs, {}, sjf())).toEqual([0, 12, 10])
    expect(starts(jobs, { keepHead: true }, sjf())).toEqual([0, 10, 18])
    expect(simulated(jobs, [4], strict(sjf()))).toEqual([0, 12, 10])
    expect(simulated(jobs, [4], strict(sjf(), { keepHead: true }))).toEqual([0, 10, 18])
  })

  it('has the shadow time of now, or that of when it began to wait', () => {
    // the head could start at 30; as one job ends at 5, 25 s early, at 20: the last one, submitted then, would end at 25
    const jobs = [job(1, 20), job(2, 5, 0, 30), job(4, 5), job(2, 20, 5)]
    expect(starts(jobs, {})).toEqual([0, 0, 20, 25])
    expect(starts(jobs, { keepHead: true })).toEqual([0, 0, 25, 5])
  })
})

const worlds = fc.record({
  slots: fc.constant(6),
  jobs: fc
    .array(
      fc
        .record({ submit: fc.integer({ min: 0, max: 15 }), runtime: fc.integer({ min: 0, max: 8 }), more: fc.integer({ min: 0, max: 6 }), size: fc.integer({ min: 1, max: 6 }) })
        .map(({ submit, runtime, more, size }) => job(size, runtime, submit, Math.max(1, runtime + more))),
      { minLength: 1, maxLength: 12 },
    )
    .map((all) => all.sort((a, b) => a.submit - b.submit)),
})
const shortestFirst = (jobs: RigidJob[]) => [...jobs].sort((a, b) => a.estimate - b.estimate)

it.each([[true], [false]])('easy agrees with its reference, with extra: %s and any of the others', { tags: 'long' }, (extra) => {
  fc.assert(
    fc.property(worlds, fc.boolean(), fc.boolean(), fc.boolean(), ({ slots, jobs }, endBefore, keepHead, isSjf) => {
      const options = { extra, endBefore, keepHead }
      const reference = passing(options, isSjf ? shortestFirst : (all) => all)
      expect(simulated(jobs, [slots], easy(isSjf ? sjf() : fifo(), options))).toEqual(schedule(jobs, [slots], reference))
    }),
    { seed: 21, numRuns: 400 },
  )
})

it('strict that keeps its head agrees with the reference that backfills nobody', () => {
  const none = { extra: false, endBefore: true, keepHead: true }
  fc.assert(
    fc.property(worlds, ({ slots, jobs }) => {
      expect(simulated(jobs, [slots], strict(sjf(), { keepHead: true }))).toEqual(schedule(jobs, [slots], passing(none, shortestFirst, false)))
    }),
    { seed: 22, numRuns: 300 },
  )
})

it.each<EasyOptions>([{ extra: false }, { endBefore: true }, { keepHead: true }])('%j goes with one reservation, and without windows and passOn', (options) => {
  expect(() => starts([job(1, 1)], { ...options, reservations: 2 })).toThrow(/one reservation/)
  expect(() => starts([job(1, 1)], { ...options, windows: [{ from: 0, to: 1, demand: 'all' }] })).toThrow(/no windows/)
  expect(() => starts([job(1, 1)], { ...options, passOn: true })).toThrow(/no passOn/)
})

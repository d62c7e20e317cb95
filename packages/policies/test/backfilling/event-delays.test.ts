import type { JobSpec } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { firstDifference, play, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startsOf } from './machine.js'

const job = (id: string, procs: number, submit: number, seconds: number): JobSpec => ({
  id, submit, estimate: 600, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: seconds }],
})

/** When jobs start on 4 processors, with plans when the first one comes and 1000 s later. */
const starts = (jobs: readonly JobSpec[], options: ReplanOptions) => Object.fromEntries(startsOf(jobs, [4], replan(fifo(), { twoPass: true, bf_interval: 1000, ...options })))

it('looks at those that are submitted batch_sched_delay seconds after it looked before, at once where that is over', () => {
  const jobs = [job('a', 1, 10, 500), job('b', 1, 11, 500), job('c', 1, 12, 500), job('d', 1, 20, 500)]
  expect(starts(jobs, {})).toEqual({ a: 10, b: 11, c: 12, d: 20 })
  expect(starts(jobs, { batch_sched_delay: 3 })).toEqual({ a: 10, b: 13, c: 13, d: 20 })
})

it('takes the first in order of those that have come meanwhile', () => {
  const jobs = [job('a', 3, 10, 500), { ...job('b', 1, 11, 500), priority: 1 }, { ...job('c', 1, 12, 500), priority: 2 }]
  const first = (options: ReplanOptions) => Object.fromEntries(startsOf(jobs, [4], replan(undefined, { twoPass: true, bf_interval: 1000, ...options })))
  expect(first({})['b']).toBe(11)
  expect(first({ batch_sched_delay: 3 })).toMatchObject({ a: 10, c: 13, b: 510 })
})

it('looks at once when a job ends, unless defer is set', () => {
  const jobs = [job('a', 4, 10, 50), job('b', 4, 20, 100), job('c', 4, 59, 100)]
  expect(starts(jobs, { batch_sched_delay: 3 })).toMatchObject({ a: 10, b: 60 })
  expect(starts(jobs, { batch_sched_delay: 3, defer: true })).toMatchObject({ a: 10, b: 62 })
})

it('counts from the last look that was due: one at an end before that time puts none off', () => {
  const jobs = [job('a', 2, 10, 50), job('b', 3, 20, 100), job('c', 1, 71, 10)] // looks at 10, 40, at the end of a, and 71
  expect(starts(jobs, { batch_sched_delay: 30 })).toEqual({ a: 10, b: 60, c: 71 })
})

it('plans when plans are due, whatever was looked at before', () => {
  const jobs = [job('first', 1, 10, 500), job('a', 1, 999, 500), job('b', 1, 1005, 500), job('c', 1, 1011, 500)] // plans at 10 and 1010, looks at 10, 999 and 1029
  expect(starts(jobs, { batch_sched_delay: 30 })).toEqual({ first: 10, a: 999, b: 1010, c: 1029 })
})

it('without plans looks at the whole queue when that is due', () => {
  const jobs = [job('a', 1, 59, 500), job('b', 1, 60, 500), job('c', 1, 61, 500)]
  expect(starts(jobs, { bf_interval: -1, batch_sched_delay: 30 })).toEqual({ a: 59, b: 60, c: 90 })
})

it.each([{}, { nodes: 'named' }] as const)('with heartbeats, of which each sees one node, looks and plans at every one whatever the delays are: %j', { tags: 'long' }, (named) => {
  const sooner: ReplanOptions = { ...named, twoPass: true, bf_interval: 1e-9 }
  const later: ReplanOptions = { ...named, twoPass: true, bf_interval: 30, batch_sched_delay: 3, defer: true }
  let ends = 0
  fc.assert(
    fc.property(worlds({ heartbeats: true, outages: true }), (world) => {
      const { recorder } = play(world, () => replan(fifo(), sooner))
      expect(firstDifference(recorder, play(world, () => replan(fifo(), later)).recorder)).toBe(undefined)
      ends += recorder.events.filter(({ kind }) => kind === 'finish').length
    }),
    { seed: 29, numRuns: 100 },
  )
  expect(ends).toBeGreaterThan(200)
})

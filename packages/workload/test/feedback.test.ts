import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobsOf, withFeedback, workloadOf } from '../src/index.js'

/** A job that ran 10 s after a recorded wait. */
const job = (id: string, submit: number, wait: number | undefined, user = 'anna', rest: Partial<JobSpec> = {}): JobSpec => ({
  id, submit, user, stages: [{ name: 's', tasks: 1, demand: { procs: 1 }, duration: 10 }], ...(wait !== undefined && { recorded: { wait, status: 'completed' } }), ...rest,
})
const answered = (jobs: readonly JobSpec[], within?: number) => [...jobsOf(withFeedback(workloadOf('log', jobs), { within }))]
const seen = (jobs: readonly JobSpec[]) => jobs.map(({ id, submit, after, think }) => [id, submit, ...(after === undefined ? [] : [after, think])].join(' '))

describe('withFeedback', () => {
  it('lets a batch follow the last end of the batch before it, with the think time of the log', () => {
    // a1 and a2 overlap and are over at 0 + 30 + 10 = 40, by a1; b1 comes 5 s later, b2 12 s; they are over at 67, and c comes 1 s after that
    const jobs = [job('a1', 0, 30), job('a2', 20, 5), job('b1', 45, 0), job('b2', 52, 5), job('c', 68, 0)]
    expect(seen(answered(jobs))).toEqual(['a1 0', 'b1 0 a1 5', 'b2 0 a1 12', 'c 0 b2 1', 'a2 20'])
  })

  it('begins a new session with what is submitted later, at the time of the log', () => {
    const jobs = [job('a', 0, 0), job('b', 40, 0), job('c', 81, 0)] // ends 10, 50: 30 and 31 s before the next
    expect(seen(answered(jobs, 30))).toEqual(['a 0', 'b 0 a 30', 'c 81'])
    expect(seen(answered(jobs, 29))).toEqual(['a 0', 'b 40', 'c 81'])
  })

  it('tells users apart, and leaves alone who waits for another already', () => {
    const jobs = [job('a', 0, 0), job('b', 11, 0, 'ben'), job('c', 12, 0, 'anna', { afterAll: [{ job: 'b' }] }), job('d', 23, 0)]
    expect(answered(jobs).map(({ id, after, afterAll }) => [id, after ?? afterAll])).toEqual([['a', undefined], ['b', undefined], ['c', [{ job: 'b' }]], ['d', 'c']])
  })

  it('counts the recorded run time where the job runs for another here, and leaves out the recorded waits', () => {
    const jobs = [job('a', 0, 5, 'anna', { recorded: { wait: 5, runtime: 90, status: 'timeout' } }), job('b', 97, 0)]
    const [a, b] = answered(jobs)
    expect([a?.recorded, b?.after, b?.think]).toEqual([{ runtime: 90, status: 'timeout' }, 'a', 2])
  })

  it('takes a job whose end is not known as one that nobody waits for', () => {
    expect(seen(answered([job('a', 0, 0), job('b', 15, undefined), job('c', 20, 0), job('d', 35, 0)]))).toEqual(['a 0', 'b 0 a 5', 'c 0 a 10', 'd 0 c 5'])
  })

  it('refuses a log without recorded waits, and a negative time', () => {
    expect(() => answered([job('a', 0, undefined)])).toThrow('feedback: no job says how long it waited, so that no submission can follow an end. Use a log with recorded waits.')
    expect(() => answered([job('a', 0, 0)], -1)).toThrow('feedback.within: found -1, expected seconds of at least 0. Leave it out for 1200, 20 minutes.')
  })

  it('submits every job when the log does, if the jobs end when they did (law)', () => {
    const anyJobs = fc.array(fc.record({ gap: fc.nat(30), wait: fc.nat(40), user: fc.nat(2) }), { minLength: 1, maxLength: 40 }).map((rows) => {
      let submit = 0
      return rows.map(({ gap, wait, user }, i) => job(`j${i}`, (submit += gap), wait, `u${user}`))
    })
    fc.assert(fc.property(anyJobs, fc.nat(40), (jobs, within) => {
      const ends = new Map(jobs.map(({ id, submit, recorded }) => [id, submit + (recorded?.wait ?? NaN) + 10]))
      const result = answered(jobs, within)
      expect(result.map(({ submit }) => submit)).toEqual(result.map(({ submit }) => submit).sort((a, b) => a - b))
      for (const { id, submit, after, think } of result) {
        const original = jobs.find((each) => each.id === id) as JobSpec
        expect(after === undefined ? submit : (ends.get(after) as number) + (think as number)).toBe(original.submit)
        if (after === undefined) continue
        expect(submit).toBeLessThanOrEqual(original.submit)
        expect(result.findIndex((each) => each.id === after)).toBeLessThan(result.findIndex((each) => each.id === id))
      }
    }), { numRuns: 500 })
  })
})

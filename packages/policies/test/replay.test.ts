import { defineOrder, type JobSpec, type Observer, type Plug } from '@sched/core'
import { prepare } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from '@sched/bundled/zod'
import { conservative, easy, fifo, greedy, replay, sjf, strict } from '../src/index.js'
import { queuePasses } from './backfilling/machine.js'

const cluster = (procs: number) => ({ nodes: [{ count: 1, resources: { procs } }] })

/** When each job started, by its name. */
function starts(policy: Plug<'policy'>, jobs: readonly JobSpec[], procs: number): Record<string, number> {
  const { recorder, simulation } = prepare({ policy, jobs, cluster: cluster(procs), architecture: queuePasses.plug({}), infeasible: 'reject' })
  expect(simulation.advance(100_000)).toBe('done')
  return Object.fromEntries(recorder.launches.map(({ job, time }) => [job, time]))
}

const rigid = (id: string, submit: number, procs: number, duration: number, wait?: number): JobSpec => ({ id, submit, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }], ...(wait !== undefined && { recorded: { wait } }) })

/** Jobs with the waits that they had in a run. */
const recorded = (jobs: readonly JobSpec[], times: Record<string, number>): JobSpec[] => jobs.map((job) => ({ ...job, recorded: { wait: (times[job.id] as number) - job.submit } }))

const PROCS = 6
/** Every job takes time: of those that take none, which of an instant came first is not recorded. */
const worlds = fc
  .array(fc.record({ submit: fc.integer({ min: 0, max: 12 }), procs: fc.integer({ min: 1, max: PROCS }), duration: fc.integer({ min: 1, max: 9 }) }), { minLength: 1, maxLength: 12 })
  .map((jobs) => jobs.toSorted((a, b) => a.submit - b.submit).map(({ submit, procs, duration }, i) => rigid(`j${i}`, submit, procs, duration)))

const policies = { strict: strict(), easy: easy(), 'shortest first': greedy(sjf()) }

describe('replay', () => {
  it.each(Object.entries({ ...policies, conservative: conservative() }))('starts every job when it was recorded to start, whatever decided then (%s)', { tags: 'long' }, (_, policy) => {
    fc.assert(
      fc.property(worlds, (jobs) => {
        const times = starts(policy, jobs, PROCS)
        expect(starts(replay(strict()), recorded(jobs, times), PROCS)).toEqual(times)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it.each(Object.entries(policies))('hands machine and queue over as they are: the policy that was recorded goes on as it did (%s)', { tags: 'long' }, (_, policy) => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 0, max: 30 }), (jobs, until) => {
        const times = starts(policy, jobs, PROCS)
        expect(starts(replay(policy, { until }), recorded(jobs, times), PROCS)).toEqual(times)
      }),
      { seed: 2, numRuns: 100 },
    )
  })

  // a has the machine until 10 s; by the log b and then c started after it, and d, the shortest, last
  const jobs = [rigid('a', 0, 4, 10, 0), rigid('b', 1, 4, 10, 9), rigid('c', 2, 4, 10, 18), rigid('d', 3, 4, 1, 27)]

  it('lets another policy decide from a time on', () => {
    expect(starts(replay(greedy(sjf()), { until: 15 }), jobs, 4)).toEqual({ a: 0, b: 10, d: 20, c: 21 })
    expect(starts(replay(greedy(sjf()), { until: 0 }), jobs, 4)).toEqual(starts(greedy(sjf()), jobs, 4))
  })

  it('asks for a round at that time, where nothing else happens', () => {
    expect(starts(replay(greedy(fifo()), { until: 5 }), [rigid('late', 0, 1, 1, 100)], 1)).toEqual({ late: 5 })
  })

  it('starts a job without room as soon as there is, those that are due for longer first, and one without a record when it fits', () => {
    // b and c were recorded while a ran, which has no room beside it here
    expect(starts(replay(greedy(fifo())), [rigid('a', 0, 4, 10, 0), rigid('b', 1, 4, 10, 5), rigid('c', 2, 4, 10, 3), rigid('unknown', 8, 1, 1)], 4)).toEqual({ a: 0, c: 10, b: 20, unknown: 30 })
  })

  it('leaves a job without a record, which may have waited still, to the policy inside', () => {
    expect(starts(replay(greedy(fifo()), { until: 5 }), [rigid('waits', 0, 1, 1), rigid('ran', 1, 1, 1, 0)], 1)).toEqual({ waits: 5, ran: 1 })
  })

  it('says so where the log does not say when jobs started', () => {
    const told = (until: number | undefined, ...waits: readonly (number | undefined)[]) => {
      const warnings: string[] = []
      const jobs = waits.map((wait, i) => rigid(`j${i}`, i, 1, 1, wait))
      prepare({ policy: replay(strict(), until === undefined ? {} : { until }), jobs, cluster: cluster(9), architecture: queuePasses.plug({}), warn: (text) => warnings.push(text) }).simulation.advance(100)
      return warnings
    }
    expect(told(5, undefined, undefined)).toEqual(['of no job submitted by 5 s the log says when it started: none starts before that time.'])
    expect(told(undefined, undefined, undefined)).toEqual(['of its first jobs the log does not say when they started: such jobs start as soon as they fit.'])
    expect([told(5, undefined, 0), told(undefined, 0, undefined), told(0, undefined)]).toEqual([[], [], []])
  })

  it('lets none of many start before its time', () => {
    const many = Array.from({ length: 300 }, (_, i) => rigid(`j${i}`, 0, 1, 1, 1 + ((i * 7) % 300)))
    expect(Object.entries(starts(replay(greedy(fifo())), many, 300)).toSorted(([, a], [, b]) => a - b)).toEqual(many.map(({ id, recorded }) => [id, recorded?.wait]).toSorted(([, a], [, b]) => Number(a) - Number(b)))
  })

  it('says of jobs that are not due that their start in the log is what they wait for', () => {
    const told = new Set<string>()
    const observer: Observer = { onDefer: (job, _lane, _reason, now, limit) => void told.add(`${job} at ${now}: ${limit}`) }
    const { simulation } = prepare({ policy: replay(greedy(fifo())), jobs: [rigid('a', 0, 1, 1, 7), rigid('b', 0, 1, 1, 3)], cluster: cluster(2), architecture: queuePasses.plug({}), observers: [observer] })
    simulation.advance(100)
    expect([...told].filter((each) => !each.includes('undefined'))).toEqual(['1 at 0: start in the log', '0 at 0: start in the log', '0 at 3: start in the log', '0 at 4: start in the log'])
  })

  it('takes jobs that the policy inside refuses as long as it does not decide', () => {
    const refusing = greedy(defineOrder({ name: 'nobody', summary: 'refuses all', options: z.strictObject({}), create: (_, env) => Object.assign(fifo().create(env), { admits: () => 'nobody may' }) }).plug({}))
    expect(starts(replay(refusing, { until: 5 }), [rigid('a', 4, 1, 1, 0), rigid('b', 5, 1, 1, 0)], 1)).toEqual({ a: 4 })
  })
  it('says of jobs that the policy inside refuses, and that came before it, that a limit forbids them', () => {
    const refusing = greedy(defineOrder({ name: 'nobody', summary: 'refuses all', options: z.strictObject({}), create: () => ({ begin: () => undefined, next: () => undefined, admits: () => 'nobody may' }) }).plug({}))
    const warnings: string[] = []
    const { simulation } = prepare({ policy: replay(refusing, { until: 5 }), jobs: [rigid('a', 0, 1, 1)], cluster: cluster(1), architecture: queuePasses.plug({}), warn: (text) => void warnings.push(text) })
    simulation.run()
    expect(warnings.at(-1)).toContain('1 job can never start, since limits forbid it: nobody may (1).')
  })
})

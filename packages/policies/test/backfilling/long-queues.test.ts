// @module-tag long
import { randomStream } from '@sched/core'
import { conservative, easy, fattened, type fifo, ljf, lxf, sjf } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Gaps } from '../../src/backfilling/gaps.js'
import { Profile } from '../../src/backfilling/profile.js'
import { simulated } from './machine.js'
import { easy as referenceEasy, endsOnly, fattened as referenceFattened } from './reference/disciplines.js'
import { schedule, type RigidJob } from './reference/machine.js'
import { plainConservative } from './reference/plain-conservative.js'

/** More jobs than the machine can run for a while, so that hundreds wait: sizes and lengths of all magnitudes. */
function backlog(seed: number, count: number, resources: number): RigidJob[] {
  const draw = randomStream(seed, 'backlog')
  return Array.from({ length: count }, (_, i) => {
    const runtime = Math.round(1000 ** draw())
    return {
      submit: i < count / 3 ? 0 : Math.round(i / 2),
      runtime,
      estimate: Math.max(1, Math.round(runtime * (1 + 2 * draw()))),
      size: Array.from({ length: resources }, () => Math.max(1, Math.round(48 ** draw()))),
    }
  }).sort((a, b) => a.submit - b.submit)
}

describe('with hundreds of waiting jobs, start by start', () => {
  for (const resources of [1, 2]) {
    const capacity = Array.from({ length: resources }, () => 64)
    it(`EASY passes over whole blocks of jobs and misses none (${resources} resources)`, () => {
      const jobs = backlog(61, 900, resources)
      expect(simulated(jobs, capacity, easy(), { validate: false })).toEqual(schedule(jobs, capacity, referenceEasy(endsOnly)))
    })
    it(`conservative looks for gaps only where there are any, and misses none (${resources} resources)`, () => {
      const jobs = backlog(62, 300, resources)
      expect(simulated(jobs, capacity, conservative(), { validate: false })).toEqual(schedule(jobs, capacity, plainConservative()))
    })
  }

  it('fattened is what plain code makes of them', () => {
    const jobs = backlog(63, 400, 1)
    const reference = referenceFattened({ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity, moments: endsOnly })
    expect(simulated(jobs, [64], fattened(), { validate: false })).toEqual(schedule(jobs, [64], reference))
  })

  it('EASY over another order is EASY with the queue sorted', () => {
    const jobs = backlog(64, 500, 1)
    const by = (order: (a: RigidJob, b: RigidJob, now: number) => number) => (machine: Parameters<ReturnType<typeof referenceEasy>>[0]) => {
      machine.waiting.sort((a, b) => order(a, b, machine.now) || jobs.indexOf(a) - jobs.indexOf(b))
      return referenceEasy(endsOnly)(machine)
    }
    const factor = (job: RigidJob, now: number) => 1 + (now - job.submit) / Math.max(1, job.estimate)
    const run = (order: () => ReturnType<typeof fifo>) => simulated(jobs, [64], easy(order()), { validate: false })
    expect(run(sjf)).toEqual(schedule(jobs, [64], by((a, b) => a.estimate - b.estimate)))
    expect(run(ljf)).toEqual(schedule(jobs, [64], by((a, b) => b.estimate - a.estimate)))
    expect(run(lxf)).toEqual(schedule(jobs, [64], by((a, b, now) => factor(b, now) - factor(a, now))))
  })
})

describe('Gaps', () => {
  const change = fc.record({ start: fc.nat({ max: 60 }), length: fc.integer({ min: 1, max: 30 }), amount: fc.integer({ min: 1, max: 9 }) })

  it('reports no first gap that is later than the true one, whatever is taken and given back', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), fc.array(fc.nat(), { maxLength: 20 }), (taken, given) => {
        const profile = new Profile(1)
        profile.reset(0, Float64Array.of(40))
        const gaps = new Gaps(profile)
        for (let amount = 1; amount <= 40; amount++) gaps.want(amount, 1)
        const entries = [...taken]
        for (const { start, length, amount } of entries) profile.take(start, start + length, Float64Array.of(amount), 0)
        gaps.build()
        for (const which of given) {
          const [entry] = entries.splice(which % Math.max(1, entries.length), 1)
          if (entry === undefined) continue
          profile.take(entry.start, entry.start + entry.length, Float64Array.of(entry.amount), 0, -1)
          gaps.note(entry.start, entry.start + entry.length)
        }
        for (const amount of [1, 2, 3, 5, 8, 13, 21, 34])
          for (const length of [1, 2, 4, 8, 16, 32]) expect(gaps.first(amount, length)).toBeLessThanOrEqual(profile.earliest(length, Float64Array.of(amount), 0))
      }),
      { seed: 65, numRuns: 300 },
    )
  })
})

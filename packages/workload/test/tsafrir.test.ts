import { SchedError, type JobSpec, type Workload } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { facebook, jobsOf, lublin, tsafrirEstimates, workloadOf, writeWorkload } from '../src/index.js'
import { swf } from '../src/node/index.js'
import { popularEstimates, popularPlaces, popularShares } from '../src/generate/tsafrir-head.js'
import { assignEstimates, tsafrirHistogram } from '../src/generate/tsafrir-model.js'
import { realTrace } from './traces.js'

const hour = 3600
const job = (id: number, duration: number, change: Partial<JobSpec> = {}): JobSpec => (
  { id: String(id), submit: id, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration }], ...change })
const runtime = (one: JobSpec) => one.stages[0]!.duration as number
const all = (workload: Workload) => [...jobsOf(workload)]
const countsOf = (estimates: Iterable<number>) => {
  const counts = new Map<number, number>()
  for (const estimate of estimates) counts.set(estimate, (counts.get(estimate) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a - b)
}

describe('popular estimates', () => {
  it('of up to 18 hours are the 15 of all logs and 5 round ones, the longest first', () => {
    // 18 h is itself one of the 15; 10 h, 5 h, ... steps from 18 h down: 15 h, then 2 h steps 16 and 14 h, then 1 h steps 17 and 13 h
    const hours = popularEstimates(18 * hour).map((estimate) => estimate / hour)
    expect(hours[0]).toBe(18)
    expect(hours.slice(1)).toEqual([1 / 12, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17])
  })

  it('are 20 different ones, none longer than the longest, for any limit from 2 hours on', () => {
    fc.assert(fc.property(fc.integer({ min: 7200, max: 10_000_000 }), (limit) => {
      const estimates = popularEstimates(limit)
      expect([estimates.length, new Set(estimates).size, Math.max(...estimates), estimates[0]]).toEqual([20, 20, limit, limit])
    }), { numRuns: 200, seed: 20_268 })
  })

  it('are used by 89 % of jobs, by an exponential law from the second on, the longest by 21.7 %', () => {
    const { shares, placeOfMax } = popularShares(89, undefined)
    // 14.0491 e^(-0.177531 * 2) + 0.462513 = 10.3129; the first is what is left of 89: 21.7
    expect(shares[1]).toBeCloseTo(10.3129, 3)
    expect(shares[0]).toBeCloseTo(21.7, 1)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(89, 9)
    expect(placeOfMax).toBe(1)
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
  })

  it('make room for a given share of the longest', () => {
    const { shares, placeOfMax } = popularShares(89, 5)
    expect([shares[placeOfMax - 1], shares.length]).toEqual([5, 20])
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(89, 9)
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
  })

  it('are matched to places by popularity, each once', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 20 }), fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (place, stream) => {
      const places = popularPlaces(place, () => stream.next().value as number)
      expect([places[0], [...places].sort((a, b) => a - b)]).toEqual([place, Array.from({ length: 20 }, (_, i) => i + 1)])
    }), { numRuns: 200, seed: 20_269 })
  })
})

describe('the histogram of estimates', () => {
  const histogram = (jobs: number, change: object = {}) => tsafrirHistogram({ jobs, maxEstimate: 18 * hour, seed: 3, ...change })

  it('holds as many jobs as asked for, ascending, none above the longest', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 400_000 }), fc.integer({ min: 7200, max: 1_000_000 }), fc.integer(), (jobs, maxEstimate, seed) => {
      const bins = tsafrirHistogram({ jobs, maxEstimate, seed })
      expect(bins.reduce((sum, bin) => sum + bin.jobs, 0)).toBe(jobs)
      expect(bins.every((bin, i) => bin.jobs >= 0 && bin.estimate > (bins[i - 1]?.estimate ?? 0))).toBe(true)
      expect(bins.at(-1)!.estimate).toBe(maxEstimate)
    }), { numRuns: 60, seed: 20_270 })
  })

  it('has 20 estimates for 89 % of 10,000 jobs and 90 in all', () => {
    const bins = histogram(10_000)
    const popular = bins.map(({ jobs }) => jobs).sort((a, b) => b - a).slice(0, 20)
    expect(popular.reduce((sum, jobs) => sum + jobs, 0) / 10_000).toBeCloseTo(0.89, 2)
    expect(bins.filter(({ jobs }) => jobs > 0).length).toBeGreaterThan(86) // a few rare ones may collide with others
    expect(bins.filter(({ jobs }) => jobs > 0).length).toBeLessThanOrEqual(90)
    expect(bins.at(-1)!.jobs).toBe(2_173) // 89 - sum of 14.0491 e^(-0.177531 x) + 0.462513 over x = 2 to 20 is 21.73 %
  })

  it('has whole minutes for nearly all, many of them short', () => {
    const used = histogram(70_000).filter(({ jobs }) => jobs > 0)
    // 320 rare values on 1,080 minutes, of which the first ones are closer than a minute
    expect(used.filter(({ estimate }) => estimate % 60 === 0).length / used.length).toBeGreaterThan(0.7)
    expect(used.filter(({ estimate }) => estimate <= 3 * hour).length / used.length).toBeGreaterThan(0.4)
    expect(used.every(({ estimate }) => estimate % 10 === 0)).toBe(true)
  })

  it('gives the longest estimate the share that is asked for', () => {
    expect(histogram(10_000, { maxShare: 0.4 }).at(-1)!.jobs).toBe(4_000)
    expect(histogram(10_000, { maxShare: 0.01 }).at(-1)!.jobs).toBe(100)
  })

  it('of few jobs has popular values only', () => {
    expect(histogram(100).length).toBe(20)
    expect(histogram(1).reduce((sum, { jobs }) => sum + jobs, 0)).toBe(1)
  })

  it('depends on the seed', () => {
    expect(histogram(1000)).toEqual(histogram(1000))
    expect(histogram(1000)).not.toEqual(histogram(1000, { seed: 4 }))
  })
})

describe('assigning estimates to jobs', () => {
  it('uses every estimate as often as the histogram says, none below the run time', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 2 * hour }), { minLength: 1, maxLength: 200 }), fc.integer(), (times, seed) => {
      const bins = tsafrirHistogram({ jobs: times.length, maxEstimate: 2 * hour, seed, maxShare: 0.8 })
      const estimates = assignEstimates(new Float64Array(times), bins, seed)
      expect(times.every((time, i) => estimates[i]! >= time)).toBe(true)
      const known = new Set(bins.map(({ estimate }) => estimate))
      expect([...estimates].every((estimate) => known.has(estimate))).toBe(true)
      const sorted = [...times].sort((a, b) => b - a)
      const pool = bins.toReversed().flatMap(({ estimate, jobs }) => Array<number>(jobs).fill(estimate))
      if (sorted.every((time, i) => time <= pool[i]!))
        expect(countsOf(estimates)).toEqual(bins.filter(({ jobs }) => jobs > 0).map(({ estimate, jobs }) => [estimate, jobs]))
    }), { numRuns: 200, seed: 20_271 })
  })

  it('with too few long estimates takes the shortest that are long enough', () => {
    const bins = [{ estimate: 10, jobs: 3 }, { estimate: 20, jobs: 0 }, { estimate: 30, jobs: 1 }]
    // 25 and 15 can only have 30 and 20; the program would give up
    expect([...assignEstimates(new Float64Array([25, 15, 5, 5]), bins, 1)].sort((a, b) => a - b)).toEqual([10, 10, 20, 30])
  })

  it('draws evenly from what is long enough', () => {
    const bins = [{ estimate: 10, jobs: 500 }, { estimate: 100, jobs: 500 }]
    const estimates = assignEstimates(new Float64Array(1000).fill(1), bins, 7)
    const firstHalf = estimates.slice(0, 500).filter((estimate) => estimate === 100).length
    // hypergeometric: 250 expected, standard deviation sqrt(500 * 0.25 * 0.5) = 7.9
    expect(Math.abs(firstHalf - 250)).toBeLessThan(4 * 7.9)
  })
})

describe('tsafrirEstimates', () => {
  const logs = workloadOf('w', Array.from({ length: 3_000 }, (_, i) => job(i, (i * 7919) % 30_000, { user: 'ada', estimate: 1 })))

  it('changes nothing but estimates, and the run times above the longest', () => {
    const changed = all(tsafrirEstimates(logs, { maxEstimate: 6 * hour }))
    const cut = changed.filter(({ recorded }) => recorded !== undefined)
    expect(changed.map(({ id, submit, user }) => [id, submit, user])).toEqual(all(logs).map(({ id, submit, user }) => [id, submit, user]))
    expect(cut.length).toBe(all(logs).filter((one) => runtime(one) > 6 * hour).length)
    expect(cut.every((one) => runtime(one) === 6 * hour && one.recorded!.runtime! > 6 * hour)).toBe(true)
    expect(changed.every((one) => one.estimate! >= runtime(one))).toBe(true)
  })

  it('gives a workload that the native format accepts, the same every time', () => {
    const changed = tsafrirEstimates(logs, { maxEstimate: 10 * hour, seed: 5 })
    expect([...writeWorkload(changed)]).toEqual([...writeWorkload(tsafrirEstimates(logs, { maxEstimate: 10 * hour, seed: 5 }))])
    expect(all(changed)).toEqual(all(changed))
    expect(all(changed)).not.toEqual(all(tsafrirEstimates(logs, { maxEstimate: 10 * hour, seed: 6 })))
  })

  it('makes estimates inaccurate: few jobs use more than 95 % of theirs', () => {
    const jobs = all(tsafrirEstimates(lublin({ jobs: 5_000, estimates: 'exact' }), { maxEstimate: 48 * hour }))
    expect(jobs.filter((one) => runtime(one) > 0.95 * one.estimate!).length / jobs.length).toBeLessThan(0.1)
  })

  it.each<[string, () => Workload, string]>([
    ['tasks', () => tsafrirEstimates(facebook(), { maxEstimate: 7200 }), 'has no one run time. Users\' estimates are modelled for rigid jobs'],
    ['a short limit', () => tsafrirEstimates(logs, { maxEstimate: 60 }), 'tsafrir.maxEstimate: found 60, expected at least 7200.'],
    ['a share beyond the popular ones', () => tsafrirEstimates(logs, { maxEstimate: 7200, maxShare: 0.95 }), 'tsafrir.maxShare: found 0.95, expected at most 0.89.'],
  ])('refuses %s', (_, doing, message) => {
    expect(doing).toThrow(SchedError)
    expect(doing).toThrow(message)
  })

  const log = realTrace('swf/CTC-SP2-1996-3.1-cln.swf.gz')
  it.skipIf(!log.there)(`looks like the estimates of users: ${log.title}`, { tags: 'long' }, () => {
    // CTC was one of the four logs of the paper: at most 18 h, 20 values for some 89 % of jobs, 18 h given by about a quarter
    const real = swf(log.path, { overrun: 'keep' })
    const popularShare = (jobs: readonly JobSpec[]) =>
      countsOf(jobs.map(({ estimate }) => estimate!)).map(([, count]) => count).sort((a, b) => b - a).slice(0, 20).reduce((sum, count) => sum + count, 0) / jobs.length
    const longest = (jobs: readonly JobSpec[]) => jobs.filter(({ estimate }) => estimate === 18 * hour).length / jobs.length
    const theirs = all(real)
    const ours = all(tsafrirEstimates(real, { maxEstimate: 18 * hour }))
    expect(popularShare(theirs)).toBeGreaterThan(0.8)
    expect(Math.abs(popularShare(ours) - popularShare(theirs))).toBeLessThan(0.06)
    expect(Math.abs(longest(ours) - longest(theirs))).toBeLessThan(0.08)
    const distinct = (jobs: readonly JobSpec[]) => new Set(jobs.map(({ estimate }) => estimate)).size
    expect(distinct(ours)).toBeGreaterThan(0.7 * distinct(theirs))
    expect(distinct(ours)).toBeLessThan(1.4 * distinct(theirs))
  })
})

import { SchedError, randomStream, type JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { jobsOf, lublin, scaleLoad } from '../src/index.js'
import { swf } from '../src/node/index.js'
import { gammaOf, normalOf } from '../src/generate/gamma.js'
import { dayClock, dayWeights } from '../src/generate/lublin-arrivals.js'
import { lublinParameters } from '../src/generate/lublin-parameters.js'
import { realTrace } from './traces.js'

type Options = Parameters<typeof lublin>[0]
const all = (options: Options) => [...jobsOf(lublin(options))]
const size = (job: JobSpec) => job.stages[0]!.demand['procs']!
const runtime = (job: JobSpec) => job.stages[0]!.duration as number
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]) => {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}
const fraction = (jobs: readonly JobSpec[], is: (job: JobSpec) => boolean) => jobs.filter(is).length / jobs.length
const isPowerOfTwo = (job: JobSpec) => Number.isInteger(Math.log2(size(job)))

const offeredLoad = (jobs: readonly JobSpec[], procs: number) => jobs.reduce((sum, job) => sum + size(job) * runtime(job), 0) / (procs * jobs.at(-1)!.submit)

/** The largest distance between two empirical distributions (Kolmogorov and Smirnov). */
function distance(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [first, second].map((values) => [...values].sort((x, y) => x - y)) as [number[], number[]]
  let [i, j, most] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i]!, b[j]!)
    while (i < a.length && a[i]! <= value) i++
    while (j < b.length && b[j]! <= value) j++
    most = Math.max(most, Math.abs(i / a.length - j / b.length))
  }
  return most
}

describe('gamma', () => {
  it.each([[4.2, 0.94], [312, 0.03], [10.46, 0.4871], [1, 2], [0.3, 5]])('of shape %d and scale %d has its mean and deviation', (shape, scale) => {
    const gamma = gammaOf(randomStream(5, 'test'))
    const values = Array.from({ length: 40_000 }, () => gamma(shape, scale))
    const expected = { mean: shape * scale, deviation: Math.sqrt(shape) * scale }
    // 4 standard errors of the mean; of the deviation, which has a kurtosis of 3 + 6 / shape
    expect(Math.abs(mean(values) - expected.mean)).toBeLessThan((4 * expected.deviation) / 200)
    expect(Math.abs(deviation(values) / expected.deviation - 1)).toBeLessThan((4 * Math.sqrt(2 + 6 / shape)) / 2 / 200)
  })

  it('is made of normal values of mean 0 and deviation 1', () => {
    const normal = normalOf(randomStream(6, 'test'))
    const values = Array.from({ length: 40_000 }, normal)
    expect(Math.abs(mean(values))).toBeLessThan(4 / 200)
    expect(Math.abs(deviation(values) - 1)).toBeLessThan(4 / 283)
    expect(Math.abs(values.filter((value) => value > 1.96).length / 40_000 - 0.025)).toBeLessThan(4 * Math.sqrt(0.025 / 40_000))
  })
})

describe('lublin', () => {
  const jobs = all({ jobs: 20_000, procs: 128 })

  it('has the published fractions of serial jobs and powers of two', () => {
    // serial 0.244; of the others, 0.576 are powers by choice and some of the rest by chance: 2, 4 and 8 are rounded to often
    expect(Math.abs(fraction(jobs, (job) => size(job) === 1) - 0.244)).toBeLessThan(4 * Math.sqrt((0.244 * 0.756) / 20_000))
    const powers = fraction(jobs, isPowerOfTwo)
    expect(powers).toBeGreaterThan(0.244 + 0.576)
    expect(powers).toBeLessThan(0.9)
  })

  it('has sizes two-stage uniform in their logarithm: 0.86 of parallel jobs below 2^4.5', () => {
    const parallel = jobs.filter((job) => size(job) > 1)
    // below 2^4.5 = 22.6 and no power of two by choice (0.18 of all): 0.86; by choice (0.576 of all): 16 and less, log below 4.5, too
    expect(Math.abs(fraction(parallel, (job) => size(job) <= 22) - 0.86)).toBeLessThan(4 * Math.sqrt((0.86 * 0.14) / parallel.length))
    expect(Math.max(...parallel.map(size))).toBe(128)
    expect(Math.min(...parallel.map(size))).toBe(2)
  })

  it('has run times from two gammas: 4.2 x 0.94 and 312 x 0.03 in the log', () => {
    // serial: p = 0.78 - 0.0054, mean log = 0.7746 * 3.948 + 0.2254 * 9.36 = 5.168; deviation about 2.8, cut at e^12
    const serial = jobs.filter((job) => size(job) === 1).map((job) => Math.log(runtime(job) + 0.5))
    expect(Math.abs(mean(serial) - 5.168)).toBeLessThan((4 * 2.9) / Math.sqrt(serial.length))
    expect(Math.max(...jobs.map(runtime))).toBeLessThanOrEqual(162_754)
    expect(Math.min(...jobs.map(runtime))).toBeGreaterThanOrEqual(1)
  })

  it('runs larger jobs longer: at 128 processors p = 0.78 - 0.69 = 0.09', () => {
    const log = (from: number, to: number) => mean(jobs.filter((job) => size(job) >= from && size(job) <= to).map((job) => Math.log(runtime(job))))
    // 64 processors: p = 0.4344, 0.4344 * 3.948 + 0.5656 * 9.36 = 7.01; 128: 0.0888 * 3.948 + 0.9112 * 9.36 = 8.88
    expect(log(64, 64)).toBeCloseTo(7.01, 0)
    expect(log(128, 128)).toBeCloseTo(8.88, 0)
    expect(log(1, 1)).toBeLessThan(log(8, 16))
    expect(log(8, 16)).toBeLessThan(log(64, 64))
  })

  it('submits most jobs by day and few at night, in whole seconds and in order', () => {
    const byHour = Array.from({ length: 24 }, () => 0)
    for (const { submit } of jobs) byHour[Math.floor((submit % 86_400) / 3600)]!++
    expect(byHour.indexOf(Math.max(...byHour))).toBeGreaterThanOrEqual(11)
    expect(byHour.indexOf(Math.max(...byHour))).toBeLessThanOrEqual(14)
    expect(byHour.indexOf(Math.min(...byHour))).toBeGreaterThanOrEqual(2)
    expect(byHour.indexOf(Math.min(...byHour))).toBeLessThanOrEqual(5)
    expect(Math.max(...byHour) / Math.min(...byHour)).toBeGreaterThan(5)
    expect(jobs.every(({ submit }, i) => Number.isInteger(submit) && submit >= (jobs[i - 1]?.submit ?? 0))).toBe(true)
  })

  const original = realTrace('swf/lublin_256.swf.gz')
  it.skipIf(!original.there)(`agrees with 10,000 jobs of the authors' program: ${original.title}`, () => {
    const theirs = [...jobsOf(swf(original.path))]
    const ours = [1, 2, 3, 4, 5].map((seed) => all({ jobs: 10_000, procs: 256, seed }))
    const apart = (value: (job: JobSpec) => number) => distance(theirs.map(value), ours.flat().map(value))
    // independent samples of 10,000 and 50,000 differ by more than 1.95 * sqrt(1 / 10,000 + 1 / 50,000) = 0.0214 once in 1,000 times
    expect(apart(size)).toBeLessThan(0.0214)
    expect(apart(runtime)).toBeLessThan(0.0214)
    expect(apart((job) => size(job) * runtime(job))).toBeLessThan(0.0214)
    const gaps = (jobs: readonly JobSpec[]) => jobs.slice(1).map(({ submit }, i) => submit - jobs[i]!.submit)
    expect(distance(gaps(theirs), ours.flatMap(gaps))).toBeLessThan(0.0214)
    // The program adds every gap to a whole number of seconds and drops the fraction, so that its time falls behind its
    // day by half a second a job. Arrivals of a day hang together, so the bound is three times that of independent ones.
    const hours = (drift: number) => distance(theirs.map(({ submit }, i) => (submit + i * drift) % 86_400), ours.flat().map(({ submit }) => submit % 86_400))
    expect(hours(0.5)).toBeLessThan(0.03)
    expect(hours(0.5)).toBeLessThan(hours(0))
    // load 1.06 in the README of the traces; ours from 0.77 to 0.97 in 12 seeds, since a few gaps of a day decide it
    expect(mean(ours.map((jobs) => offeredLoad(jobs, 256)))).toBeGreaterThan(0.75)
    expect(mean(ours.map((jobs) => offeredLoad(jobs, 256)))).toBeLessThan(1.15)
    expect(offeredLoad(theirs, 256)).toBeCloseTo(1.06, 2)
  })

  it.each([0.5, 0.9, 1.3])('has offered load %d when asked for, of the same jobs and days of the same length', (load) => {
    for (const kind of ['all', 'both'] as const) {
      expect(offeredLoad(all({ jobs: 5_000, load, kind }), 128)).toBeCloseTo(load, kind === 'all' ? 4 : 2)
    }
    expect(all({ jobs: 500, load }).map(size)).toEqual(all({ jobs: 500 }).map(size))
  })

  it('keeps midday busy at any load, which scaling the finished workload does not', () => {
    const noon = (jobs: readonly JobSpec[]) => fraction(jobs, ({ submit }) => submit % 86_400 > 8 * 3600 && submit % 86_400 < 18 * 3600)
    const usual = noon(all({ jobs: 10_000 }))
    expect(Math.abs(noon(all({ jobs: 10_000, load: 0.4 })) - usual)).toBeLessThan(0.03)
    expect(noon([...jobsOf(scaleLoad(lublin({ jobs: 10_000 }), 0.37))])).toBeLessThan(usual - 0.1)
  })

  it('tells batch from interactive jobs: fewer serial, shorter and smaller ones', () => {
    const [batch, interactive] = (['batch', 'interactive'] as const).map((kind) => all({ jobs: 10_000, kind })) as [JobSpec[], JobSpec[]]
    const near = 4 * Math.sqrt(0.25 / 10_000) // standard errors of a fraction, at most
    expect(Math.abs(fraction(batch, (job) => size(job) === 1) - 0.2927)).toBeLessThan(near)
    expect(Math.abs(fraction(interactive, (job) => size(job) === 1) - 0.1541)).toBeLessThan(near)
    expect(Math.max(...interactive.map(size))).toBeLessThanOrEqual(45) // 2^5.5
    expect(mean(interactive.map(runtime))).toBeLessThan(mean(batch.map(runtime)))
  })

  it('mixes both as queues, in order of submission', () => {
    const both = all({ jobs: 2_000, kind: 'both' })
    expect(new Set(both.map(({ queue, label }) => `${queue} ${label}`))).toEqual(new Set(['batch batch', 'interactive interactive']))
    expect(both.every(({ submit }, i) => submit >= (both[i - 1]?.submit ?? 0))).toBe(true)
    const batch = all({ jobs: 2_000, kind: 'batch' })
    const mixedIn = both.filter(({ queue }) => queue === 'batch')
    expect(mixedIn.map((job) => [job.submit, size(job)])).toEqual(batch.slice(0, mixedIn.length).map((job) => [job.submit, size(job)]))
  })

  it('fits machines of any size', () => {
    for (const procs of [2, 4, 8, 30, 1024, 100_000]) {
      const sizes = all({ jobs: 3_000, procs }).map(size)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(procs)
      expect(Math.max(...sizes)).toBeGreaterThan(procs / 1.5)
      expect(Math.min(...sizes)).toBe(1)
    }
    // a machine of 8: medium 1.5 by the authors' advice; here 0.8 + 2.2 / 3
    expect(lublinParameters('all', 8).medium).toBeCloseTo(1.53, 2)
    expect(lublinParameters('all', 256)).toMatchObject({ medium: 5.5, high: 8 })
  })

  it('gives estimates as users do, exact ones, a factor or none', () => {
    const first = (estimates: NonNullable<Options>['estimates']) => all({ jobs: 300, estimates })
    expect(first('exact').every((job) => job.estimate === runtime(job))).toBe(true)
    expect(first(2).every((job) => job.estimate === 2 * runtime(job))).toBe(true)
    expect(first('unknown').every((job) => job.estimate === undefined)).toBe(true)
    expect(first('tsafrir').every((job) => job.estimate! >= runtime(job))).toBe(true)
    expect(new Set(first('tsafrir').map(({ estimate }) => estimate)).size).toBeLessThan(30)
    expect(Math.max(...all({ jobs: 300, maxEstimate: 7200 }).map(runtime))).toBe(7200)
  })

  it.each<[object, string]>([
    [{ procs: 1 }, 'lublin.procs: found 1, expected at least 2.'],
    [{ kind: 'gpu' }, 'lublin.kind: found "gpu", expected "all" or "batch" or "interactive" or "both".'],
    [{ maxEstimate: 60 }, 'lublin.maxEstimate: found 60, expected at least 7200.'],
    [{ parameters: { seriel: 1 } }, 'lublin.parameters.seriel: unknown key "seriel". Did you mean "serial"?'],
    [{ parameters: { medium: 9 } }, 'lublin.parameters: found low 0.8, medium 9, high 7, expected them in ascending order. Write all three in this order, or none: those left out follow from the paper and from procs.'],
    [{ parameters: { a1: 1000, a2: 1000, b2: 1 } }, 'lublin.parameters: run times of more than e^12 s, drawn 10000 times in a row. Choose smaller values.'],
    [{ parameters: { aDay: 9000, bDay: 0.001 } }, 'lublin.parameters: aDay 9000 and bDay 0.001 give no arrivals by day. Leave them out for those of the paper.'],
  ])('refuses %j', (options, message) => {
    expect(() => lublin.from(options)).toThrow(SchedError)
    expect(() => lublin.from(options)).toThrow(message)
  })
})

describe('the day of the model', () => {
  it('has a mean rate of 1, the peak of the fitted density at (a - 1) b = 28.4 half hours, and its trough before it begins', () => {
    const weights = [...dayWeights(lublinParameters('all', 128))]
    expect(mean(weights)).toBeCloseTo(1, 12)
    // buckets are counted from 0, the density from 1: 7.1737 * 3.9631 = 28.43 is half hour 27, 13:30
    expect(weights.indexOf(Math.max(...weights))).toBe(27)
    expect(weights.indexOf(Math.min(...weights))).toBe(10)
  })

  it('takes 48 points, whatever the hour', () => {
    const clock = dayClock(lublinParameters('batch', 128))
    for (const points of [0, 0.3, 7, 20.5, 47.9]) expect(clock(points + 96) - clock(points)).toBeCloseTo(2 * 86_400, 6)
    expect(clock(0)).toBe(0)
  })
})

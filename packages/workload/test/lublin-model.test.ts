import { describe, expect, it } from 'vitest'
import { arrivalPoints, dayClock } from '../src/generate/lublin-arrivals.js'
import { lublinRuntimes } from '../src/generate/lublin-jobs.js'
import { lublinParameters, type LublinKind } from '../src/generate/lublin-parameters.js'

/*
 * Numbers of the published model itself, by numerical integration of its densities with another program (SciPy's gamma
 * distribution), not of any sample: the gap between arrivals is e^x s with x of gamma(aArrival x rushToAll, bArrival) cut at
 * 13, the run time e^x with x of the mixture cut at 12, an hour of the day has the integral of gamma(aDay, bDay) over its
 * two half hours, from 5:00 on.
 */
const samples = 400_000
const share = (values: Float64Array, most: number) => values.reduce((count, value) => count + (value <= most ? 1 : 0), 0) / values.length
const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
/** Four standard errors of a fraction near `p`. */
const close = (found: number, p: number, of = samples) => expect(Math.abs(found - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / of))

describe.each<[LublinKind, { mean: number, deviation: number, tenths: [number, number, number] }]>([
  ['all', { mean: 911.29, deviation: 6342.8, tenths: [24.76, 138.89, 1324.06] }],
  ['batch', { mean: 3516.93, deviation: 20_322.6, tenths: [18.34, 169.17, 3809.1] }],
  ['interactive', { mean: 619.3, deviation: 6121.2, tenths: [9.88, 56.29, 657.59] }],
])('gaps between arrivals of %s', (kind, model) => {
  const points = arrivalPoints(lublinParameters(kind, 256), samples, 11, 'test')
  const gaps = points.map((point, i) => (point - (points[i - 1] ?? 0)) * 1800)

  it(`have mean ${model.mean} s, most of it from few long ones`, () => {
    // so 10,000 jobs of `all` have a mean gap of 911 with a standard error of 63 s: 771 s, as in lublin_256.swf, is a rare draw
    expect(Math.abs(mean(gaps) - model.mean)).toBeLessThan((4 * model.deviation) / Math.sqrt(samples))
  })

  it(`are up to ${model.tenths.join(', ')} s for 10, 50 and 90 % of jobs`, () => {
    for (const [i, p] of [0.1, 0.5, 0.9].entries()) close(share(gaps, model.tenths[i]!), p)
  })
})

describe.each<[LublinKind, number[]]>([
  ['all', [2.01, 1.61, 1.28, 1, 0.78, 0.84, 1.59, 2.58, 3.71, 4.86, 5.91, 6.76, 7.33, 7.61, 7.6, 7.35, 6.9, 6.32, 5.65, 4.95, 4.26, 3.61, 3.01, 2.47]],
  ['batch', [2.18, 1.83, 1.52, 1.26, 1.03, 1.66, 2.57, 3.57, 4.55, 5.42, 6.12, 6.61, 6.87, 6.93, 6.8, 6.52, 6.12, 5.64, 5.11, 4.56, 4.03, 3.51, 3.02, 2.58]],
  ['interactive', [2.03, 1.61, 1.26, 0.98, 0.75, 0.62, 1.27, 2.19, 3.31, 4.51, 5.66, 6.63, 7.34, 7.74, 7.82, 7.62, 7.2, 6.61, 5.91, 5.17, 4.44, 3.73, 3.09, 2.52]],
])('the day of %s', (kind, percent) => {
  it('has the share of jobs in each hour that the gamma density has', { tags: 'long' }, () => {
    const parameters = lublinParameters(kind, 256)
    const clock = dayClock(parameters)
    const hours = new Float64Array(24)
    for (const points of arrivalPoints(parameters, samples, 12, 'test')) hours[Math.floor((clock(points) % 86_400) / 3600)]! += 100 / samples
    // Arrivals are a renewal process on the clock of points: counts vary by (deviation / mean of gaps)^2 = 33 to 98 times
    // as much as of independent arrivals. A day that begins an hour off differs by 20 % and more in the morning.
    const spread = { all: 48, batch: 33, interactive: 98 }[kind]
    for (const [hour, p] of percent.entries())
      expect(Math.abs(hours[hour]! - p), `hour ${hour}`).toBeLessThan(4 * Math.sqrt((spread * p * 100) / samples))
  })
})

describe.each<[LublinKind, number, { mean: number, deviation: number, below: [number, number, number] }]>([
  ['all', 1, { mean: 3596.14, deviation: 8030, below: [0.2755, 0.6669, 0.8188] }],
  ['all', 64, { mean: 7906.42, deviation: 9342, below: [0.1544, 0.3738, 0.5695] }],
  ['batch', 16, { mean: 9624.64, deviation: 14_091, below: [0.0703, 0.4285, 0.616] }],
  ['interactive', 16, { mean: 338.17, deviation: 3265, below: [0.5452, 0.9231, 0.9931] }],
])('run times of %s on %d processors', (kind, size, model) => {
  it(`have mean ${model.mean} s, and the fractions below e^3, e^6 and e^9 s of the mixture`, { tags: 'long' }, () => {
    const draw = lublinRuntimes(lublinParameters(kind, 256), 13, 'test')
    const values = new Float64Array(samples).map(() => draw(size) + 0.5) // whole seconds: half a one is dropped on the average
    expect(Math.abs(mean(values) - model.mean)).toBeLessThan((4 * model.deviation) / Math.sqrt(samples))
    // e^3 = 20.1, e^6 = 403.4 and e^9 = 8103.1 s: whole seconds up to 20, 403 and 8103 hold all below 21, 404 and 8104
    for (const [i, log] of [3, 6, 9].entries()) {
      const whole = Math.floor(Math.exp(log))
      const [less, more] = [share(values, whole), share(values, whole + 1)]
      expect(model.below[i]!).toBeGreaterThan(less - 4 * Math.sqrt(0.25 / samples))
      expect(model.below[i]!).toBeLessThan(more + 4 * Math.sqrt(0.25 / samples))
    }
  })
})

import { randomStream } from '@sched/core'
import { popularEstimates, popularPlaces, popularShares } from './tsafrir-head.js'
import { rareEstimates, type Share } from './tsafrir-tail.js'

/** Shortest maximal estimate that has 20 round estimates below it, seconds. */
export const shortestLimit = 7200
const popularPercent = 89

/** How many jobs use an estimate, in seconds; 0 for a value that is known but too rare. */
export interface EstimateCount {
  readonly estimate: number
  readonly jobs: number
}
/** What the histogram of estimates depends on. */
export interface HistogramOptions {
  readonly jobs: number
  /** Longest estimate that users may give, seconds. */
  readonly maxEstimate: number
  /** Fraction of jobs that use the longest estimate. Default: that of the model, about 0.22. */
  readonly maxShare?: number | undefined
  readonly seed: number
}

/**
 * The estimates that users give, in ascending order, with the number of jobs that use each: 20 popular values for 89 % of jobs, the longest of which
 * is the most popular, and a tail of rare values.
 *
 * Source: Tsafrir, Etsion and Feitelson, "Modeling User Runtime Estimates", JSSPP 2005, and the authors' program, m_tsafrir05. The constants and
 * tables of head and tail, and every step, were compared with that program (est_model.cc) one by one.
 *
 * Deviations: of the site's own popular values, only the share of the longest can be given; fractions of jobs become whole jobs by largest remainder,
 * while the program rounds and then repairs; fewer than about 200 jobs use popular values only.
 */
export function tsafrirHistogram({ jobs, maxEstimate, maxShare, seed }: HistogramOptions): EstimateCount[] {
  const next = randomStream(seed, 'tsafrir/estimates')
  const estimates = popularEstimates(maxEstimate)
  const rare = rareEstimates(jobs, maxEstimate, new Set(estimates), 100 - popularPercent, next)
  const { shares, placeOfMax } = popularShares(rare.length === 0 ? 100 : popularPercent, maxShare === undefined ? undefined : maxShare * 100)
  const places = popularPlaces(placeOfMax, next)
  const head = estimates.map((estimate, i): Share => ({ estimate, percent: shares[places[i]! - 1]! }))
  return counted([...head, ...rare], jobs).sort((a, b) => a.estimate - b.estimate)
}

/** Rounds percentages to whole jobs by largest remainder; equal remainders are taken in the given order. */
function counted(shares: readonly Share[], jobs: number): EstimateCount[] {
  const exact = shares.map(({ percent }) => (percent * jobs) / 100)
  const counts = exact.map(Math.floor)
  const left = jobs - counts.reduce((sum, count) => sum + count, 0)
  const byRemainder = exact.map((_, i) => i).sort((a, b) => exact[b]! - counts[b]! - (exact[a]! - counts[a]!) || a - b)
  for (const i of byRemainder.slice(0, left)) counts[i]!++
  return shares.map(({ estimate }, i) => ({ estimate, jobs: counts[i]! }))
}

/**
 * An estimate for each run time, none below it; estimates are used as often as the histogram says. Longest run times come first, and each draws from
 * the estimates that are long enough and not yet used. Run times must not exceed the longest estimate.
 *
 * Deviation: if the histogram has too few long estimates, in which case the program gives up, the longest run times get its shortest estimate that is
 * long enough.
 */
export function assignEstimates(runtimes: Float64Array, histogram: readonly EstimateCount[], seed: number): Float64Array {
  const next = randomStream(seed, 'tsafrir/assignment')
  const order = new Uint32Array(runtimes.length).map((_, i) => i).sort((a, b) => runtimes[b]! - runtimes[a]! || a - b)
  const pool = longEnough(histogram, order, runtimes)
  const estimates = new Float64Array(runtimes.length)
  let reach = 0
  for (let i = 0; i < order.length; i++) {
    while (reach < order.length - 1 && runtimes[order[i]!]! <= pool[reach + 1]!) reach++
    const chosen = i + Math.floor(next() * (reach - i + 1))
    estimates[order[i]!] = pool[chosen]!
    pool[chosen] = pool[i]! // it is longer than all run times that follow
  }
  return estimates
}

/** All estimates in descending order; the i-th is at least the i-th longest run time. */
function longEnough(histogram: readonly EstimateCount[], order: Uint32Array, runtimes: Float64Array): Float64Array {
  const pool = new Float64Array(order.length)
  let filled = 0
  for (const { estimate, jobs } of histogram.toReversed()) pool.fill(estimate, filled, (filled += jobs))
  let enough = histogram.length - 1 // the shortest estimate that is not below the run time
  for (let i = 0; i < pool.length; i++) {
    const runtime = runtimes[order[i]!]!
    while (enough > 0 && histogram[enough - 1]!.estimate >= runtime) enough--
    if (pool[i]! < runtime) pool[i] = histogram[enough]!.estimate
  }
  return pool
}

import { portableExp, portableLog, randomStream, SchedError } from '@sched/core'
import { drawAtMost, gammaOf } from './gamma.js'
import type { LublinParameters } from './lublin-parameters.js'

const halfHours = 48
const halfHour = 1800
// start of the fitted day, so that the break between days is not among the few arrivals of the night
const firstHalfHour = 11
// no gap is longer than e^13 s = 5 days; larger values are drawn again
const longestLog = 13

/** Arrivals of `jobs` jobs, as sums of their gaps on a clock of points that runs faster by day: 1 point is half an hour at the mean arrival rate. */
export function arrivalPoints({ aArrival, bArrival, rushToAll }: LublinParameters, jobs: number, seed: number, stream: string): Float64Array {
  const gamma = gammaOf(randomStream(seed, `${stream}/arrivals`))
  const gap = () => portableExp(drawAtMost(longestLog, () => gamma(aArrival * rushToAll, bArrival), 'gaps between arrivals'))
  let points = 0
  return new Float64Array(jobs).map(() => (points += gap() / halfHour))
}

/** Converts points to seconds from midnight of the first day. */
export function dayClock(parameters: LublinParameters): (points: number) => number {
  const weights = dayWeights(parameters)
  const day = weights.reduce((sum, weight) => sum + weight, 0)
  return (points) => {
    const days = Math.floor(points / day)
    let rest = points - days * day
    let bucket = 0
    while (bucket < halfHours - 1 && rest > weights[bucket]!) rest -= weights[bucket++]!
    return (days * halfHours + bucket + Math.min(1, rest / weights[bucket]!)) * halfHour
  }
}

/**
 * Relative arrival rate in each half hour from midnight on, with mean 1: the gamma density of the fitted day, integrated from the middle of a half
 * hour to the middle of the next. The constant factor of the density cancels out.
 */
export function dayWeights({ aDay, bDay }: Pick<LublinParameters, 'aDay' | 'bDay'>): Float64Array {
  const density = (x: number) => portableExp((aDay - 1) * portableLog(x) - x / bDay)
  const weights = new Float64Array(halfHours)
  for (let i = firstHalfHour; i < firstHalfHour + halfHours; i++) weights[(i - 1) % halfHours] = integral(density, i - 0.5, i + 0.5)
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / halfHours
  if (!(mean > 0 && mean < Infinity)) throw new SchedError('BAD_OPTION', `aDay ${aDay} and bDay ${bDay} give no arrivals by day.`, { field: 'lublin.parameters' }, 'Leave them out for those of the paper.')
  return weights.map((weight) => weight / mean)
}

/** Integral by Simpson's rule over 8 intervals, exact to 9 digits for a density that changes over hours. */
function integral(f: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / 8
  let sum = f(from) + f(to)
  for (let i = 1; i < 8; i++) sum += f(from + i * step) * (i % 2 === 1 ? 4 : 2)
  return (sum * step) / 3
}

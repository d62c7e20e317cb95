import { portableExp, portableLog, randomStream, SchedError } from '@sched/core'
import { drawAtMost, gammaOf } from './gamma.js'
import type { LublinParameters } from './lublin-parameters.js'

const halfHours = 48
const halfHour = 1800
const firstHalfHour = 11 // where the fitted day begins, so that it does not break in the middle of the night's few arrivals
const longestLog = 13 // no gap longer than e^13 s = 5 days; larger values are drawn again

/**
 * The sum of gaps up to each of `jobs` arrivals, on a clock of points that runs faster by day: 1 point is half an hour of
 * mean arrival rate.
 */
export function arrivalPoints({ aArrival, bArrival, rushToAll }: LublinParameters, jobs: number, seed: number, stream: string): Float64Array {
  const gamma = gammaOf(randomStream(seed, `${stream}/arrivals`))
  const gap = () => portableExp(drawAtMost(longestLog, () => gamma(aArrival * rushToAll, bArrival), 'gaps between arrivals'))
  let points = 0
  return new Float64Array(jobs).map(() => (points += gap() / halfHour))
}

/** Turns points into seconds from midnight of the first day. */
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
 * Relative arrival rate in each half hour from midnight on, 1 on the average: the gamma density of the fitted day,
 * integrated from half an hour's middle to the next one's. Its constant factor drops out with the average.
 */
export function dayWeights({ aDay, bDay }: Pick<LublinParameters, 'aDay' | 'bDay'>): Float64Array {
  const density = (x: number) => portableExp((aDay - 1) * portableLog(x) - x / bDay)
  const weights = new Float64Array(halfHours)
  for (let i = firstHalfHour; i < firstHalfHour + halfHours; i++) weights[(i - 1) % halfHours] = integral(density, i - 0.5, i + 0.5)
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / halfHours
  if (!(mean > 0 && mean < Infinity)) throw new SchedError('BAD_OPTION', `aDay ${aDay} and bDay ${bDay} give no arrivals by day.`, { field: 'lublin.parameters' })
  return weights.map((weight) => weight / mean)
}

/** Simpson's rule over 8 intervals: exact to 9 digits for a density that changes over hours. */
function integral(f: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / 8
  let sum = f(from) + f(to)
  for (let i = 1; i < 8; i++) sum += f(from + i * step) * (i % 2 === 1 ? 4 : 2)
  return (sum * step) / 3
}

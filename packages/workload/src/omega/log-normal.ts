import { portableExp, portableLog } from '@sched/core'
import { normalOf } from '../generate/gamma.js'

/** A log-normal distribution: the logarithm is normal with mean `mu` and standard deviation `sigma`. */
export interface LogNormal {
  readonly mu: number
  readonly sigma: number
}

/** The 80th percentile of the standard normal distribution. */
const z80 = 0.8416212335729143

/** The one with a given mean. */
export const logNormalOfMean = (mean: number, sigma: number): LogNormal => ({ mu: portableLog(mean) - (sigma * sigma) / 2, sigma })

/** The one with a given 80th percentile. */
export const logNormalOfPercentile80 = (value: number, sigma: number): LogNormal => ({ mu: portableLog(value) - z80 * sigma, sigma })

/**
 * What a look at a random instant finds: a value is met in proportion to its size, which for a log-normal is a
 * log-normal with `mu + sigma^2`. A task met so has run for a uniform part of its duration.
 */
export const lengthBiased = ({ mu, sigma }: LogNormal): LogNormal => ({ mu: mu + sigma * sigma, sigma })

/** Draws from one stream, equal on every machine. */
export function drawLogNormal({ mu, sigma }: LogNormal, next: () => number): () => number {
  const normal = normalOf(next)
  return () => portableExp(mu + sigma * normal())
}

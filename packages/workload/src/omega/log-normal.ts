import { portableExp, portableLog } from '@sched/core'
import { normalOf } from '../generate/gamma.js'

/** A log-normal distribution: the logarithm is normal with mean `mu` and standard deviation `sigma`. */
export interface LogNormal {
  readonly mu: number
  readonly sigma: number
}

/** 80th percentile of the standard normal distribution. */
const z80 = 0.8416212335729143

/** The log-normal distribution with a given mean. */
export const logNormalOfMean = (mean: number, sigma: number): LogNormal => ({ mu: portableLog(mean) - (sigma * sigma) / 2, sigma })

/** The log-normal distribution with a given 80th percentile. */
export const logNormalOfPercentile80 = (value: number, sigma: number): LogNormal => ({ mu: portableLog(value) - z80 * sigma, sigma })

/**
 * The distribution of a value that is in progress at a random instant, which is met in proportion to its length: for a log-normal it is log-normal
 * with `mu + sigma^2`. A task met in this way has run for a uniform part of its duration.
 */
export const lengthBiased = ({ mu, sigma }: LogNormal): LogNormal => ({ mu: mu + sigma * sigma, sigma })

/** Draws values from a stream; they are the same on every machine. */
export function drawLogNormal({ mu, sigma }: LogNormal, next: () => number): () => number {
  const normal = normalOf(next)
  return () => portableExp(mu + sigma * normal())
}

import { portableLog1p } from '@sched/core'
import { drawLogNormal, logNormalOfMean } from '../omega/log-normal.js'
import { normalOf } from '../generate/gamma.js'
import type { Fields } from '../json/fields.js'

/** Draws a value. */
export type Sample = () => number

/**
 * The distribution of a value as SYNTH describes it: `{ val }` is constant; `{ val, std }` is log-normal with this mean and standard deviation, or
 * normal with `dist: NORM`; `discrete` is a choice by `weights`, by default equal ones. A number is taken for `{ val }`. Throws `BadLine`.
 */
export function sampleOf(parent: Fields, key: string, next: () => number): Sample {
  if (typeof parent.value(key) === 'number') return constant(parent.number(key) ?? 0)
  const fields = parent.object(key)
  if (fields === undefined) throw parent.bad(key, 'is missing.')
  if (fields.has('discrete')) return discrete(fields, next)
  const val = fields.number('val', -Infinity)
  if (val === undefined) throw fields.bad('val', 'is missing.', 'Give a value `val`, or some as `discrete`')
  if (!fields.has('std')) return constant(val)
  const dist = fields.text('dist') ?? 'LOGNORM'
  if (dist !== 'LOGNORM' && dist !== 'NORM') throw fields.bad('dist', `found "${dist}", expected LOGNORM or NORM.`)
  return spread(fields, 'std', { mean: val, given: fields.number('std') ?? 0, dist }, next)
}

/** The older form of a distribution: a mean and a standard deviation under keys of their own. */
export const sampleOfPair = (fields: Fields, mean: string, deviation: string, next: () => number): Sample =>
  spread(fields, deviation, { mean: fields.number(mean) ?? 0, given: fields.number(deviation) ?? 0, dist: 'LOGNORM' }, next)

/** Draws an index in proportion to weights. Throws `BadLine` if their sum is 0. */
export function weighted(parent: Fields, key: string, weights: readonly number[], next: () => number): () => number {
  const sum = weights.reduce((a, b) => a + b, 0)
  if (!(sum > 0)) throw parent.bad(key, weights.length === 0 ? 'is empty.' : 'has no weight above 0.')
  return () => {
    let left = next() * sum
    const index = weights.findIndex((weight) => (left -= weight) < 0)
    return index < 0 ? weights.findLastIndex((weight) => weight > 0) : index
  }
}

const constant = (value: number) => () => value

/** Largest standard deviation as a multiple of the mean; more would be a mistake, and no numbers could be drawn. */
const MOST_SPREAD = 1e6

/** Without a standard deviation it is a sixth of the mean; with a mean of 0 or less the value is always 0. */
function spread(
  fields: Fields,
  at: string,
  { mean, given, dist }: { readonly mean: number; readonly given: number; readonly dist: 'LOGNORM' | 'NORM' },
  next: () => number,
): Sample {
  if (mean <= 0) return constant(0)
  const deviation = given === 0 ? mean / 6 : given
  if (deviation > mean * MOST_SPREAD) throw fields.bad(at, `found ${deviation}, more than ${MOST_SPREAD} times the mean of ${mean}.`)
  if (dist === 'LOGNORM') return drawLogNormal(logNormalOfMean(mean, Math.sqrt(portableLog1p((deviation / mean) * (deviation / mean)))), next)
  const normal = normalOf(next)
  return () => mean + deviation * normal()
}

function discrete(fields: Fields, next: () => number): Sample {
  const values = numbers(fields, 'discrete')
  const weights = fields.has('weights') ? numbers(fields, 'weights') : values.map(() => 1)
  if (weights.length !== values.length) throw fields.bad('weights', `has ${weights.length} elements, but discrete has ${values.length}.`)
  const index = weighted(fields, 'weights', weights, next)
  return () => values[index()] as number
}

/** Numbers of at least 0, which SLS may write as strings. */
const numbers = (fields: Fields, key: string): number[] =>
  fields.texts(key).map((text, i) => {
    const value = Number(text)
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value
    throw fields.bad(`${key}[${i}]`, `found "${text}", expected a number of at least 0.`)
  })

import { grown } from '@sched/core'
import { DDSketch } from '@sched/bundled/ddsketch'
import { quantile } from './quantile.js'

/** Summary of many values, in their unit. */
export interface Distribution {
  /** Number of values; if 0, all other figures are NaN. */
  readonly count: number
  /** Mean, exact. */
  readonly mean: number
  /** Smallest value, exact. */
  readonly min: number
  /** Half of the values are at most this large. */
  readonly median: number
  /** 90 % of the values are at most this large. */
  readonly p90: number
  /** 95 % of the values are at most this large. */
  readonly p95: number
  /** 99 % of the values are at most this large. */
  readonly p99: number
  /** Largest value, exact. */
  readonly max: number
  /** How the median and the percentiles were found: `exact`, see `quantile`; `sketch`, with an error of at most `relativeError`. */
  readonly percentiles: 'exact' | 'sketch'
  /** Largest error of the median and the percentiles, as a fraction of the value; 0 if they are exact. */
  readonly relativeError: number
}

/** Number of values up to which percentiles are exact, unless an option says otherwise. */
export const EXACT_VALUES = 100_000

/** Largest error of a sketch, as a fraction of the value; a sketch of times from a millisecond to a year then has about 2,500 cells. */
const RELATIVE_ERROR = 0.005

/**
 * Collects non-negative values. Up to `exact` values are kept; if there are more, all go into a quantile sketch of constant size.
 *
 * Source of the sketch: Masson, Rim, Lee, "DDSketch", VLDB 2019.
 */
export class Values {
  /** Number of values. */
  count = 0
  readonly #exact: number
  #sum = NaN
  #min = Infinity
  #max = -Infinity
  #kept = new Float64Array(0)
  #sketch: DDSketch | undefined

  constructor(exact: number = EXACT_VALUES) {
    this.#exact = exact
    this.#sum = 0
  }

  /** Adds a value of at least 0. */
  add(value: number): void {
    if (this.#sketch !== undefined) this.#sketch.accept(value)
    else if (this.count === this.#exact) this.#pour(value)
    else {
      if (this.count === this.#kept.length) this.#kept = grown(this.#kept, this.count + 1)
      this.#kept[this.count] = value
    }
    this.count++
    this.#sum += value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  /** Summary of the values so far. */
  result(): Distribution {
    const { count } = this
    const at = this.#quantiles()
    return {
      count,
      mean: this.#sum / count,
      min: count === 0 ? NaN : this.#min,
      median: at(0.5),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
      max: count === 0 ? NaN : this.#max,
      percentiles: this.#sketch === undefined ? 'exact' : 'sketch',
      relativeError: this.#sketch === undefined ? 0 : RELATIVE_ERROR,
    }
  }

  /** The quantiles at the given fractions, found in the same way as the percentiles. */
  quantiles(fractions: readonly number[]): number[] {
    return fractions.map(this.#quantiles())
  }

  #pour(value: number): void {
    const sketch = new DDSketch({ relativeAccuracy: RELATIVE_ERROR })
    for (let i = 0; i < this.count; i++) sketch.accept(this.#kept[i] as number)
    sketch.accept(value)
    this.#sketch = sketch
    this.#kept = new Float64Array(0)
  }

  #quantiles(): (q: number) => number {
    const sketch = this.#sketch
    if (sketch !== undefined) return (q) => Math.min(this.#max, Math.max(this.#min, sketch.getValueAtQuantile(q)))
    const sorted = this.#kept.slice(0, this.count).sort()
    return (q) => quantile(sorted, q)
  }
}

import { grown } from '@sched/core'
import { DDSketch } from '@sched/bundled/ddsketch'
import { quantile } from './quantile.js'

/** What is known about many values, in their unit; NaN where there are none. */
export interface Distribution {
  /** Number of values; where it is 0 all others are NaN. */
  readonly count: number
  /** Their mean, exact. */
  readonly mean: number
  /** The least, exact. */
  readonly min: number
  /** Half of the values are at most so large. */
  readonly median: number
  /** 90 % of the values are at most so large. */
  readonly p90: number
  /** 95 % of the values are at most so large. */
  readonly p95: number
  /** 99 % of the values are at most so large. */
  readonly p99: number
  /** The largest, exact. */
  readonly max: number
  /** How median and percentiles were found: see `quantile`, or from a sketch, at most `relativeError` off. */
  readonly percentiles: 'exact' | 'sketch'
  /** Most that median and percentiles are off, as a part of the value; 0 where they are exact. */
  readonly relativeError: number
}

/** Most values of which percentiles are exact, unless an option says otherwise. */
export const EXACT_VALUES = 100_000

/** Off by at most this part of the value; a sketch of times from a millisecond to a year then has about 2,500 cells. */
const RELATIVE_ERROR = 0.005

/**
 * Collects non-negative values. Up to `exact` of them are kept; above, all go into a quantile sketch of constant size.
 *
 * Source of the sketch: Masson, Rim, Lee, "DDSketch", VLDB 2019.
 */
export class Values {
  /** How many there are. */
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

  /** Takes one more, at least 0. */
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

  /** What they are like, so far. */
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

  /** The values at these fractions of all, found as percentiles are. */
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

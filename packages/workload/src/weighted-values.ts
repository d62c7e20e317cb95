import { grown } from '@sched/core'

/** Values with whole-number weights, for exact medians of large workloads. They are kept in two growing columns, 16 bytes per value. */
export class WeightedValues {
  #values = new Float64Array(64)
  #weights = new Float64Array(64)
  #size = 0
  #weight = 0
  #sum = 0
  #max = 0

  add(value: number, weight: number): void {
    this.#values = grown(this.#values, this.#size + 1)
    this.#weights = grown(this.#weights, this.#size + 1)
    this.#values[this.#size] = value
    this.#weights[this.#size++] = weight
    this.#weight += weight
    this.#sum += value * weight
    this.#max = Math.max(this.#max, value)
  }

  /** Weighted mean; 0 without values. */
  mean(): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight
  }

  /** Largest value, at least 0. */
  max(): number {
    return this.#max
  }

  /** Weighted median: the mean of the two middle values if the total weight is even; 0 without values. */
  median(): number {
    if (this.#weight === 0) return 0
    const order = new Uint32Array(this.#size).map((_, i) => i).sort((a, b) => this.#values[a]! - this.#values[b]! || a - b)
    return (this.#nth(order, Math.floor((this.#weight - 1) / 2)) + this.#nth(order, Math.floor(this.#weight / 2))) / 2
  }

  /** The value at a position, counted from 0, in ascending order, where each value occurs as often as its weight. */
  #nth(order: Uint32Array, position: number): number {
    let before = 0
    for (const i of order) {
      before += this.#weights[i]!
      if (before > position) return this.#values[i]!
    }
    return this.#max
  }
}

import { SchedError, to40Bits } from '@sched/core'

/** Options of a `GoodBadClassifier`. */
export interface GoodBadOptions {
  /** Laplace smoothing: the number added to the count of every value of a feature; above 0. Default 1. */
  readonly smoothing?: number
  /** Forgetting: the factor by which each new record lowers the weight of all earlier ones, above 0 and at most 1. Default 1: nothing is forgotten. */
  readonly decay?: number
}

/** Weights above this are scaled down, long before they could overflow. */
const HEAVY = 1e100
/** Odds above this, or below its inverse, are scaled; a power of two, so that scaling is exact. */
const LARGE = 2 ** 500

/**
 * A naive Bayes classifier with two classes over features with few values each: `P(good | x) ~ P(good) * product of P(x_i | good)`, where
 * `P(x_i | good) = (count + s) / (records + s * values)` and `P(good)` is the fraction of good records, not smoothed. While there is no bad record everything
 * is good.
 *
 * Adding a record takes time in proportion to the number of features: to forget, the new record gets a larger weight instead of a smaller one for all earlier.
 *
 * Source: Dhok and Varma, "Using pattern classification for task assignment in MapReduce", 2010; a survey of cluster
 * resource scheduling, section 7.
 */
export class GoodBadClassifier {
  readonly #values: readonly number[]
  readonly #smoothing: number
  readonly #decay: number
  /** Where the counts of a feature begin: bad records with a value are counted at `#from[i] + 2 * value`, good ones at the next index. */
  readonly #from: readonly number[]
  readonly #counts: Float64Array
  /** Sum of the weights of bad records, and of good ones. */
  readonly #records = [0, 0]
  /** Weight of the last record. */
  #unit = 1
  #version = 0

  /** `values`: the number of values of each feature; a value is a whole number from 0. Throws `BAD_OPTION` for options outside their ranges. */
  constructor(values: readonly number[], { smoothing = 1, decay = 1 }: GoodBadOptions = {}) {
    if (!(smoothing > 0 && smoothing < Infinity)) throw bad(`smoothing is ${smoothing}.`, 'Use a positive number, 1 for Laplace.')
    if (!(decay > 0 && decay <= 1)) throw bad(`decay is ${decay}.`, 'Use a number above 0 and at most 1, which forgets nothing.')
    for (const [i, count] of values.entries()) if (!(Number.isInteger(count) && count >= 1)) throw bad(`feature ${i} has ${count} values.`, 'Give whole numbers from 1 on.')
    this.#values = values
    this.#smoothing = smoothing
    this.#decay = decay
    let size = 0
    this.#from = values.map((count) => (size += 2 * count) - 2 * count)
    this.#counts = new Float64Array(size)
  }

  /** Number of records so far. */
  get version(): number {
    return this.#version
  }

  /** Sum of the weights of the records of a class, where the last record weighs 1. */
  records(isGood: boolean): number {
    return (this.#records[isGood ? 1 : 0] as number) / this.#unit
  }

  /** Adds a record. Throws `BAD_INPUT` for a value that a feature does not have. */
  learn(features: ArrayLike<number>, isGood: boolean): void {
    this.#check(features)
    const side = isGood ? 1 : 0
    this.#unit /= this.#decay
    this.#records[side] = (this.#records[side] as number) + this.#unit
    for (let i = 0; i < this.#values.length; i++) {
      const at = (this.#from[i] as number) + 2 * (features[i] as number) + side
      this.#counts[at] = (this.#counts[at] as number) + this.#unit
    }
    this.#version++
    if (this.#unit > HEAVY) this.#lighten()
  }

  /**
   * P(good | features), in [0, 1], rounded to 40 bits so that values which differ only by rounding are equal. The odds are multiplied with an exponent of their
   * own, so that no product overflows.
   */
  good(features: ArrayLike<number>): number {
    this.#check(features)
    const [bads, goods] = this.#records as [number, number]
    if (bads === 0) return 1
    const smoothing = this.#smoothing * this.#unit
    let odds = goods / bads
    let exponent = 0
    for (let i = 0; i < this.#values.length && odds > 0; i++) {
      const at = (this.#from[i] as number) + 2 * (features[i] as number)
      const all = smoothing * (this.#values[i] as number)
      const yes = ((this.#counts[at + 1] as number) + smoothing) / (goods + all)
      odds *= yes / (((this.#counts[at] as number) + smoothing) / (bads + all))
      if (odds > LARGE) [odds, exponent] = [odds / LARGE, exponent + 1]
      else if (odds < 1 / LARGE) [odds, exponent] = [odds * LARGE, exponent - 1]
    }
    if (exponent !== 0) return exponent > 0 ? 1 : 0
    return to40Bits(odds / (1 + odds))
  }

  /** Scales all weights so that the last record weighs 1. */
  #lighten(): void {
    const by = this.#unit
    for (let i = 0; i < this.#counts.length; i++) this.#counts[i] = (this.#counts[i] as number) / by
    for (let side = 0; side < 2; side++) this.#records[side] = (this.#records[side] as number) / by
    this.#unit = 1
  }

  #check(features: ArrayLike<number>): void {
    const values = this.#values
    if (features.length !== values.length) throw new SchedError('BAD_INPUT', `${features.length} features are given, and ${values.length} are known.`, {}, 'Give every feature.')
    for (let i = 0; i < values.length; i++) {
      const value = features[i] as number
      if (!(Number.isInteger(value) && value >= 0 && value < (values[i] as number)))
        throw new SchedError('BAD_INPUT', `feature ${i} is ${value}.`, {}, `It is a whole number from 0 to ${(values[i] as number) - 1}.`)
    }
  }
}

const bad = (fact: string, wayOut: string) => new SchedError('BAD_OPTION', fact, {}, wayOut)

import { SchedError, to40Bits } from '@sched/core'

/** Options of a `GoodBadClassifier`. */
export interface GoodBadOptions {
  /** Laplace's: what every value of a feature counts more than it was seen; above 0. Default 1. */
  readonly smoothing?: number
  /** Forgetting: what earlier records count after each new one, above 0 and at most 1. Default 1, nothing is forgotten. */
  readonly decay?: number
}

/** Weights above this are scaled down, long before they overflow. */
const HEAVY = 1e100
/** A power of two above which odds are scaled. */
const LARGE = 2 ** 500

/**
 * Naive Bayes over features with few values each, in two classes: `P(good | x) ~ P(good) * product of P(x_i | good)`, where
 * `P(x_i | good) = (count + s) / (records + s * values)` and `P(good)` is the part of the records, not smoothed. While
 * nothing has been recorded everything is good.
 *
 * A record costs its number of features: instead of making earlier records lighter, the next one is heavier.
 *
 * Source: Dhok and Varma, "Using pattern classification for task assignment in MapReduce", 2010; a survey of cluster
 * resource scheduling, section 7.
 */
export class GoodBadClassifier {
  readonly #values: readonly number[]
  readonly #smoothing: number
  readonly #decay: number
  /** Where the counts of a feature start: of bad records at `#from[i] + 2 * value`, of good ones one further. */
  readonly #from: readonly number[]
  readonly #counts: Float64Array
  /** Weight of bad and good records. */
  readonly #records = [0, 0]
  /** Weight of the latest record. */
  #unit = 1
  #version = 0

  /** `values`: how many values each feature has; a value is a whole number from 0. Throws `BAD_OPTION`. */
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

  /** Records so far; changes with every `learn`. */
  get version(): number {
    return this.#version
  }

  /** Records of a class, each by what is left of it. */
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

  /** P(good | features), in [0, 1], equal where only rounding differs: the odds are multiplied up, with an exponent of their own so that none overflows. */
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

import { portableExp, portableLog, portableLog1p, SchedError } from '@sched/core'
import { extractInto, featureCount } from './features.js'
import type { BayesModel } from './model.js'
import type { Plan } from './plan.js'

/** The prediction for a plan. */
export interface Prediction {
  /** Whether the job is of class C1, communication-active. A tie is C0, so that nothing moves (our choice). */
  readonly isActive: boolean
  /** ln (P(C1|x) / P(C0|x)). */
  readonly logOdds: number
  /** Probabilities of the classes; they sum to 1. */
  readonly probabilities: { readonly C0: number; readonly C1: number }
}

/** The most that one feature adds to a sum, so that sums stay finite and equal ones cancel. */
const MOST = 1e290
/** Log odds below this part of what was added and subtracted for them are rounding errors of a tie. */
const ROUNDING = 1e-13

/** A model prepared for predictions. A prediction is one pass over the features with logarithms, and allocates only its result. */
export class BayesClassifier {
  /** The model by which it predicts. */
  readonly model: BayesModel
  readonly #features: Float64Array
  /** ln (P(C1) / P(C0)); for a gaussian model plus the logarithms of the normalising constants of all features. */
  readonly #offset: number
  /** By feature. gaussian: mean and 1 / (2 variance) of C1, then the same of C0; bernoulli: log odds if the rack or node is used, then if not. */
  readonly #terms: Float64Array
  /** Sum of the absolute values in `#offset`, and in the log odds of the last prediction. */
  readonly #offsetSize: number
  #size = NaN

  constructor(model: BayesModel) {
    this.model = model
    const { C0, C1 } = model.classes
    this.#features = new Float64Array(featureCount(model.cluster, model.features))
    const prior = portableLog(C1.prior) - portableLog(C0.prior)
    const priorSize = Math.abs(portableLog(C1.prior)) + Math.abs(portableLog(C0.prior))
    if (model.kind === 'gaussian') {
      const { C0: lazy, C1: active } = model.classes
      this.#terms = interleaved([active.mean, halfPrecisions(active.variance), lazy.mean, halfPrecisions(lazy.variance)])
      this.#offset = prior + active.variance.reduce((sum, variance, m) => sum + (portableLog(lazy.variance[m] as number) - portableLog(variance)) / 2, 0)
      this.#offsetSize = [...active.variance, ...lazy.variance].reduce((sum, variance) => sum + Math.abs(portableLog(variance)) / 2, priorSize)
    } else {
      const { C0: lazy, C1: active } = model.classes
      const used = active.used.map((part, m) => portableLog(part) - portableLog(lazy.used[m] as number))
      const unused = active.used.map((part, m) => portableLog1p(-part) - portableLog1p(-(lazy.used[m] as number)))
      this.#terms = interleaved([used, unused])
      this.#offset = prior
      this.#offsetSize = priorSize
    }
  }

  /** Predicts from a plan. Throws `BAD_INPUT` for a plan of another cluster shape than the model's, and for entries that are no numbers of tasks. */
  predict(plan: Plan): Prediction {
    const { cluster, features, max } = this.model
    extractInto(this.#features, 0, plan, cluster, features, max)
    return this.#predict(this.#features)
  }

  /** Predicts from features, which may be any finite numbers. Throws `BAD_INPUT` for too few or too many features and for other values. */
  predictFeatures(features: ArrayLike<number>): Prediction {
    const expected = this.#features.length
    if (features.length !== expected)
      throw new SchedError(
        'BAD_INPUT',
        `has ${features.length} numbers, the model ${expected}.`,
        { field: 'features' },
        'Extract them as the model does.',
      )
    for (let m = 0; m < expected; m++)
      if (!Number.isFinite(features[m])) throw new SchedError('BAD_INPUT', `is ${features[m] ?? 'missing'}.`, { field: `features[${m}]` }, 'Use finite numbers.')
    return this.#predict(features)
  }

  #predict(features: ArrayLike<number>): Prediction {
    this.#size = this.#offsetSize
    const sum = this.#offset + (this.model.kind === 'gaussian' ? this.#distances(features) : this.#bits(features))
    const logOdds = Math.abs(sum) <= ROUNDING * this.#size ? 0 : sum
    const less = portableExp(-Math.abs(logOdds)) // the smaller odds, at most 1, so nothing overflows
    const least = less / (1 + less)
    const isActive = logOdds > 0
    return { isActive, logOdds, probabilities: isActive ? { C0: least, C1: 1 - least } : { C0: 1 - least, C1: least } }
  }

  #distances(features: ArrayLike<number>): number {
    const terms = this.#terms
    let sum = 0
    for (let m = 0, at = 0; m < features.length; m++, at += 4) {
      const x = features[m] as number
      const toActive = x - (terms[at] as number)
      const toLazy = x - (terms[at + 2] as number)
      const active = toActive * toActive * (terms[at + 1] as number)
      const lazy = toLazy * toLazy * (terms[at + 3] as number)
      const farFromLazy = lazy < MOST ? lazy : MOST
      const farFromActive = active < MOST ? active : MOST
      sum += farFromLazy - farFromActive
      this.#size += farFromLazy + farFromActive
    }
    return sum
  }

  #bits(features: ArrayLike<number>): number {
    const terms = this.#terms
    let sum = 0
    for (let m = 0; m < features.length; m++) {
      const term = terms[2 * m + ((features[m] as number) > 0 ? 0 : 1)] as number
      sum += term
      this.#size += Math.abs(term)
    }
    return sum
  }
}

const halfPrecisions = (variances: readonly number[]) => variances.map((variance) => Math.min(0.5 / variance, MOST))

/** Numbers given column by column, in one array row by row. */
function interleaved(columns: readonly (readonly number[])[]): Float64Array {
  const rows = new Float64Array(columns.length * (columns[0]?.length ?? 0))
  for (const [c, column] of columns.entries()) for (const [m, value] of column.entries()) rows[m * columns.length + c] = value
  return rows
}

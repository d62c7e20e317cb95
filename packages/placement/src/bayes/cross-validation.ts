import { randomStream, SchedError } from '@sched/core'
import { BayesClassifier } from './classifier.js'
import { trainBayes, type Sample, type TrainOptions } from './train.js'

/** Confusion matrix: numbers of samples by their class and by the predicted one. */
export interface Confusion {
  /** Active jobs (C1) predicted to be active. */
  readonly activeAsActive: number
  /** Active jobs predicted to be lazy. */
  readonly activeAsLazy: number
  /** Lazy jobs (C0) predicted to be active. */
  readonly lazyAsActive: number
  /** Lazy jobs predicted to be lazy. */
  readonly lazyAsLazy: number
}

/** The result of a cross-validation. */
export interface CrossValidation {
  /** The matrix of all samples, each predicted once by a model that was not trained on it. */
  readonly matrix: Confusion
  /** Fraction of the samples that were predicted right. */
  readonly accuracy: number
  /** The matrix of each fold, in order. */
  readonly folds: readonly Confusion[]
}

/**
 * Cross-validation: samples are divided into folds at random, each class evenly, and each fold is predicted by a model trained on the others. The same seed
 * gives the same folds. Throws `BAD_OPTION` for fewer than 2 folds and for more folds than samples, and `BAD_INPUT` for a class with fewer than 2 samples,
 * since the model of a fold might have none of it to learn from.
 */
export function crossValidate(
  samples: readonly Sample[],
  { folds = 5, seed = 1, ...options }: TrainOptions & { readonly folds?: number; readonly seed?: number } = {},
): CrossValidation {
  if (!Number.isInteger(folds) || folds < 2 || folds > samples.length)
    throw new SchedError('BAD_OPTION', `is ${folds}, and there are ${samples.length} samples.`, { field: 'folds' }, 'Use a whole number from 2 to the number of samples.')
  const foldOf = divide(samples, folds, seed)
  const matrices = Array.from({ length: folds }, (_, fold) => {
    const model = trainBayes(samples.filter((_sample, i) => foldOf[i] !== fold), options)
    return confusion(new BayesClassifier(model), samples.filter((_sample, i) => foldOf[i] === fold))
  })
  const matrix = matrices.reduce(plus)
  return { matrix, accuracy: accuracyOf(matrix), folds: matrices }
}

/** The confusion matrix of a classifier on samples. */
export function confusion(classifier: BayesClassifier, samples: readonly Sample[]): Confusion {
  const counts = { activeAsActive: 0, activeAsLazy: 0, lazyAsActive: 0, lazyAsLazy: 0 }
  for (const { plan, isActive } of samples) counts[`${isActive ? 'active' : 'lazy'}As${classifier.predict(plan).isActive ? 'Active' : 'Lazy'}`]++
  return counts
}

/** The fraction of a matrix that was predicted right; NaN for an empty one. */
export const accuracyOf = ({ activeAsActive, activeAsLazy, lazyAsActive, lazyAsLazy }: Confusion): number =>
  (activeAsActive + lazyAsLazy) / (activeAsActive + activeAsLazy + lazyAsActive + lazyAsLazy)

const plus = (a: Confusion, b: Confusion): Confusion => ({
  activeAsActive: a.activeAsActive + b.activeAsActive,
  activeAsLazy: a.activeAsLazy + b.activeAsLazy,
  lazyAsActive: a.lazyAsActive + b.lazyAsActive,
  lazyAsLazy: a.lazyAsLazy + b.lazyAsLazy,
})

/** The fold of every sample: the shuffled samples of C1, then those of C0, are dealt to the folds in turn. */
function divide(samples: readonly Sample[], folds: number, seed: number): number[] {
  const random = randomStream(seed, 'bayes-folds')
  const foldOf: number[] = []
  let next = 0
  for (const wanted of [true, false]) {
    const members = [...samples.keys()].filter((i) => samples[i]?.isActive === wanted)
    if (members.length < 2)
      throw new SchedError(
        'BAD_INPUT',
        `class ${wanted ? 'C1 (active)' : 'C0 (lazy)'} has ${members.length} of ${samples.length} samples.`,
        { field: 'samples' },
        'Cross-validation needs at least 2 of each class.',
      )
    for (let i = members.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[members[i], members[j]] = [members[j] as number, members[i] as number]
    }
    for (const member of members) foldOf[member] = next++ % folds
  }
  return foldOf
}

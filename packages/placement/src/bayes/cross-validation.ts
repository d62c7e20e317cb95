import { randomStream, SchedError } from '@sched/core'
import { BayesClassifier } from './classifier.js'
import { trainBayes, type Sample, type TrainOptions } from './train.js'

/** Samples by what they are and what was predicted. */
export interface Confusion {
  /** Communication-active jobs that were predicted so. */
  readonly activeAsActive: number
  /** Active jobs that were taken for lazy ones. */
  readonly activeAsLazy: number
  /** Lazy jobs that were taken for active ones. */
  readonly lazyAsActive: number
  /** Lazy jobs that were predicted so. */
  readonly lazyAsLazy: number
}

/** How often predictions were right, fold by fold and together. */
export interface CrossValidation {
  /** Of all samples, each predicted once by a model that has not seen it. */
  readonly matrix: Confusion
  /** Part of the samples predicted right. */
  readonly accuracy: number
  /** The same of each fold, in their order. */
  readonly folds: readonly Confusion[]
}

/**
 * Cross-validation: samples are divided into folds at random, each class evenly, and each fold is predicted by a model
 * trained on the others. Throws `BAD_OPTION` for fewer than 2 folds or more than samples, `BAD_INPUT` for a class of fewer
 * than 2 samples, since a fold would leave nothing of it to learn from.
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

/** What a classifier makes of samples. */
export function confusion(classifier: BayesClassifier, samples: readonly Sample[]): Confusion {
  const counts = { activeAsActive: 0, activeAsLazy: 0, lazyAsActive: 0, lazyAsLazy: 0 }
  for (const { plan, isActive } of samples) counts[`${isActive ? 'active' : 'lazy'}As${classifier.predict(plan).isActive ? 'Active' : 'Lazy'}`]++
  return counts
}

/** Part predicted right; NaN of none. */
export const accuracyOf = ({ activeAsActive, activeAsLazy, lazyAsActive, lazyAsLazy }: Confusion): number =>
  (activeAsActive + lazyAsLazy) / (activeAsActive + activeAsLazy + lazyAsActive + lazyAsLazy)

const plus = (a: Confusion, b: Confusion): Confusion => ({
  activeAsActive: a.activeAsActive + b.activeAsActive,
  activeAsLazy: a.activeAsLazy + b.activeAsLazy,
  lazyAsActive: a.lazyAsActive + b.lazyAsActive,
  lazyAsLazy: a.lazyAsLazy + b.lazyAsLazy,
})

/** The fold of every sample: the shuffled samples of C1, then those of C0, dealt out in turn. */
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

import { SchedError } from '@sched/core'
import { defaultMax, extractInto, featureCount, type FeatureKind } from './features.js'
import { modelHead, type BayesModel, type TrainingSummary } from './model.js'
import { shapeOf, type Plan } from './plan.js'

/** A measured job: its plan and its class. */
export interface Sample {
  /** Tasks by rack and node. */
  readonly plan: Plan
  /** Whether it is of class C1, communication-active. */
  readonly isActive: boolean
}

/** Options of `trainBayes`; none is required. */
export interface TrainOptions {
  /** gaussian: a normal distribution for each feature; bernoulli: whether a rack or node is used, with Laplace's rule. Default gaussian. */
  readonly kind?: 'gaussian' | 'bernoulli'
  /** Features of nodes or of racks; default: flat for gaussian, rows for bernoulli. */
  readonly features?: FeatureKind
  /** Number of tasks that counts as 1; default 100. */
  readonly max?: number
  /** Prior probabilities of the classes: by their numbers of samples (default), or equal. */
  readonly priors?: 'samples' | 'equal'
  /** Least variance of a feature, as a part of the largest variance that a feature has over all samples; default 1e-9. */
  readonly varianceFloor?: number
  /** How the samples were labelled, for the model's summary. */
  readonly labels?: Partial<Pick<TrainingSummary, 'threshold' | 'activity' | 'largest' | 'source'>>
}

/**
 * Trains a naive Bayes classifier on plans of measured jobs. The paper does not give P(x|C). Our choice are normal distributions with population variance and
 * a floor, and as a variant for few samples the probability that a rack is used at all. If no feature varies, the floor is 1e-9 itself. Throws `BAD_INPUT` for
 * a class without samples, a plan of another shape than the first, and entries that are no numbers of tasks; `BAD_OPTION` for `max` and `varianceFloor`.
 *
 * Source: Cao and Wang, formulas (7) and (8).
 */
export function trainBayes(samples: readonly Sample[], options: TrainOptions = {}): BayesModel {
  const { kind = 'gaussian', max = defaultMax, varianceFloor = 1e-9, labels } = options
  const features = options.features ?? (kind === 'gaussian' ? 'flat' : 'rows')
  if (!(max > 0 && max < Infinity)) throw new SchedError('BAD_OPTION', `is ${max}.`, { field: 'max' }, 'Use a number of tasks above 0.')
  if (!(varianceFloor >= 0 && varianceFloor < Infinity)) throw new SchedError('BAD_OPTION', `is ${varianceFloor}.`, { field: 'varianceFloor' }, 'Use a number of at least 0.')
  const members = countMembers(samples)
  const [first] = samples
  const cluster = shapeOf((first as Sample).plan, 'samples[0].plan')
  const width = featureCount(cluster, features)
  const table = new Float64Array(samples.length * width)
  for (const [i, { plan }] of samples.entries()) extractInto(table, i * width, plan, cluster, features, max, `samples[${i}].plan`)
  const rows: Rows = { table, width, isActive: samples.map((sample) => sample.isActive) }
  const prior = (count: number) => (options.priors === 'equal' ? 0.5 : count / samples.length)
  const classOf = (isActive: boolean) => ({ samples: members[isActive ? 1 : 0], prior: prior(members[isActive ? 1 : 0]) })
  const training = { samples: samples.length, active: members[1], threshold: null, activity: null, largest: null, varianceFloor, source: '', ...labels }
  const head = { ...modelHead, cluster, features, max, training }
  if (kind === 'bernoulli') {
    const used = (isActive: boolean) => ({ ...classOf(isActive), used: usedParts(rows, isActive) })
    return { ...head, kind, classes: { C0: used(false), C1: used(true) } }
  }
  const floor = floorOf(rows, varianceFloor)
  const normal = (isActive: boolean) => ({ ...classOf(isActive), ...moments(rows, isActive, floor) })
  return { ...head, kind, classes: { C0: normal(false), C1: normal(true) } }
}

/** The features of all samples, a row of `width` numbers for each. */
interface Rows {
  readonly table: Float64Array
  readonly width: number
  readonly isActive: readonly boolean[]
}

/** The number of samples of each class. Throws `BAD_INPUT` for a class without any. */
function countMembers(samples: readonly Sample[]): [lazy: number, active: number] {
  const active = samples.reduce((count, { isActive }) => count + (isActive ? 1 : 0), 0)
  for (const [name, what, count] of [['C1', 'active', active], ['C0', 'lazy', samples.length - active]] as const)
    if (count === 0)
      throw new SchedError(
        'BAD_INPUT',
        `class ${name} (${what}) has no samples among ${samples.length} jobs.`,
        { field: 'samples' },
        'Measure more jobs, or choose another threshold.',
      )
  return [samples.length - active, active]
}

const ofClass = (wanted: boolean | undefined, isActive: boolean) => wanted === undefined || wanted === isActive

/** The means of the features over the samples of a class (undefined: of both), and the number of these samples. */
function means({ table, width, isActive }: Rows, wanted: boolean | undefined): [Float64Array, number] {
  const sums = new Float64Array(width)
  let count = 0
  for (const [row, active] of isActive.entries()) {
    if (!ofClass(wanted, active)) continue
    count++
    for (let m = 0, at = row * width; m < width; m++, at++) sums[m] = (sums[m] as number) + (table[at] as number)
  }
  return [sums.map((sum) => sum / count), count]
}

/** The population variances of the features, by a second pass over the samples. */
function variances({ table, width, isActive }: Rows, wanted: boolean | undefined, mean: Float64Array, count: number): Float64Array {
  const squares = new Float64Array(width)
  for (const [row, active] of isActive.entries()) {
    if (!ofClass(wanted, active)) continue
    for (let m = 0, at = row * width; m < width; m++, at++) {
      const off = (table[at] as number) - (mean[m] as number)
      squares[m] = (squares[m] as number) + off * off
    }
  }
  return squares.map((sum) => sum / count)
}

/** The least variance: a part of the largest variance of a feature over all samples, or 1e-9 if none varies. */
function floorOf(rows: Rows, part: number): number {
  const [mean, count] = means(rows, undefined)
  const largest = variances(rows, undefined, mean, count).reduce((most, variance) => Math.max(most, variance), 0)
  return largest === 0 ? 1e-9 : part * largest
}

function moments(rows: Rows, wanted: boolean, floor: number) {
  const [mean, count] = means(rows, wanted)
  const own = variances(rows, wanted, mean, count)
  const flat = floor === 0 ? own.findIndex((variance) => variance === 0) : -1
  if (flat >= 0)
    throw new SchedError(
      'BAD_INPUT',
      `feature ${flat} is the same in all samples of class ${wanted ? 'C1' : 'C0'}, and no variance is too small.`,
      { field: 'varianceFloor' },
      'Use a floor above 0, for example 1e-9.',
    )
  return { mean: [...mean], variance: Array.from(own, (variance) => Math.max(variance, floor, 1e-300)) }
}

/** The probability that each rack or node is used, by Laplace's rule of succession: as if there were one more sample that uses it and one that does not. */
function usedParts({ table, width, isActive }: Rows, wanted: boolean): number[] {
  const used = new Float64Array(width)
  let count = 0
  for (const [row, active] of isActive.entries()) {
    if (active !== wanted) continue
    count++
    for (let m = 0, at = row * width; m < width; m++, at++) if ((table[at] as number) > 0) used[m] = (used[m] as number) + 1
  }
  return Array.from(used, (times) => (times + 1) / (count + 2))
}

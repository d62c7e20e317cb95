import type { Plan, Sample } from '@sched/placement'

interface Class {
  readonly prior: number
  readonly mean: readonly number[]
  readonly variance: readonly number[]
}

/** A Gaussian naive Bayes classifier as the formulas are written: arrays of features, a pass per feature and class. */
export interface NaiveModel {
  readonly active: Class
  readonly lazy: Class
}

const featuresOf = (plan: Plan) => plan.flatMap((rack) => rack.map((tasks) => Math.min(1, (tasks ?? 0) / 100)))
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const varianceOf = (values: readonly number[], mean: number) => meanOf(values.map((value) => (value - mean) ** 2))

export function naiveModel(samples: readonly Sample[]): NaiveModel {
  const rows = samples.map(({ plan, isActive }) => ({ features: featuresOf(plan), isActive }))
  const columnsOf = (of: readonly { readonly features: readonly number[] }[]) => (of[0]?.features ?? []).map((_, m) => of.map(({ features }) => features[m] as number))
  const floor = 1e-9 * Math.max(...columnsOf(rows).map((column) => varianceOf(column, meanOf(column))))
  const classOf = (wanted: boolean): Class => {
    const own = rows.filter(({ isActive }) => isActive === wanted)
    const columns = columnsOf(own)
    const mean = columns.map(meanOf)
    return { prior: own.length / rows.length, mean, variance: columns.map((column, m) => Math.max(floor, varianceOf(column, mean[m] as number))) }
  }
  return { active: classOf(true), lazy: classOf(false) }
}

export function naiveLogOdds({ active, lazy }: NaiveModel, plan: Plan): number {
  const features = featuresOf(plan)
  return scoreOf(active, features) - scoreOf(lazy, features)
}

const scoreOf = ({ prior, mean, variance }: Class, features: readonly number[]) =>
  features
    .map((x, m) => -((x - (mean[m] as number)) ** 2) / (2 * (variance[m] as number)) - Math.log(2 * Math.PI * (variance[m] as number)) / 2)
    .reduce((sum, term) => sum + term, Math.log(prior))

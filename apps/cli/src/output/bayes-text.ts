import { percent, table } from '@sched/report'
import { accuracyOf, type CrossValidation, type Prediction, type TrainingSummary } from '@sched/placement'
import { counted, number } from './number.js'

/** What a model was trained on. */
export function trainingText(policy: string, { samples, active, threshold, activity, largest }: TrainingSummary, seconds: number): string {
  const relative = activity === 'own' ? "each job's own largest pair" : `the largest pair of all, ${number(largest ?? 0)} bytes`
  return (
    `${counted(samples, 'job')} under ${policy}: ${number(active)} active (${percent(active / samples)}), ${number(samples - active)} lazy\n` +
    `active from ${Number((threshold ?? NaN).toPrecision(4))} of ${relative}\n` +
    `trained in ${number(seconds * 1000)} ms\n`
  )
}

const left = (title: string) => ({ title, align: 'left' }) as const
const right = (title: string) => ({ title, align: 'right' }) as const

/** What every job is predicted to be. */
export function predictionsText(predictions: readonly { readonly job: string; readonly prediction: Prediction }[]): string {
  return table(
    [left('job'), left('class'), right('probability of active'), right('log odds')],
    predictions.map(({ job, prediction: { isActive, probabilities, logOdds } }) => [job, isActive ? 'C1, active' : 'C0, lazy', probabilities.C1.toPrecision(4), number(logOdds)]),
  )
}

export function validationText({ matrix, accuracy, folds }: CrossValidation): string {
  const { activeAsActive, activeAsLazy, lazyAsActive, lazyAsLazy } = matrix
  const confusion = table([left('measured'), right('predicted active'), right('predicted lazy')], [
    ['active', number(activeAsActive), number(activeAsLazy)],
    ['lazy', number(lazyAsActive), number(lazyAsLazy)],
  ])
  const parts = folds.map((fold) => percent(accuracyOf(fold))).join(', ')
  return `${confusion}\n${percent(accuracy)} of ${counted(activeAsActive + activeAsLazy + lazyAsActive + lazyAsLazy, 'job')} predicted right; by fold ${parts}\n`
}

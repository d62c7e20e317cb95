import { SchedError } from '@sched/core'
import { activities, defaultThreshold, isActive, largestOf, thresholdForActiveFraction } from './activity.js'
import type { MeasuredJob } from './measured-jobs.js'
import type { Sample, TrainOptions } from './train.js'

/** From where on a job counts as active. */
export interface LabelOptions {
  /** Activity from which a job is active; default 0.38. */
  readonly threshold?: number | undefined
  /** Instead of a threshold: the part of the jobs that is active. */
  readonly activeFraction?: number | undefined
  /** Whose largest pair volume activities are relative to. Default common. */
  readonly activity?: 'common' | 'own' | undefined
}

/** Measured jobs with their classes. */
export interface LabelledJobs {
  /** Jobs in the order in which they were measured. */
  readonly samples: readonly Sample[]
  /** Of each of them: its volume between racks as a part of the largest. */
  readonly activities: readonly number[]
  /** For the summary of a model. */
  readonly labels: Required<Pick<NonNullable<TrainOptions['labels']>, 'threshold' | 'activity' | 'largest'>>
}

/**
 * Measured jobs labelled by their communication activity. Throws `BAD_INPUT` for no jobs, and where nothing was fetched
 * between racks at all, `BAD_OPTION` for a threshold beside a fraction.
 */
export function labelled(jobs: readonly Pick<MeasuredJob, 'plan' | 'pairs'>[], { threshold, activeFraction, activity = 'common' }: LabelOptions = {}): LabelledJobs {
  if (threshold !== undefined && activeFraction !== undefined)
    throw new SchedError('BAD_OPTION', 'a threshold and a part of the jobs are both given.', { field: 'activeFraction' }, 'Give one of them.')
  const volumes = jobs.map(({ pairs }) => pairs.map(([, , bytes]) => bytes))
  const largest = largestOf(volumes)
  if (largest === 0)
    throw new SchedError(
      'BAD_INPUT',
      `none of ${jobs.length} jobs fetched anything between racks.`,
      { field: 'jobs' },
      'Run jobs with a shuffle on a cluster with racks, and with a network (`runtime: { network: {} }`).',
    )
  const found = activities(volumes, activity)
  const chosen = activeFraction === undefined ? (threshold ?? defaultThreshold) : thresholdForActiveFraction(found, activeFraction)
  return {
    samples: jobs.map(({ plan }, i) => ({ plan, isActive: isActive(found[i] as number, chosen) })),
    activities: found,
    labels: { threshold: chosen, activity, largest: activity === 'common' ? largest : null },
  }
}

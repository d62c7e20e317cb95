import { SchedError } from '@sched/core'
import { activities, defaultThreshold, isActive, largestOf, thresholdForActiveFraction } from './activity.js'
import type { MeasuredJob } from './measured-jobs.js'
import type { Sample, TrainOptions } from './train.js'

/** Which jobs count as active. */
export interface LabelOptions {
  /** Activity from which a job is active; default 0.38. */
  readonly threshold?: number | undefined
  /** Instead of a threshold: the fraction of the jobs that is active, above 0 and at most 1. */
  readonly activeFraction?: number | undefined
  /** Whether activities are relative to the largest pair volume of all jobs or to that of each job itself (`activities`); default common. */
  readonly activity?: 'common' | 'own' | undefined
}

/** Measured jobs with their classes. */
export interface LabelledJobs {
  /** The jobs with their classes, in the order in which they were measured. */
  readonly samples: readonly Sample[]
  /** The communication activity of each of them, in [0, 1]. */
  readonly activities: readonly number[]
  /** How they were labelled, for the summary of a model. */
  readonly labels: Required<Pick<NonNullable<TrainOptions['labels']>, 'threshold' | 'activity' | 'largest'>>
}

/**
 * Labels measured jobs by their communication activity. Throws `BAD_INPUT` if no job fetched anything between racks, also without jobs, and `BAD_OPTION` if
 * both a threshold and a fraction are given.
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

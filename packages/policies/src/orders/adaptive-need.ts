import { to40Bits, type Seconds } from '@sched/core'

/** Progress of a job of which some tasks have ended. */
export interface JobProgress {
  /** Mean duration of its tasks that have ended, seconds. */
  readonly mean: Seconds
  /** Tasks that do not run yet. */
  readonly pending: number
  /** For how long each of its running tasks has run, seconds. */
  readonly elapsed: readonly Seconds[]
}

/** Work that is left, in slot-seconds: every pending task takes the mean duration, every running task what is left of the mean, at least 0. */
export const remainingWork = ({ mean, pending, elapsed }: JobProgress): number => elapsed.reduce((sum, each) => sum + Math.max(mean - each, 0), pending * mean)

/**
 * Slots that a job needs from now on to finish within the seconds that are left, which must be above 0. The quotient is rounded to
 * 40 bits before it is rounded up, so that a rounding error in the mean or in a sum does not add a slot.
 *
 * Source: after Polo et al., NOMS 2010, as the survey's sheet reconstructs it (section 7).
 */
export const slotsNeeded = (progress: JobProgress, left: Seconds): number => Math.ceil(to40Bits(remainingWork(progress) / left))

import { to40Bits, type Seconds } from '@sched/core'

/** Running work of a job of which some tasks have ended. */
export interface JobProgress {
  /** Mean duration of its tasks that have ended, seconds. */
  readonly mean: Seconds
  /** Tasks that do not run yet. */
  readonly pending: number
  /** For how long each of its running tasks has run, seconds. */
  readonly elapsed: readonly Seconds[]
}

/** Work that is left: what is pending takes the mean each, what runs the rest of it; in slots x seconds. */
export const remainingWork = ({ mean, pending, elapsed }: JobProgress): number => elapsed.reduce((sum, each) => sum + Math.max(mean - each, 0), pending * mean)

/**
 * Slots that a job needs from now on to be done in the seconds that are left, which are above 0. What rounding of the mean and
 * of sums adds to a whole number of slots is no slot more.
 *
 * Source: after Polo et al., NOMS 2010, as the survey's sheet reconstructs it (section 7).
 */
export const slotsNeeded = (progress: JobProgress, left: Seconds): number => Math.ceil(to40Bits(remainingWork(progress) / left))

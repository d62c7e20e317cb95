import type { JobSpec, Seconds } from '@sched/core'

/**
 * Upper limits, in processors, of the sizes sequential, narrow, wide and very wide in the 16 classes of jobs of Kettimuthu et al., "Selective
 * Preemption Strategies for Parallel Job Scheduling", ICPP 2002; the other dimension is `RUNTIME_LIMITS`.
 */
export const PROCESSOR_LIMITS: readonly number[] = [1, 8, 32]
/** Upper limits, in seconds, of the run times very short, short, long and very long in these classes. */
export const RUNTIME_LIMITS: readonly Seconds[] = [600, 3600, 28_800]

/** The user who submitted a job. */
export const userOf = ({ user }: JobSpec): string => user ?? '(none)'

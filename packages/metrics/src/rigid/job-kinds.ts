import type { JobSpec, Seconds } from '@sched/core'

/**
 * Sizes and lengths of the 16 classes of jobs of Kettimuthu et al., "Selective Preemption Strategies for Parallel Job
 * Scheduling", ICPP 2002: sequential, narrow, wide, very wide; very short, short, long, very long.
 */
export const PROCESSOR_LIMITS: readonly number[] = [1, 8, 32]
/** Seconds that the classes of run times end at. */
export const RUNTIME_LIMITS: readonly Seconds[] = [600, 3600, 28_800]

/** Who submitted a job. */
export const userOf = ({ user }: JobSpec): string => user ?? '(none)'

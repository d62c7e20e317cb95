import type { Duration, JobSpec, Seconds, StageSpec } from '@sched/core'

/**
 * A job as a dispatcher takes it. It is submitted at the time of the call; nobody reads its tasks' durations (policies see `estimate`). `startup`,
 * `after`, `think`, `afterAll` and `afterAny` have an effect only in the simulator: here, submit a job when it may start.
 */
export interface SubmittedJob extends Omit<JobSpec, 'submit' | 'stages'> {
  /** Not needed: the time of the call counts. */
  readonly submit?: Seconds
  /** Its stages; each opens as its `after` says. */
  readonly stages: readonly SubmittedStage[]
}

/** A stage whose tasks' durations may be left out. */
export interface SubmittedStage extends Omit<StageSpec, 'duration'> {
  /** Nobody reads it: the caller reports the ends of tasks. */
  readonly duration?: Duration
}

/** The job with placeholders for the times that only the simulator reads. */
export function withTimes(job: SubmittedJob, now: Seconds): JobSpec {
  if (!Array.isArray(job.stages)) return job as JobSpec // refused by a later check
  return { ...job, submit: job.submit ?? now, stages: job.stages.map((stage: SubmittedStage) => ({ ...stage, duration: stage.duration ?? 0 })) }
}

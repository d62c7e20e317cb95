import type { Duration, JobSpec, Seconds, StageSpec } from '@sched/core'

/**
 * A job as a dispatcher takes it: it is submitted at the time of the call, and how long its tasks run nobody reads (policies see `estimate`).
 * `startup`, `after`, `think`, `afterAll` and `afterAny` are for a simulator alone: submit a job when it may start.
 */
export interface SubmittedJob extends Omit<JobSpec, 'submit' | 'stages'> {
  /** The time of the call counts in its place. */
  readonly submit?: Seconds
  /** Its stages; each starts when those it comes after are as far as it says. */
  readonly stages: readonly SubmittedStage[]
}

/** A stage of which the tasks' durations may be left out. */
export interface SubmittedStage extends Omit<StageSpec, 'duration'> {
  /** Nobody reads it: the program tells of ends. */
  readonly duration?: Duration
}

/** The job of a simulator: with the times that only that reads. */
export function withTimes(job: SubmittedJob, now: Seconds): JobSpec {
  if (!Array.isArray(job.stages)) return job as JobSpec // refused soon
  return { ...job, submit: job.submit ?? now, stages: job.stages.map((stage: SubmittedStage) => ({ ...stage, duration: stage.duration ?? 0 })) }
}

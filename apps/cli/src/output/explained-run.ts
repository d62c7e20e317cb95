import type { JobWait } from '@sched/metrics'

/** Why a job waited under one policy. */
export interface ExplainedRun {
  readonly policy: string
  readonly wait: JobWait
}

import type { JobSpec, StageSpec, Toleration } from '@sched/core'

/**
 * Where a job goes: a queue, as the policy calls it (absent: as the job has it), the taints that it tolerates there, and its stages where they ask for
 * another amount there; or a refusal with its reason.
 */
export type Placed =
  | { readonly queue?: string; readonly tolerations?: readonly Toleration[]; readonly stages?: readonly StageSpec[]; readonly refused?: undefined }
  | { readonly queue?: undefined; readonly tolerations?: undefined; readonly stages?: undefined; readonly refused: string }

/** Puts jobs into queues as a file says. */
export type Place = (spec: JobSpec) => Placed

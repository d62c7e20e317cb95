import type { JobSpec, Toleration } from '@sched/core'

/** Where a job goes: a queue, as the policy calls it, and the taints that it tolerates there; or a refusal with its reason. */
export type Placed =
  | { readonly queue: string; readonly tolerations?: readonly Toleration[]; readonly refused?: undefined }
  | { readonly queue?: undefined; readonly tolerations?: undefined; readonly refused: string }

/** Puts jobs into queues as a file says. */
export type Place = (spec: JobSpec) => Placed

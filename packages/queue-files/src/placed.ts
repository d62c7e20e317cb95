import type { JobSpec } from '@sched/core'

/** Where a job goes: a queue, as the policy calls it, or a refusal with its reason. */
export type Placed = { readonly queue: string; readonly refused?: undefined } | { readonly queue?: undefined; readonly refused: string }

/** Puts jobs into queues as a file says. */
export type Place = (spec: JobSpec) => Placed

import type { JobSpec, NodeRequirement, StageSpec, Toleration } from '@sched/core'

/**
 * Where a job goes. `queue`: the queue, under the policy's name for it; absent: the one that the job names. `tolerations`: the taints that it tolerates
 * there. `nodes`: what is required of nodes there, besides what it asks itself. `stages`: its stages, if they get other amounts there than they ask for. `estimate`: its estimate in seconds, if it gets one there. `asked`: the queue that it names, in full, where others have that name, too.
 * Or `refused`: why no queue takes it.
 */
export type Placed =
  | { readonly queue?: string; readonly tolerations?: readonly Toleration[]; readonly nodes?: NodeRequirement; readonly stages?: readonly StageSpec[]; readonly estimate?: number; readonly asked?: string; readonly refused?: undefined }
  | { readonly queue?: undefined; readonly tolerations?: undefined; readonly nodes?: undefined; readonly stages?: undefined; readonly estimate?: undefined; readonly asked?: undefined; readonly refused: string }

/** Finds the queue of a job, by the rules of a queue file. */
export type Place = (spec: JobSpec) => Placed

import type { CellState, ClusterModel, Unheeded, Work } from '@sched/cluster'
import { randomStream, type Env, type Seconds } from '@sched/core'
import type { Observers } from './observers.js'
import type { SimulationOptions } from './options.js'

interface Parts {
  readonly model: ClusterModel
  readonly cell: CellState
  readonly work: Work
  readonly observers: Observers
  readonly unheeded: Unheeded
  readonly warn: (message: string) => void
  readonly now: () => Seconds
}

/** What the plug-ins of a run are given when they are created. */
export function environment({ workload, passPerEvent }: SimulationOptions, seed: number, { model, cell, work, observers, unheeded, warn, now }: Parts): Env {
  const { start, timeZone } = workload
  return {
    cluster: cell,
    work,
    now,
    seesWholeInstants: passPerEvent === undefined && model.heartbeat === undefined,
    ...(start !== undefined && { start }),
    ...(timeZone !== undefined && { timeZone }),
    random: (stream) => randomStream(seed, stream),
    warn,
    heedsTopology: unheeded.heedsTopology,
    heedsPlacementRules: unheeded.heedsPlacementRules,
    heedsMinEstimate: unheeded.heedsMinEstimate,
    heedsContiguous: unheeded.heedsContiguous,
    hasRules: () => { work.areRules = true },
    tellPass: (pass) => observers.onPass(pass, now()),
  }
}

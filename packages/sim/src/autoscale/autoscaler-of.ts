import type { ClusterModel, Work } from '@sched/cluster'
import { randomStream, SchedError, type Observer } from '@sched/core'
import type { SimulationOptions } from '../options.js'
import { Autoscaler, type AutoscalerEnv } from './autoscaler.js'
import { autoscalerSettings } from './options.js'
import { WaitingForRoom } from './waiting-tasks.js'

/** What a run has where the size of groups of nodes follows demand. */
export interface Autoscaling {
  /** To be told of what happens in the run. */
  readonly observer: Observer
  autoscaler(env: Omit<AutoscalerEnv, 'random'>): Autoscaler
}

/** `undefined` if all nodes are always there. Throws `BAD_OPTION` or `BAD_INPUT` for options that are out of range or do not go together. */
export function autoscaling({ autoscaler, outages, avoid }: SimulationOptions, seed: number, { autoscale }: ClusterModel, work: Work): Autoscaling | undefined {
  if (autoscale === undefined) {
    if (autoscaler === undefined) return undefined
    throw new SchedError('BAD_INPUT', 'is for groups of nodes whose size follows demand, and there are none.', { field: 'autoscaler' }, 'Give a group of nodes `autoscale`, for example { min: 1, provision: 120 }.')
  }
  const other = outages !== undefined ? 'outages' : avoid !== undefined ? 'avoid' : undefined
  if (other !== undefined) throw new SchedError('BAD_INPUT', 'do not go together with nodes that come and go by demand.', { field: other }, `Leave out \`${other}\`, or \`autoscale\` of the nodes.`)
  const settings = autoscalerSettings(autoscaler ?? {})
  const waiting = new WaitingForRoom(work, settings.expendablePodsPriorityCutoff)
  return { observer: waiting, autoscaler: (env) => new Autoscaler(settings, autoscale, waiting, { ...env, random: randomStream(seed, 'autoscaler') }) }
}

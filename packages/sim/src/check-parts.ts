import { checkPlug, SchedError } from '@sched/core'
import type { SimulationOptions } from './options.js'

/** Throws `BAD_OPTION` for a part of a run that is missing or is something else, as a program without types may have it. */
export function checkParts(options: SimulationOptions): void {
  const given: { readonly [K in keyof SimulationOptions]?: unknown } = options
  if (typeof given.cluster !== 'object' || given.cluster === null) throw new SchedError('BAD_OPTION', 'is missing.', { field: 'cluster' }, 'Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.')
  if (typeof (given.workload as { readonly open?: unknown } | undefined)?.open !== 'function')
    throw new SchedError('BAD_OPTION', given.workload === undefined ? 'is missing.' : 'is no workload: it has no open().', { field: 'workload' }, "Make one, for example workloadOf('mine', jobs) of @sched/workload.")
  checkPlug('policy', given.policy, 'policy')
  for (const [name, policy] of Object.entries(options.policies ?? {})) checkPlug('policy', policy, `policies.${name}`)
  checkPlug('architecture', given.architecture, 'architecture')
}

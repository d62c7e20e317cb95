import { SchedError } from '@sched/core'
import type { KueueSettings, Quantities } from './options.js'
import { madeResources } from './transformations.js'

/** The name of tasks in quotas, unless nodes have a resource of this name. */
export const PODS = 'pods'

/** Whether a quota is of a resource in any of its flavors. */
export const isQuotaOf = (resource: string, nominalQuota: Quantities = {}): boolean =>
  Object.entries(nominalQuota).some(([name, amount]) => (typeof amount === 'number' ? name === resource : Object.hasOwn(amount, resource)))

/**
 * Names of what quotas are of: the resources of the cluster, then tasks if any queue or cohort counts them, then what transformations make of resources.
 * `pods`: the index of tasks; -1: they are not counted. Throws `BAD_OPTION` where a transformation makes tasks of something.
 */
export function quotaResources(settings: KueueSettings, resources: readonly string[]): { readonly names: readonly string[]; readonly pods: number } {
  const { queues, cohorts, defaults } = settings
  const made = madeResources(settings, resources)
  if (made.includes(PODS)) throw new SchedError('BAD_OPTION', `"${PODS}" are tasks, and nothing else counts as one.`, { field: 'transformations' }, 'Call the output something else.')
  const all = [defaults, ...Object.values(queues), ...Object.values(cohorts)]
  const arePods = !resources.includes(PODS) && all.some(({ nominalQuota }) => isQuotaOf(PODS, nominalQuota))
  return { names: [...resources, ...(arePods ? [PODS] : []), ...made], pods: arePods ? resources.length : -1 }
}

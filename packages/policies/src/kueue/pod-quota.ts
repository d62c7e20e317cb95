import type { KueueSettings, Quantities } from './options.js'

/** The name of tasks in quotas, unless nodes have a resource of this name. */
const PODS = 'pods'

/** Whether a quota limits the number of tasks in any of its flavors. */
export const countsPods = (nominalQuota: Quantities = {}): boolean =>
  Object.entries(nominalQuota).some(([name, amount]) => (typeof amount === 'number' ? name === PODS : Object.hasOwn(amount, PODS)))

/** Names of what quotas are of: the resources of the cluster, and tasks if any queue or cohort counts them. */
export function quotaResources({ queues, cohorts, defaults }: KueueSettings, resources: readonly string[]): readonly string[] {
  const all = [defaults, ...Object.values(queues), ...Object.values(cohorts)]
  return resources.includes(PODS) || !all.some(({ nominalQuota }) => countsPods(nominalQuota)) ? resources : [...resources, PODS]
}

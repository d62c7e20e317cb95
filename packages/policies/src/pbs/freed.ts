import { SchedError, suggest, type Env, type ResourceId } from '@sched/core'
import type { ReadPbsPreemptingOptions } from './options.js'
import { pbsNames, pbsResource } from './resource-name.js'

/** By lane, what suspended jobs give up: all resources, or those in restrict_res_to_release_on_suspend. Throws `BAD_OPTION` for what neither nodes nor the cluster have. */
export function freed({ restrict_res_to_release_on_suspend: only, resources_available: available }: ReadPbsPreemptingOptions, { cluster }: Env) {
  const field = 'pbs-preempting.restrict_res_to_release_on_suspend'
  const released = only?.map((name) => {
    const resource = pbsResource(name, cluster, field)
    if (resource === undefined && !Object.hasOwn(available, name))
      throw new SchedError('BAD_OPTION', `neither nodes nor the whole cluster have "${name}".`, { field }, suggest(name, [...pbsNames(cluster), ...Object.keys(available)]))
    return resource
  })
  return cluster.lanes.map(({ resources }) => (released === undefined ? [...resources] : resources.filter((resource) => released.includes(resource))))
}

/** Whether two names are of one resource of nodes, or of one licence. */
export const isSame = (a: string, b: string, resourceOf: (name: string) => ResourceId | undefined): boolean => a === b || (resourceOf(a) !== undefined && resourceOf(a) === resourceOf(b))

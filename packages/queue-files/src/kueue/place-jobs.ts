import type { Place } from '../placed.js'
import type { KueuePolicy } from './kueue-policy.js'
import { stopped } from './stop-policy.js'

/** Jobs that name a LocalQueue of Kueue are in its ClusterQueue, and tolerate what its flavors say; one that names no queue in that of its user, if there is one. The user is the namespace. */
export function placeInKueue({ options, localQueues, stops, barred, tolerations }: KueuePolicy): Place {
  const names = Object.keys(options.queues ?? {})
  return (spec) => {
    const { queue, user } = spec
    const local = [`${user ?? ''}/${queue ?? ''}`, queue ?? ''].find((name) => localQueues.has(name))
    const found = localQueues.get(local ?? '') ?? queue ?? user
    const why = stopped(stops, spec, local, found)
    if (why !== undefined) return { refused: why }
    if (barred.get(found ?? '')?.has(user ?? '') === true) return { refused: `the namespaceSelector of ClusterQueue "${found}" does not select its namespace ${user}` }
    const own = tolerations.get(found ?? '') ?? []
    if (found !== undefined && names.includes(found)) return { queue: found, ...(own.length > 0 && { tolerations: own }) }
    return { refused: queue === undefined ? `it names no queue, and those of the file are ${names.join(', ')}` : `no ClusterQueue or LocalQueue is called "${queue}"` }
  }
}

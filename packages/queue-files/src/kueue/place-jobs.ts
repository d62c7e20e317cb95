import type { Place } from '../placed.js'
import type { KueuePolicy } from './kueue-policy.js'
import { stopped } from './stop-policy.js'

/**
 * Puts a job into the ClusterQueue of the LocalQueue that it names, or into the ClusterQueue that it names; a job that names no queue into the ClusterQueue
 * with the name of its user. The user is the namespace. The job gets the tolerations of the queue's flavors. It is refused if its queue is stopped or does
 * not select its namespace.
 */
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
    if (found !== undefined && names.includes(found)) return { queue: found, ...(own.length > 0 && { tolerations: own }), ...(local !== undefined && local !== queue && { asked: local }) }
    return { refused: queue === undefined ? `it names no queue, and those of the file are ${names.join(', ')}` : `no ClusterQueue or LocalQueue is called "${queue}"` }
  }
}

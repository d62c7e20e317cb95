import type { Place } from '../placed.js'
import type { KueuePolicy } from './kueue-policy.js'

/** Jobs that name a LocalQueue of Kueue are in its ClusterQueue; one that names no queue in that of its user, if there is one. */
export function placeInKueue({ options, localQueues }: KueuePolicy): Place {
  const names = Object.keys(options.queues ?? {})
  return ({ queue, user }) => {
    const found = localQueues.get(`${user ?? ''}/${queue ?? ''}`) ?? localQueues.get(queue ?? '') ?? queue ?? user
    if (found !== undefined && names.includes(found)) return { queue: found }
    return { refused: queue === undefined ? `it names no queue, and those of the file are ${names.join(', ')}` : `no ClusterQueue or LocalQueue is called "${queue}"` }
  }
}

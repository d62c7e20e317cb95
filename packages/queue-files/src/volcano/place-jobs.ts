import type { Place, Placed } from '../placed.js'
import { DEFAULT } from './volcano-file.js'
import type { VolcanoPolicy } from './volcano-policy.js'

/**
 * Puts a job into the Queue that it names. A job that names none, or that names its user, which is its namespace, goes into Volcano's own queue `default`.
 * It is refused if no queue that takes jobs has the name, or if that one has no nodes.
 */
export function placeInVolcano({ leaves, nodes }: VolcanoPolicy): Place {
  const into = (queue: string): Placed => {
    const own = nodes.get(queue)
    return own === 'none' ? { refused: `queue ${queue} has no group of nodes, as the plug-in nodegroup wants it` } : { queue, ...(own !== undefined && { nodes: own }) }
  }
  return ({ queue, user }) => {
    if (queue !== undefined && leaves.includes(queue)) return into(queue)
    if (queue === undefined || queue === user) return into(DEFAULT)
    return { refused: `no queue that takes jobs is called "${queue}": ${leaves.join(', ')}` }
  }
}

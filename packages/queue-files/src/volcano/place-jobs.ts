import type { Place } from '../placed.js'
import { DEFAULT } from './volcano-file.js'
import type { VolcanoPolicy } from './volcano-policy.js'

/**
 * Puts a job into the Queue that it names. A job that names none, or that names its user, which is its namespace, goes into Volcano's own queue `default`.
 * It is refused if no queue that takes jobs has the name.
 */
export function placeInVolcano({ leaves }: VolcanoPolicy): Place {
  return ({ queue, user }) => {
    if (queue !== undefined && leaves.includes(queue)) return { queue }
    if (queue === undefined || queue === user) return { queue: DEFAULT }
    return { refused: `no queue that takes jobs is called "${queue}": ${leaves.join(', ')}` }
  }
}

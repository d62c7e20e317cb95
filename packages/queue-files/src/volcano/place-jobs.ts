import type { Place } from '../placed.js'
import { DEFAULT } from './volcano-file.js'
import type { VolcanoPolicy } from './volcano-policy.js'

/** Jobs name a Queue of Volcano that takes jobs; those that name none, or only their namespace, are in its own. */
export function placeInVolcano({ leaves }: VolcanoPolicy): Place {
  return ({ queue, user }) => {
    if (queue !== undefined && leaves.includes(queue)) return { queue }
    if (queue === undefined || queue === user) return { queue: DEFAULT }
    return { refused: `no queue that takes jobs is called "${queue}": ${leaves.join(', ')}` }
  }
}

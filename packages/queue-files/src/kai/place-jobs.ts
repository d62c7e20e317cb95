import type { Place } from '../placed.js'
import type { KaiPolicy } from './kai-policy.js'

/** Jobs name a queue of KAI that holds jobs, by its own name or by its path; those that name none are in that of their user. */
export function placeInKai({ leaves }: KaiPolicy): Place {
  const names = [...leaves.keys()].join(', ')
  return ({ queue, user }) => {
    const name = queue?.split('.').at(-1) ?? user ?? ''
    const path = leaves.get(name)
    if (path !== undefined && (queue === undefined || queue === name || queue === path)) return { queue: path }
    return { refused: queue === undefined ? `it names no queue, and those of the file that hold jobs are ${names}` : `no queue that holds jobs is called "${queue}": ${names}` }
  }
}

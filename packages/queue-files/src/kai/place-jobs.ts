import type { Place } from '../placed.js'
import type { KaiPolicy } from './kai-policy.js'

/**
 * Puts a job into the queue that it names, by name or by path; a job that names none into the queue with the name of its user. It is refused if no queue
 * that takes jobs has the name.
 */
export function placeInKai({ leaves }: KaiPolicy): Place {
  const names = [...leaves.keys()].join(', ')
  return ({ queue, user }) => {
    const name = queue?.split('.').at(-1) ?? user ?? ''
    const path = leaves.get(name)
    if (path !== undefined && (queue === undefined || queue === name || queue === path)) return { queue: path }
    return { refused: queue === undefined ? `it names no queue, and those of the file that hold jobs are ${names}` : `no queue that holds jobs is called "${queue}": ${names}` }
  }
}

import type { Place } from '../placed.js'
import type { SparkFile } from './pools-file.js'

/** Puts a job into the pool that it names, also with `root.` before the name, and a job that names none into the pool `default`. */
export function placeInSpark({ pools }: SparkFile): Place {
  const names = new Set(pools.map(({ name }) => name))
  return ({ queue = 'default' }) => ({ queue: names.has(queue) ? queue : queue.replace(/^root\./, '') })
}

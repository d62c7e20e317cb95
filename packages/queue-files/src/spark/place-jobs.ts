import type { Place } from '../placed.js'
import type { SparkFile } from './pools-file.js'

/** Spark has a pool `default` for jobs that name none; its pools have no `root`. */
export function placeInSpark({ pools }: SparkFile): Place {
  const names = new Set(pools.map(({ name }) => name))
  return ({ queue = 'default' }) => ({ queue: names.has(queue) ? queue : queue.replace(/^root\./, '') })
}

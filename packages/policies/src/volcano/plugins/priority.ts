import type { Plugin } from '../plugin.js'

/** Jobs go by priority, and take from jobs of lower priority while they have tasks to start. Source: Volcano, plugins/priority. */
export const priority = (): Plugin => ({
  jobKey: (job) => -job.priority,
  isStarving: (job) => job.unplaced > 0,
  preemptable: (taker, candidates) => candidates.filter(({ job }) => job.priority < taker.priority),
})

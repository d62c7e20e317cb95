import type { Plugin } from '../plugin.js'

/** Jobs by priority, who take of lower ones while they have tasks to start. Source: Volcano, plugins/priority. */
export const priority = (): Plugin => ({
  jobKey: (job) => -job.priority,
  isStarving: (job) => job.unplaced > 0,
  preemptable: (taker, candidates) => candidates.filter(({ job }) => job.priority < taker.priority),
})

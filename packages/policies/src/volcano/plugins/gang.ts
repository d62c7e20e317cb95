import { isReady, readyTasks, type VolcanoJob } from '../queue.js'
import type { Choose, Plugin } from '../plugin.js'

/**
 * Jobs with fewer tasks than they must have at once come first, and may take from others. Jobs with more tasks give those
 * beyond that number. That gangs start as a whole is a property of the job, with this plug-in or without.
 *
 * Source: Volcano, plugins/gang.
 */
export const gang = (): Plugin => ({ jobKey: (job) => Number(isReady(job)), isStarving: (job) => !isReady(job), preemptable: beyondLeast, reclaimable: beyondLeast, evictable: (_, __, candidates) => candidates })

const beyondLeast: Choose = (_, candidates) => {
  const left = new Map<VolcanoJob, number>()
  return candidates.filter(({ job, isCore }) => {
    const ready = left.get(job) ?? readyTasks(job)
    if (ready <= job.least || isCore) return false
    left.set(job, ready - 1)
    return true
  })
}

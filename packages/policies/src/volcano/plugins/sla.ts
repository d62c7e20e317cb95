import type { PluginSettings } from '../options.js'
import type { Plugin } from '../plugin.js'
import type { VolcanoJob } from '../queue.js'

/** The argument of `sla`: the longest time, in seconds, that a job waits to be enqueued. */
const WAITING = 'sla-waiting-time'

/** The time after its submission, in seconds, at which a job should be enqueued: its own, or else that of the plug-in; `Infinity`: neither says one. */
export const longestWaitOf = ({ longestWait }: Pick<VolcanoJob, 'longestWait'>, { arguments: given = {} }: PluginSettings): number => longestWait ?? given[WAITING] ?? Infinity

/**
 * Jobs go by the time at which they should be enqueued, those without such a time last. A job whose time has come is enqueued, whatever later tiers say; until
 * then the plug-in abstains.
 *
 * Source: Volcano, plugins/sla.
 */
export const sla = (settings: PluginSettings): Plugin => ({
  jobKey: (job) => job.submitted + longestWaitOf(job, settings),
  mayEnqueue: ({ isDue }) => isDue || undefined,
})

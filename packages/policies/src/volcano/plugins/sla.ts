import type { PluginSettings } from '../options.js'
import type { Plugin } from '../plugin.js'

/** The argument of `sla`: how long a job waits at most to be enqueued, in seconds. */
export const WAITING = 'sla-waiting-time'

/**
 * Jobs by submission, and one that has waited for so long is enqueued, whatever later tiers say; until then it says nothing, and without
 * that argument nothing at all. Deviation: jobs have no waiting times of their own.
 *
 * Source: Volcano, plugins/sla.
 */
export const sla = ({ arguments: given = {} }: PluginSettings): Plugin =>
  given[WAITING] === undefined ? {} : { jobKey: ({ submitted }) => submitted, mayEnqueue: ({ isDue }) => isDue || undefined }

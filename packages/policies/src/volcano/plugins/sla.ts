import type { PluginSettings } from '../options.js'
import type { Plugin } from '../plugin.js'

/** The argument of `sla`: the longest time, in seconds, that a job waits to be enqueued. */
export const WAITING = 'sla-waiting-time'

/**
 * Jobs go by submission. A job that has waited for that long is enqueued, whatever later tiers say; until then the plug-in abstains, and without
 * the argument it registers nothing. Deviation: jobs have no waiting times of their own.
 *
 * Source: Volcano, plugins/sla.
 */
export const sla = ({ arguments: given = {} }: PluginSettings): Plugin =>
  given[WAITING] === undefined ? {} : { jobKey: ({ submitted }) => submitted, mayEnqueue: ({ isDue }) => isDue || undefined }

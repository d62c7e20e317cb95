import type { Amounts } from '../amounts.js'
import { exceeds } from '../amounts.js'
import type { PluginSettings } from '../options.js'
import type { Plugin, Session } from '../plugin.js'

const FACTOR = 'overcommit-factor'
const DEFAULT_FACTOR = 1.2

/**
 * A job is enqueued if the sum of three amounts is at most the total of all nodes times a factor (of at least 1), for the resources that
 * it asks for: what jobs have, what enqueued jobs lack of their minimum, and the job's own minimum.
 *
 * Source: Volcano, plugins/overcommit.
 */
export function overcommit({ arguments: given = {} }: PluginSettings, { queues: { root }, names, total }: Session): Plugin {
  const atLeastOne = (factor: number | undefined): number | undefined => (factor !== undefined && factor < 1 ? DEFAULT_FACTOR : factor)
  const factors: Amounts = Float64Array.from(names, (name) => atLeastOne(given[`${FACTOR}.${name}`]) ?? atLeastOne(given[FACTOR]) ?? DEFAULT_FACTOR)
  const isRoomFor = (minimum: Amounts): boolean =>
    minimum.every((asked, r) => asked === 0 || !exceeds((root.allocated[r] as number) + (root.inqueue[r] as number) + asked, (total[r] as number) * (factors[r] as number)))
  return { mayEnqueue: ({ minimum }) => isRoomFor(minimum) }
}

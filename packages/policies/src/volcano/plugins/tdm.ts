import { withinBudgets } from '../disruptions.js'
import type { Plugin } from '../plugin.js'
import type { RevocableZones } from '../revocable-zones.js'

/** The argument of `tdm`: seconds from one time at which tasks are taken off closed zones to the next. */
export const PERIOD = 'tdm.evict.period'

/**
 * Jobs that do not say that they may be preempted come first, and starve while they have tasks to start. Those that say that they may not be take of others,
 * outside the zones, as many tasks at a time as these may lose. What `tdm` does with nodes is in `RevocableRound` and `ZonesFirst`, and how it takes tasks
 * off closed zones in `Revoking`.
 *
 * Source: Volcano, plugins/tdm (jobOrderFn, jobStarvingFn, preemptableFn). A pod that does not say so may be preempted there, too.
 */
export const tdm = (zones: RevocableZones): Plugin => ({
  jobKey: ({ preemptible }) => Number(preemptible === true),
  isStarving: ({ preemptible, unplaced }) => preemptible !== true && unplaced > 0,
  preemptable: ({ preemptible }, candidates) => (preemptible === false ? withinBudgets(candidates.filter(({ node }) => !zones.isIn(node))) : []),
})

import { defineOrder, type LaneId, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { LaneMarket } from './lane-market.js'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { ownerFields, plainWeights, settingsByPath, type OwnerOptions, type PlainWeights } from './sharing-options.js'

const ceeiOptions = z.strictObject({
  ...ownerFields,
  by: ownerFields.by.describe('who shares: users, or queues, all at one level'),
  weights: plainWeights,
})
/** Options of `ceei`; all may be left out. */
export interface CeeiOptions extends OwnerOptions {
  /** Weights of users or queues by name, above 0; default 1. Jobs have the weight of the workload. */
  readonly weights?: PlainWeights
}

/**
 * Competitive equilibrium from equal incomes, a comparison point for `drf`: the sharer that has the smallest part of what it would buy
 * in a market comes first. The buyers are the sharers with unplaced tasks. Each has its weight as income and wants endlessly many tasks
 * of the shape of its first job. The market is solved anew when a buyer comes, goes or asks for another shape, or when capacities
 * change; to notice that, every reading passes over all sharers. A part is the dominant share in use over the dominant share that the
 * sharer would buy. It is rounded to 24 bits, because the market is solved to about 1e-9 only; equal parts go by `ties`.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, section 5.2. Deviation: the equilibrium is approached one task at a time.
 */
export const ceeiOrder = defineOrder({
  name: 'ceei',
  summary: 'users or queues by their part of what they would buy in a market of all resources',
  source: 'Ghodsi et al., NSDI 2011, section 5.2',
  options: ceeiOptions,
  create: (options, env) => {
    const weightOf = settingsByPath('weights', options.weights, options.by)
    return new ShareOrder(env, options, (shares) => marketShares(shares, weightOf), 'flat')
  },
})

/** By the part that each has of what it would buy. */
export const ceei = (options: CeeiOptions = {}): Plug<'order'> => ceeiOrder.plug({}, options)

function marketShares(shares: Shares, weightOf: ReadonlyMap<string, number>): ShareRule {
  const { cluster, usage } = shares
  const markets = cluster.lanes.map((_, lane) => new LaneMarket(shares, lane as LaneId, weightOf))
  return {
    addPool({ id }) {
      for (const market of markets) market.target[id] = 1
      return 1
    },
    poolKey(pool, lane) {
      const share = usage.dominantShare(pool, lane)
      return Math.fround(share === 0 ? 0 : share / (markets[lane]?.target[pool] as number))
    },
    jobKey: () => 0, // jobs do not share: the options offer no such order
    onBegin: ({ lane }) => markets[lane]?.bring() ?? [],
  }
}

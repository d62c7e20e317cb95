import { defineOrder, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ShareOrder } from './share-order.js'
import { plainWeights, settingsByPath, sharingFields, type PlainWeights, type SharingOptions } from './sharing-options.js'

const assetFairnessOptions = z.strictObject({ ...sharingFields, weights: plainWeights })
/** Options of `asset-fairness`; all may be left out. */
export interface AssetFairnessOptions extends SharingOptions {
  /** Weights of users or queues by name, above 0; default 1. Jobs have the weight of the workload. */
  readonly weights?: PlainWeights
}

/**
 * Asset fairness, a comparison point for `drf`. A sharer's key is the sum of its fractions of all resources of the lane, divided
 * by its weight; the smallest comes first. A user can get less than the 1/n that a static split among n users would give it.
 *
 * Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, section 5.1.
 */
export const assetFairnessOrder = defineOrder({
  name: 'asset-fairness',
  summary: 'users, queues or jobs by the sum of their shares of all resources, smallest first',
  source: 'Ghodsi et al., NSDI 2011, section 5.1',
  options: assetFairnessOptions,
  create: (options, env) => {
    const weightOf = settingsByPath('weights', options.weights, options.by)
    return new ShareOrder(env, options, ({ usage }) => ({
      addPool: ({ path }) => weightOf.get(path) ?? 1,
      poolKey: (pool, lane) => usage.assetShare(pool, lane),
      jobKey: (job, lane, ofJobs) => ofJobs.assetShare(job, lane),
    }))
  },
})

/** By the sum of shares. */
export const assetFairness = (options: AssetFairnessOptions = {}): Plug<'order'> => assetFairnessOrder.plug({}, options)

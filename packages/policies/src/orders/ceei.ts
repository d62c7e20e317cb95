import { defineOrder, type LaneId, type Plug, type ShapeId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ceeiShares } from '../shares/ceei-shares.js'
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

function marketShares({ cluster, work, tree, lists, usage }: Shares, weightOf: ReadonlyMap<string, number>): ShareRule {
  const lanes = cluster.lanes.length
  /** `[pool * lanes + lane]`: dominant share that the pool would buy; 1 for a pool that is not in the market. */
  const target: number[] = []
  const known = cluster.lanes.map(() => '')
  const solve = (buyers: readonly number[], shapes: readonly ShapeId[], lane: LaneId) => {
    const resources = cluster.lanes[lane]?.resources ?? []
    const { shares } = ceeiShares({
      capacities: resources.map((r) => usage.capacity(r)),
      demands: shapes.map((shape) => resources.map((r) => work.demand(shape, r))),
      weights: buyers.map((pool) => weightOf.get(tree.pools[pool]?.path ?? '') ?? 1),
    })
    for (const [i, pool] of buyers.entries()) target[pool * lanes + lane] = shares[i] as number
  }
  return {
    addPool({ id }) {
      for (let lane = 0; lane < lanes; lane++) target[id * lanes + lane] = 1
      return 1
    },
    poolKey(pool, lane) {
      const share = usage.dominantShare(pool, lane)
      return Math.fround(share === 0 ? 0 : share / (target[pool * lanes + lane] as number))
    },
    jobKey: () => 0, // jobs do not share: the options offer no such order
    onBegin({ lane }) {
      const resources = cluster.lanes[lane]?.resources ?? []
      const shapeOf = (pool: number) => work.shape(lists.firstJob(pool, lane), lane)
      const { ids, from, to } = lists.listed(0, lane)
      const buyers = [...ids.subarray(from, to)].sort((a, b) => a - b).filter((pool) => resources.some((r) => work.demand(shapeOf(pool), r) > 0))
      const shapes = buyers.map(shapeOf)
      const market = `${buyers.join()} ${shapes.join()} ${resources.map((r) => usage.capacity(r)).join()}`
      if (market === known[lane]) return false
      known[lane] = market
      solve(buyers, shapes, lane)
      return true
    },
  }
}

import { amountsByName, definePlacement, type ClusterView, type LaneId, type NodeId, type Placement, type Plug, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode, type NodeScore } from './scored/by-node.js'

const nodeUsageOptions = z.strictObject({
  prefer: z.enum(['least', 'most']).default('least').describe('the node that is used least, or most'),
  resourceWeights: z.record(z.string(), z.number().nonnegative()).default({}).describe('what the used part of a resource counts; default 1 each'),
})
/** Options of `nodeUsage`; both may be left out. */
export type NodeUsageOptions = z.input<typeof nodeUsageOptions>

/**
 * The node that is used least, or most, before the task is there: by the weighted mean of the used parts of its resources, ties to the lowest node. A
 * resource that a node does not have does not count there.
 *
 * Source: YuniKorn, nodesorting.go (`fair`, `binpacking`).
 */
export const nodeUsagePlacement = definePlacement({
  name: 'node-usage',
  summary: 'the node that is used least or most, by weighted parts of its resources',
  source: 'YuniKorn, node sorting',
  options: nodeUsageOptions,
  create: ({ prefer, resourceWeights }, { cluster }): Placement => {
    const free = freePartBy(amountsByName(resourceWeights, cluster.resources, 'resourceWeights', 1))
    return new ByNode(prefer === 'least' ? free : (node, lane, view) => (view.hasRoom(lane, node) ? -free(node, lane, view) : -Infinity))
  },
})

/** The node that is used least, or most. */
export const nodeUsage = (options: NodeUsageOptions = {}): Plug<'placement'> => nodeUsagePlacement.plug({}, options)

const freePartBy =
  (weights: Float64Array): NodeScore =>
  (node: NodeId, lane: LaneId, cluster: ClusterView) => {
    const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    let sum = 0
    let all = 0
    for (const r of resources) {
      const total = cluster.total(node, r)
      if (total === 0) continue
      sum += (cluster.free(node, r) / total) * (weights[r] as number)
      all += weights[r] as number
    }
    return all === 0 ? 0 : sum / all
  }

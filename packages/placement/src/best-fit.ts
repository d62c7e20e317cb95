import { definePlacement, type Placement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode } from './scored/by-node.js'
import { freeAmount } from './scored/scores.js'

/** The fitting node with the least free, ties to the lowest node: that leaves large free amounts for large tasks. */
export const bestFitPlacement = definePlacement({
  name: 'best-fit',
  summary: 'the node with the least free on which the task fits',
  options: z.strictObject({}),
  create: (): Placement => new ByNode((node, lane, cluster) => (cluster.hasRoom(lane, node) ? -freeAmount(node, lane, cluster) : -Infinity)),
})

/** The fitting node with the least free. */
export const bestFit = (): Plug<'placement'> => bestFitPlacement.plug({})

import { definePlacement, type Placement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode } from './scored/by-node.js'
import { freePart } from './scored/scores.js'

/** The node with the largest part of itself free, the lowest of equals: evens the load out. */
export const worstFitPlacement = definePlacement({
  name: 'worst-fit',
  summary: 'the node with the largest part free',
  options: z.strictObject({}),
  create: (): Placement => new ByNode(freePart),
})

/** The node with the largest part of itself free. */
export const worstFit = (): Plug<'placement'> => worstFitPlacement.plug({})

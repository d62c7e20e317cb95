import { definePlacement, type Placement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByNode } from './scored/by-node.js'
import { freePart } from './scored/scores.js'

/** The fitting node with the largest free fraction, ties to the lowest node: it evens out the load. */
export const worstFitPlacement = definePlacement({
  name: 'worst-fit',
  summary: 'the node with the largest part free',
  options: z.strictObject({}),
  create: (): Placement => new ByNode(freePart),
})

/** Worst fit: the node with the largest free fraction. */
export const worstFit = (): Plug<'placement'> => worstFitPlacement.plug({})

import { definePlacement, type Placement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByShape } from './scored/by-shape.js'
import { alignment } from './scored/scores.js'

/**
 * The node whose free amounts are best aligned with what the task asks for: the largest dot product of the two vectors, each as parts of
 * the mean node of the cluster.
 *
 * Source: Panigrahy et al., "Heuristics for Vector Bin Packing", 2011; Grandl et al., SIGCOMM 2014 (Tetris' alignment score).
 */
export const dotProductPlacement = definePlacement({
  name: 'dot-product',
  summary: 'the node whose free amounts are most like the demand',
  source: 'Panigrahy et al., 2011; Grandl et al., SIGCOMM 2014',
  options: z.strictObject({}),
  create: (): Placement => new ByShape(alignment),
})

/** The node whose free amounts are most alike the demand. */
export const dotProduct = (): Plug<'placement'> => dotProductPlacement.plug({})

import { meanOf } from './allocated.js'
import type { ShapeScore } from './shape-indexes.js'

/** The score, 0 to 10, at a utilization of a resource in percent. */
export interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

/** Scores of points are 0 to 10, those of nodes percentages. */
const SCALE = 10

/**
 * Scores a node by a shape: for each resource the score at the part that would be in use with the task; then the weighted mean over the resources with
 * a score above 0, in whole percent.
 *
 * Source: kube-scheduler, NodeResourcesFit (requested_to_capacity_ratio.go).
 */
export function capacityRatio(shape: readonly ShapePoint[], weights: ArrayLike<number>): ShapeScore {
  const scoreOf = alongShape(shape)
  return meanOf(weights, (used, total) => scoreOf(Math.floor((used * 100) / total)) || undefined, Math.round)
}

/**
 * The function of a shape, in whole percent by whole percent of utilization: linear between points and constant beyond the first and the last. Integer
 * divisions drop the remainder, as in kube-scheduler.
 *
 * Source: kube-scheduler, shape_score.go (BuildBrokenLinearFunction).
 */
export const alongShape = (shape: readonly ShapePoint[]) => (utilization: number): number => {
  const i = shape.findIndex((point) => utilization <= point.utilization)
  const to = shape.at(i) as ShapePoint // index -1 gives the last point
  if (i <= 0) return to.score * SCALE
  const from = shape[i - 1] as ShapePoint
  return from.score * SCALE + Math.trunc(((to.score - from.score) * SCALE * (utilization - from.utilization)) / (to.utilization - from.utilization))
}

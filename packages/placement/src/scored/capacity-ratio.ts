import { meanOf } from './allocated.js'
import type { ShapeScore } from './shape-indexes.js'

/** A score, 0 to 10, where so many percent of a resource are in use. */
export interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

/** Scores of points are 0 to 10, those of nodes percentages. */
const SCALE = 10

/**
 * What a shape says of the part of each resource that would be in use on a node with the task, mean by weight over those of which it
 * says more than 0: whole percent.
 *
 * Source: kube-scheduler, NodeResourcesFit (requested_to_capacity_ratio.go).
 */
export function capacityRatio(shape: readonly ShapePoint[], weights: ArrayLike<number>): ShapeScore {
  const scoreOf = alongShape(shape)
  return meanOf(weights, (used, total) => scoreOf(Math.floor((used * 100) / total)) || undefined, Math.round)
}

/**
 * Whole percent by whole percent of utilization, linear between points and level beyond the first and the last; divisions drop the rest, as there.
 *
 * Source: kube-scheduler, shape_score.go (BuildBrokenLinearFunction).
 */
export const alongShape = (shape: readonly ShapePoint[]) => (utilization: number): number => {
  const i = shape.findIndex((point) => utilization <= point.utilization)
  const to = shape.at(i) as ShapePoint // of the last one where it is beyond all
  if (i <= 0) return to.score * SCALE
  const from = shape[i - 1] as ShapePoint
  return from.score * SCALE + Math.trunc(((to.score - from.score) * SCALE * (utilization - from.utilization)) / (to.utilization - from.utilization))
}

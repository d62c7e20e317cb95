import { checkShape, shapeOf, tasksAt, type ClusterShape, type Plan } from './plan.js'

/** `flat`: every node of every rack, row by row; `rows`: the sum of each rack. */
export type FeatureKind = 'flat' | 'rows'

/** Which features of a plan are taken. */
export interface FeatureOptions {
  /** Default flat. */
  readonly features?: FeatureKind
  /** Tasks that count as 1; default 100. */
  readonly max?: number
}

/** The number of tasks by which entries are divided. */
export const defaultMax = 100

export const featureCount = ({ racks, nodes }: ClusterShape, kind: FeatureKind): number => (kind === 'flat' ? racks * nodes : racks)

/**
 * Features of a plan: tasks by node over `max`, at most 1; absent nodes 0. Throws `BAD_INPUT` for what is no plan.
 *
 * Source: Cao and Wang; that entries above `max` count as 1 is our choice.
 */
export function extractFeatures(plan: Plan, { features = 'flat', max = defaultMax }: FeatureOptions = {}): number[] {
  const shape = shapeOf(plan)
  const found = new Float64Array(featureCount(shape, features))
  extractInto(found, 0, plan, shape, features, max)
  return [...found]
}

/** Writes the features of a plan of this shape to `out` from `at` on. */
export function extractInto(out: Float64Array, at: number, plan: Plan, shape: ClusterShape, kind: FeatureKind, max: number, field = 'plan'): void {
  checkShape(plan, shape, field)
  const { racks, nodes } = shape
  for (let rack = 0; rack < racks; rack++) {
    let sum = 0
    for (let node = 0; node < nodes; node++) {
      const part = Math.min(1, tasksAt(plan, rack, node, field) / max)
      if (kind === 'flat') out[at + rack * nodes + node] = part
      else sum += part
    }
    if (kind === 'rows') out[at + rack] = sum
  }
}

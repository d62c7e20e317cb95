import { checkShape, shapeOf, tasksAt, type ClusterShape, type Plan } from './plan.js'

/** `flat`: one feature for every node, rack by rack; `rows`: one for every rack, the sum of its nodes. */
export type FeatureKind = 'flat' | 'rows'

/** Which features of a plan are taken. */
export interface FeatureOptions {
  /** Features of nodes or of racks; default flat. */
  readonly features?: FeatureKind
  /** Number of tasks on a node that counts as 1; default 100. */
  readonly max?: number
}

/** The default of the number of tasks that counts as 1. */
export const defaultMax = 100

/** The number of features of a plan of this shape. */
export const featureCount = ({ racks, nodes }: ClusterShape, kind: FeatureKind): number => (kind === 'flat' ? racks * nodes : racks)

/**
 * The features of a plan: the tasks of a node divided by `max`, at most 1, and 0 for an absent node. Throws `BAD_INPUT` for racks of different lengths and for
 * entries that are no numbers of tasks.
 *
 * Source: Cao and Wang; that more than `max` tasks count as 1 is our choice.
 */
export function extractFeatures(plan: Plan, { features = 'flat', max = defaultMax }: FeatureOptions = {}): number[] {
  const shape = shapeOf(plan)
  const found = new Float64Array(featureCount(shape, features))
  extractInto(found, 0, plan, shape, features, max)
  return [...found]
}

/** Writes the features of a plan to `out` from `at` on. `field`: the name of the plan in messages. Throws `BAD_INPUT` for a plan of another shape. */
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

import type { NodeId, ScaledGroup, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** How many nodes of a group are there: as many as the autoscaler asks for, at most the `count` of the group. */
export interface AutoscaleRule {
  /** Fewest nodes. Default 0. */
  readonly min?: number | undefined
  /** Nodes at the start. Default: the fewest. */
  readonly initial?: number | undefined
  /** Seconds from when a node is asked for to when it takes tasks. */
  readonly provision: Seconds
  /** What an hour of one node costs, in any currency. Default: not counted. */
  readonly price?: number | undefined
  /** The expander `priority` chooses the group with the largest. Default 0. */
  readonly priority?: number | undefined
}

export const autoscaleSchema = z.strictObject({
  min: z.int().min(0).default(0).describe('fewest nodes'),
  initial: z.int().min(0).optional().describe('nodes at the start; default: the fewest'),
  provision: z.number().min(0).max(7 * 86_400).describe('seconds from when a node is asked for to when it takes tasks'),
  price: z.number().min(0).max(1e9).optional().describe('what an hour of one node costs, in any currency; default: not counted'),
  priority: z.number().min(-1e9).max(1e9).default(0).describe('the expander `priority` chooses the group with the largest'),
})

/** The groups whose size follows demand; `undefined` if no group has a rule. */
export function scaledOf(groups: readonly { readonly count: number; readonly name?: string; readonly autoscale?: AutoscaleRule }[]): readonly ScaledGroup[] | undefined {
  let first = 0
  const scaled: ScaledGroup[] = []
  for (const { count, name, autoscale } of groups) {
    if (autoscale !== undefined) {
      const { min = 0, initial = min, provision, price, priority = 0 } = autoscale
      scaled.push({ name, first: first as NodeId, count, min, initial, provision, price, priority })
    }
    first += count
  }
  return scaled.length === 0 ? undefined : scaled
}

/** What is wrong with the rule of a group of so many nodes, as the key and the fact; `undefined`: nothing. */
export function wrongSize({ min = 0, initial = min }: AutoscaleRule, count: number): readonly [key: string, fact: string] | undefined {
  if (min > count) return ['min', `at least ${min} of ${count} nodes.`]
  if (initial < min || initial > count) return ['initial', `${initial} nodes at the start, of ${min} to ${count}.`]
  return undefined
}

import type { CellState, Work } from '@sched/cluster'
import type { NodeId, ResourceId, ScaledGroup } from '@sched/core'
import type { Expander } from './options.js'
import { Packing } from './packing.js'
import type { WaitingTasks } from './waiting-tasks.js'

/** New nodes of one group, and what would start there. */
export interface Expansion {
  /** Index of the group. */
  readonly group: number
  readonly nodes: number
  /** Tasks that would start on them. */
  readonly tasks: number
  /** Fraction of the new nodes' amounts that would stay unused, summed over resources. */
  readonly waste: number
  /** `priority` of the group. */
  readonly priority: number
}

/**
 * How many new nodes of a group the waiting tasks need, at most `most`: first fit, stage by stage, those first of which a task takes the largest part
 * of a node, summed over resources. `undefined`: no task can run there.
 *
 * Source: Cluster Autoscaler, BinpackingNodeEstimator with DecreasingPodOrderer. Deviation: all resources that the nodes have
 * count, not only processors and memory.
 */
export function expansionOf(cell: CellState, work: Work, { first, priority }: ScaledGroup, group: number, waiting: readonly WaitingTasks[], most: number): Expansion | undefined {
  const size = (r: number) => cell.total(first, r as ResourceId)
  const partOf = ({ shape }: WaitingTasks) => {
    const { resources, amounts } = cell.shapes.of(shape)
    return resources.reduce((sum, r, i) => sum + (amounts[i] as number) / size(r), 0)
  }
  const helped = waiting.filter(({ shape }) => cell.shapes.roomOn(shape, first) > 0)
  const packing = new Packing(cell, work)
  const held = cell.resources.map(() => 0)
  let tasks = 0
  for (const each of helped.map((one) => ({ one, part: partOf(one) })).sort((a, b) => b.part - a.part)) {
    const placed = putOnNew(packing, each.one, first, most)
    const { resources, amounts } = cell.shapes.of(each.one.shape)
    for (const [i, r] of resources.entries()) held[r] = (held[r] as number) + placed * (amounts[i] as number)
    tasks += placed
  }
  const nodes = packing.nodes.length
  if (tasks === 0) return undefined
  const waste = held.reduce((sum, amount, r) => sum + (size(r) === 0 ? 0 : 1 - amount / (nodes * size(r))), 0)
  return { group, nodes, tasks, waste, priority }
}

/** Puts tasks onto the new nodes that there are, and onto more while there may be more; `template` is like all of them. Returns how many had room. */
function putOnNew(packing: Packing, tasks: WaitingTasks, template: NodeId, most: number): number {
  const { count } = tasks
  let placed = packing.put(tasks, count)
  while (placed < count && packing.nodes.length < most) {
    packing.add(template, true)
    placed += packing.putLast(tasks, count - placed)
  }
  return placed
}

const worth: Readonly<Record<Exclude<Expander, 'random'>, (expansion: Expansion) => number>> = {
  'least-waste': ({ waste }) => -waste,
  'most-pods': ({ tasks }) => tasks,
  'least-nodes': ({ nodes }) => -nodes,
  priority: ({ priority }) => priority,
}

/** The expansion that an expander chooses, or several, each of those that are equal to the one before; of equal ones at the end, one that `random` draws. */
export function chosen(expansions: readonly [Expansion, ...Expansion[]], expander: Expander | readonly Expander[], random: () => number): Expansion {
  let equal: readonly Expansion[] = expansions
  for (const each of typeof expander === 'string' ? [expander] : expander) {
    if (each === 'random') break
    const best = Math.max(...equal.map(worth[each]))
    equal = equal.filter((one) => worth[each](one) === best)
  }
  return equal[equal.length === 1 ? 0 : Math.floor(random() * equal.length)] ?? expansions[0]
}

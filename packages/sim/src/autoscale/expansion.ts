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
  /** What the nodes cost, in parts of what the tasks are worth; many times as much for nodes with devices. `Infinity` where that is not counted. */
  readonly cost: number
}

/** By how much nodes with devices are dearer for the expander `price`, which so keeps them for tasks that need them. */
const DEVICES_COST = 1000

/**
 * What a unit of each resource is worth for the expander `price`: as part of a node of the group where that is least, of which every resource is worth the
 * same, among groups that cost anything. Absent resources are worth nothing.
 */
export function unitPrices(cell: CellState, groups: readonly ScaledGroup[]): number[] {
  const sizes = groups.filter(({ price = 0 }) => price > 0).map(({ first, price = 0 }) => ({ price, totals: cell.resources.map((_, r) => cell.total(first, r as ResourceId)) }))
  return cell.resources.map((_, r) => {
    const of = sizes.filter(({ totals }) => (totals[r] as number) > 0).map(({ price, totals }) => price / (totals.filter((total) => total > 0).length * (totals[r] as number)))
    return of.length === 0 ? 0 : Math.min(...of)
  })
}

/**
 * How many new nodes of a group the waiting tasks need, at most `most`: first fit, stage by stage, those first of which a task takes the largest part
 * of a node, summed over resources. `undefined`: no task can run there.
 *
 * Source: Cluster Autoscaler, BinpackingNodeEstimator with DecreasingPodOrderer. Deviation: all resources that the nodes have
 * count, not only processors and memory. `cost`: expander/price/price.go, without its preferred size of nodes, which asks for more processors the
 * larger a cluster is.
 */
export function expansionOf(cell: CellState, work: Work, { first, priority, price }: ScaledGroup, group: number, waiting: readonly WaitingTasks[], most: number, unit: readonly number[]): Expansion | undefined {
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
  const value = held.reduce((sum, amount, r) => sum + amount * (unit[r] as number), 0)
  const hasDevices = cell.resources.some((_, r) => cell.shapes.isDevice(r) && size(r) > 0)
  const cost = price === 0 ? 0 : price === undefined || value === 0 ? Infinity : ((nodes * price) / value) * (hasDevices ? DEVICES_COST : 1)
  return { group, nodes, tasks, waste, priority, cost }
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
  price: ({ cost }) => -cost,
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

import type { ResourceId } from '@sched/core'
import type { ShapeScore } from './shape-indexes.js'

/** Score of one resource in whole percent, from what would be in use with the task and the total; `undefined`: the resource does not count. */
type Percent = (used: number, total: number) => number | undefined

/** How much would be left free on a node with the task: weighted mean over the resources that it has, in whole percent. */
export const leastAllocated = (weights: ArrayLike<number>): ShapeScore => meanOf(weights, (used, total) => Math.floor(((total - used) * 100) / total))

/** How full a node would be with the task: weighted mean over the resources that it has, in whole percent. */
export const mostAllocated = (weights: ArrayLike<number>): ShapeScore => meanOf(weights, (used, total) => Math.floor((used * 100) / total))

/**
 * Weighted mean of whole percentages, made whole by `toWhole`. A resource in devices of which the task asks for none does not count.
 *
 * Source: kube-scheduler, NodeResourcesFit (resource_allocation.go, least_allocated.go, most_allocated.go). Deviation: what a task does not ask for
 * counts as 0, not as 100 millicores and 200 MB.
 */
export function meanOf(weights: ArrayLike<number>, percent: Percent, toWhole = Math.floor): ShapeScore {
  return (node, shape, lane, cluster, work) => {
    const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    let sum = 0
    let weight = 0
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as ResourceId
      const total = cluster.total(node, resource)
      const asked = work.demand(shape, resource)
      if (total === 0 || (asked === 0 && cluster.deviceSize(resource) > 0)) continue
      const score = percent(total - cluster.free(node, resource) + asked, total)
      if (score === undefined) continue
      sum += score * (weights[resource] as number)
      weight += weights[resource] as number
    }
    return weight === 0 ? 0 : toWhole(sum / weight)
  }
}

/**
 * How balanced the use of a node's resources would be with the task: 1 minus the standard deviation of the used parts,
 * in whole percent. Resources of weight 0 do not count.
 *
 * Source: kube-scheduler, NodeResourcesBalancedAllocation (balanced_allocation.go), before Kubernetes 1.36.
 */
export const balancedAllocation = (weights: ArrayLike<number>): ShapeScore => {
  const balance = balanceBy(weights)
  return (...of) => balance(1, ...of)
}

/**
 * How much the task improves the balance of a node's used resources, or makes it worse, in whole percent; 75 if it does neither.
 *
 * Source: kube-scheduler, NodeResourcesBalancedAllocation, since Kubernetes 1.36 (kubernetes#135573).
 */
export const balanceImprovement = (weights: ArrayLike<number>): ShapeScore => {
  const balance = balanceBy(weights)
  return (...of) => 50 + Math.floor((50 + balance(1, ...of) - balance(0, ...of)) / 2)
}

/** The balance of a node with the task, or without it; 0 for a task that asks for nothing of what counts, which then says nothing of nodes (kubernetes#129138). */
const balanceBy =
  (weights: ArrayLike<number>) =>
  (tasks: 0 | 1, ...[node, shape, lane, cluster, work]: Parameters<ShapeScore>): number => {
    const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    const parts: number[] = []
    let asksAny = false
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as ResourceId
      const total = cluster.total(node, resource)
      const asked = work.demand(shape, resource)
      if (weights[resource] === 0 || total === 0 || (asked === 0 && cluster.deviceSize(resource) > 0)) continue
      asksAny ||= asked > 0
      parts.push((total - cluster.free(node, resource) + tasks * asked) / total)
    }
    return asksAny ? Math.floor((1 - deviationOf(parts)) * 100) : 0
  }

function deviationOf(parts: readonly number[]): number {
  if (parts.length < 2) return 0
  const [first, second] = parts as readonly [number, number]
  if (parts.length === 2) return Math.abs((first - second) / 2) // as in kube-scheduler; another formula may round differently
  const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length
  return Math.sqrt(parts.reduce((sum, part) => sum + (part - mean) * (part - mean), 0) / parts.length)
}

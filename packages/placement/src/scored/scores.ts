import { None, type ResourceId } from '@sched/core'
import type { NodeScore } from './by-node.js'
import type { ShapeScore } from './shape-indexes.js'
import type { Score } from './best-by.js'

/** The free fraction of a node, as the mean over the lane's resources that it has, in [0, 1]. The node with the largest is worst fit. */
export const freePart: NodeScore = (node, lane, cluster) => {
  const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
  let sum = 0
  let count = 0
  for (let i = 0; i < resources.length; i++) {
    const total = cluster.total(node, resources[i] as ResourceId)
    if (total === 0) continue
    sum += cluster.free(node, resources[i] as ResourceId) / total
    count++
  }
  return count === 0 ? 0 : sum / count
}

/**
 * The free amount of a node relative to the capacity of an average node, as the mean over the lane's resources; at least 0. The node with the least that still
 * holds the task is best fit.
 */
export const freeAmount: NodeScore = (node, lane, cluster) => {
  const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
  let sum = 0
  for (let i = 0; i < resources.length; i++) {
    const capacity = cluster.capacity(resources[i] as ResourceId)
    if (capacity > 0) sum += (cluster.free(node, resources[i] as ResourceId) / capacity) * cluster.nodes
  }
  return sum / resources.length
}

/**
 * The dot product of the task's demand and the node's free amounts, both relative to the capacity of an average node. It is large for nodes whose free amounts
 * are in proportions similar to the demand.
 *
 * Source: Panigrahy et al., "Heuristics for Vector Bin Packing", 2011 (dot product); Grandl et al., SIGCOMM 2014 (Tetris).
 */
export const alignment: ShapeScore = (node, shape, lane, cluster, work) => {
  const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
  let sum = 0
  for (let i = 0; i < resources.length; i++) {
    const resource = resources[i] as ResourceId
    const mean = cluster.capacity(resource) / cluster.nodes
    if (mean > 0) sum += (work.demand(shape, resource) / mean) * (cluster.free(node, resource) / mean)
  }
  return sum
}

/**
 * How full a node would be with the task, in [0, 1]: the weighted mean of the used fraction over the resources that the task asks for. The fullest node first
 * is bin packing.
 *
 * Source: Volcano, binpack.go.
 */
export const fullness = (weights: ArrayLike<number>): ShapeScore => meanOfAsked(weights, () => false)

/** The weighted mean over the resources that the task asks for of a part of each: of what would be left of the node's total, or in use. */
const meanOfAsked =
  (weights: ArrayLike<number>, isLeft: (resource: ResourceId) => boolean): ShapeScore =>
  (node, shape, lane, cluster, work) => {
    const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    let sum = 0
    let weight = 0
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as ResourceId
      const asked = work.demand(shape, resource)
      if (asked === 0) continue
      const total = cluster.total(node, resource)
      const free = cluster.free(node, resource)
      weight += weights[resource] as number
      if (total > 0) sum += ((weights[resource] as number) * (isLeft(resource) ? free - asked : total - free + asked)) / total
    }
    return weight === 0 ? 0 : sum / weight
  }

/** The same in percent, as Volcano adds it to other scores. */
export const percentFull = (weights: ArrayLike<number>): ShapeScore => {
  const part = fullness(weights)
  return (...of) => 100 * part(...of)
}

/**
 * The weighted mean over the resources that the task asks for, in percent: of some, those that are not 0 in `most`, what would be in use with the task,
 * of the others what would be left.
 *
 * Source: Volcano, resource_strategy_fit.go (Score).
 */
export const strategyFit = (weights: ArrayLike<number>, most: ArrayLike<number>): ShapeScore => {
  const part = meanOfAsked(weights, (resource) => most[resource] === 0)
  return (...of) => 100 * part(...of)
}

/**
 * How few of the scarce resources a node has, in percent: 100 less the part, by weight, of those that it has at all. Which of them the task asks for does not
 * matter; nodes without these are not in question.
 *
 * Source: Volcano, resource-strategy-fit, sra.go (sraScore: scarce resource avoidance).
 */
export const scarcity = (weights: ArrayLike<number>): ShapeScore => (node, _shape, lane, cluster) => {
  const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
  let had = 0
  let all = 0
  for (let i = 0; i < resources.length; i++) {
    const weight = weights[resources[i] as ResourceId] as number
    all += weight
    if (cluster.total(node, resources[i] as ResourceId) > 0) had += weight
  }
  return all === 0 ? 0 : (1 - had / all) * 100
}

/**
 * How near the node is to the data of the job's nearest unplaced task, in [0, 1]: 1 if the data is on the node or the job has none, less by 1 / levels for each
 * level further up (rack, ...), 0 if it is below no common group.
 */
export const nearness: Score = (node, job, { work, lane, cluster }) => {
  if (!work.hasData(job, lane)) return 1
  for (let level = 0; level < cluster.levels; level++)
    if (work.taskFor(job, lane, node, level) !== None) return 1 - level / cluster.levels
  return 0
}

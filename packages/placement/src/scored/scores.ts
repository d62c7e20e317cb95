import { None, type ResourceId } from '@sched/core'
import type { NodeScore } from './by-node.js'
import type { ShapeScore } from './shape-indexes.js'
import type { Score } from './best-by.js'

/** Free part of a node, mean over the lane's resources that it has: in [0, 1]. Largest first is worst fit. */
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
 * What is free on a node as a part of what an average node has, mean over the lane's resources; at least 0. The least
 * that still holds the task is best fit: on equal nodes it is the smallest rest.
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
 * Product of what the task asks and what the node has free, both as parts of the cluster's mean node: tasks go where the
 * shape of the demand is that of the rest.
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
 * How full a node would be with the task, mean over the resources that the task asks and the node has, by weight: in
 * [0, 1]. The fullest first is bin packing.
 *
 * Source: Volcano, binpack.go.
 */
export const fullness =
  (weights: ArrayLike<number>): ShapeScore =>
  (node, shape, lane, cluster, work) => {
    const { resources } = cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    let sum = 0
    let weight = 0
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as ResourceId
      const asked = work.demand(shape, resource)
      if (asked === 0) continue
      const total = cluster.total(node, resource)
      weight += weights[resource] as number
      if (total > 0) sum += ((weights[resource] as number) * (total - cluster.free(node, resource) + asked)) / total
    }
    return weight === 0 ? 0 : sum / weight
  }

/** The same in percent, as Volcano adds it to others. */
export const percentFull = (weights: ArrayLike<number>): ShapeScore => {
  const part = fullness(weights)
  return (...of) => 100 * part(...of)
}

/** Distance of the job's nearest unplaced task from the node as a score in [0, 1]: 1 on it, 0 anywhere. */
export const nearness: Score = (node, job, { work, lane, cluster }) => {
  if (!work.hasData(job, lane)) return 1
  for (let level = 0; level < cluster.levels; level++)
    if (work.taskFor(job, lane, node, level) !== None) return 1 - level / cluster.levels
  return 0
}

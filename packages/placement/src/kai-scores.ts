import { definePlacement, type ClusterView, type NodeId, type Placement, type Plug, type ResourceId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByShape } from './scored/by-shape.js'

const strategy = z.enum(['binpack', 'spread']).default('binpack')
const kaiScoresOptions = z.strictObject({
  gpu: strategy.describe('where tasks that ask for GPUs go: where fewest are free (binpack), or where the largest part of those of the node is (spread)'),
  cpu: strategy.describe('the same of CPUs, for tasks that ask for no GPU'),
})
/** Options of `kaiScores`; both may be left out. */
export type KaiScoresOptions = z.input<typeof kaiScoresOptions>

type Strategy = z.output<typeof strategy>
/** How well a node suits by what is free of one resource: at most 1, at least -1. */
type FreeScore = (node: NodeId, resource: ResourceId, cluster: ClusterView) => number

/** Each of these outweighs all score differences that come after it. */
const NO_GPUS = 2
const SHARED_GPU = 2
const scores: Readonly<Record<Strategy, FreeScore>> = {
  /** Less free is better, as a part of the cluster's total; a node without the resource has -1. */
  binpack: (node, resource, cluster) => (cluster.total(node, resource) === 0 ? -1 : -wholeFree(node, resource, cluster) / cluster.capacity(resource)),
  spread: (node, resource, cluster) => {
    const total = cluster.total(node, resource)
    return total === 0 ? 0 : wholeFree(node, resource, cluster) / total
  },
}

/**
 * Where the KAI Scheduler places a task. A task that asks for no GPU goes to a node without GPUs, if one has room. One that asks for a share of a
 * GPU goes, if GPUs are packed, to a node where a GPU that others share has room. Then free GPUs decide, or free CPUs for a task that asks for no
 * GPU, before the task is there: pack takes the smallest free amount, spread the largest free part of the node. A GPU that is a device counts as
 * free only if nobody has a share of it. Ties: the lowest node. The resources must be called `gpu` and `cpu`.
 *
 * Source: KAI Scheduler, plug-ins resourcetype, gpusharingorder and nodeplacement (pack.go, spread.go), as in its default configuration. Deviation:
 * the GPU of which a task gets a share is not chosen by `gpupack` or `gpuspread`; it is always the one with the least room.
 */
export const kaiScoresPlacement = definePlacement({
  name: 'kai-scores',
  summary: 'tasks without GPUs on nodes without, then where fewest GPUs, or CPUs, are free, or the largest part',
  source: 'NVIDIA KAI Scheduler: resourcetype, nodeplacement',
  options: kaiScoresOptions,
  create: (by, { cluster }): Placement => {
    const [gpus, cpus] = ['gpu', 'cpu'].map((name) => cluster.resources.indexOf(name) as ResourceId) as [ResourceId, ResourceId]
    const [gpuScore, cpuScore] = [scores[by.gpu], scores[by.cpu]]
    return new ByShape((node, shape, _lane, view, work) => {
      const asked = gpus < 0 ? 0 : work.demand(shape, gpus)
      if (asked > 0) return gpuScore(node, gpus, view) + (by.gpu === 'binpack' && hasShared(node, gpus, asked, view) ? SHARED_GPU : 0)
      const free = cpus >= 0 ? cpuScore(node, cpus, view) : 0
      return gpus < 0 || view.total(node, gpus) === 0 ? NO_GPUS + free : free
    })
  },
})

/** Where the KAI Scheduler places a task. */
export const kaiScores = (options: KaiScoresOptions = {}): Plug<'placement'> => kaiScoresPlacement.plug({}, options)

/** The free amount of a resource; of one that comes in devices only that of devices of which nobody has a share. */
function wholeFree(node: NodeId, resource: ResourceId, cluster: ClusterView): number {
  const size = cluster.deviceSize(resource)
  if (size === 0) return cluster.free(node, resource)
  let whole = 0
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) if (cluster.deviceFree(node, resource, i) === size) whole += size
  return whole
}

/** Whether the amount is a share of a device and fits on a device that others share. */
function hasShared(node: NodeId, resource: ResourceId, amount: number, cluster: ClusterView): boolean {
  const size = cluster.deviceSize(resource)
  if (amount >= size) return false
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) {
    const free = cluster.deviceFree(node, resource, i)
    if (free >= amount && free < size) return true
  }
  return false
}

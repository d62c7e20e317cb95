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

/** More than any other difference, both of them. */
const NO_GPUS = 2
const SHARED_GPU = 2
const scores: Readonly<Record<Strategy, FreeScore>> = {
  /** Amounts that are free, as parts of all there is; of a node that has none nothing is said. */
  binpack: (node, resource, cluster) => (cluster.total(node, resource) === 0 ? -1 : -wholeFree(node, resource, cluster) / cluster.capacity(resource)),
  spread: (node, resource, cluster) => {
    const total = cluster.total(node, resource)
    return total === 0 ? 0 : wholeFree(node, resource, cluster) / total
  },
}

/**
 * Where the KAI Scheduler places a task: one that asks for no GPU on a node without, where one has room; one that asks for a share of a GPU, if GPUs are packed, on a node where
 * a GPU that others share has room; then by what is free of GPUs, or of CPUs for those that ask
 * for no GPU, before the task is there: as few as possible, as an amount, or as large a part of the node as possible. Of GPUs that are devices those are free of which nobody has a share. The lowest of equals. Resources are called `gpu` and `cpu`.
 *
 * Source: KAI Scheduler, plug-ins resourcetype, gpusharingorder and nodeplacement (pack.go, spread.go), as its default configuration has them. Deviation: which GPU of a node a share is of is not chosen here (`gpupack`, `gpuspread`), but always
 * the one with the least room.
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

/** What is free of a resource; of one that comes in devices only what is of devices of which nobody has anything. */
function wholeFree(node: NodeId, resource: ResourceId, cluster: ClusterView): number {
  const size = cluster.deviceSize(resource)
  if (size === 0) return cluster.free(node, resource)
  let whole = 0
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) if (cluster.deviceFree(node, resource, i) === size) whole += size
  return whole
}

/** Whether the amount is a share of a device and fits on one of which others have one. */
function hasShared(node: NodeId, resource: ResourceId, amount: number, cluster: ClusterView): boolean {
  const size = cluster.deviceSize(resource)
  if (amount >= size) return false
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) {
    const free = cluster.deviceFree(node, resource, i)
    if (free >= amount && free < size) return true
  }
  return false
}

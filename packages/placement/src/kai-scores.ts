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

/** More than any other difference. */
const NO_GPUS = 2
const scores: Readonly<Record<Strategy, FreeScore>> = {
  /** Amounts that are free, as parts of all there is; of a node that has none nothing is said. */
  binpack: (node, resource, cluster) => (cluster.total(node, resource) === 0 ? -1 : -cluster.free(node, resource) / cluster.capacity(resource)),
  spread: (node, resource, cluster) => {
    const total = cluster.total(node, resource)
    return total === 0 ? 0 : cluster.free(node, resource) / total
  },
}

/**
 * Where the KAI Scheduler places a task: one that asks for no GPU on a node without, where one has room; then by what is free of GPUs, or of CPUs for those that ask
 * for no GPU, before the task is there: as few as possible, as an amount, or as large a part of the node as possible. The lowest of equals. Resources are called `gpu` and `cpu`.
 *
 * Source: KAI Scheduler, plug-ins resourcetype and nodeplacement (pack.go, spread.go), as its default configuration has them. Deviation: GPUs that tasks share are amounts.
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
      if (gpus >= 0 && work.demand(shape, gpus) > 0) return gpuScore(node, gpus, view)
      const free = cpus >= 0 ? cpuScore(node, cpus, view) : 0
      return gpus < 0 || view.total(node, gpus) === 0 ? NO_GPUS + free : free
    })
  },
})

/** Where the KAI Scheduler places a task. */
export const kaiScores = (options: KaiScoresOptions = {}): Plug<'placement'> => kaiScoresPlacement.plug({}, options)

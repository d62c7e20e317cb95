import type { ClusterView, Env, JobId, LaneId, ResourceId } from '@sched/core'
import { mostOfAny, totalOfAll } from '../shares/all-nodes.js'
import { processorsIn } from './billing.js'

/** What of a size counts. */
interface SizeOptions {
  /** 1 less the size counts. */
  readonly favorSmall: boolean
  /** The size over the time limit counts. */
  readonly relativeToTime: boolean
}

/**
 * The size factor of a job: the mean of its fractions of all processors and of all nodes, up or not; or with `relativeToTime` the larger of them over
 * its time limit in whole minutes. On a machine of one node only processors count. On a cluster without processors the largest fraction of any resource counts
 * in their place.
 *
 * Source: Slurm, `set_priority_factors` of priority/multifactor; computed in the same order, so that rounding is the same.
 */
export function sizeOf(job: JobId, lane: LaneId, { favorSmall, relativeToTime }: SizeOptions, env: Env): number {
  const { asked, all } = largestOf(job, lane, env)
  const { nodes } = env.cluster
  const [own, of] = nodes === 1 ? [asked, all] : [nodesOf(job, lane, env), nodes]
  if (!relativeToTime) return favorSmall ? ((of - own) / of + (all - asked) / all) / 2 : (own / of + asked / all) / 2
  const size = Math.max((own * all) / of, asked) / Math.max(1, Math.ceil(env.work.estimate(job) / 60)) / all
  return favorSmall ? 1 - size : size
}

/** The number of nodes that a job asks for: one for each task if no two fit on one node, else as many as it asks for at least, as for `--ntasks`. */
export function nodesOf(job: JobId, lane: LaneId, { cluster, work }: Env): number {
  const shape = work.shape(job, lane)
  const isAlone = work.isDistinct(shape) || (cluster.lanes[lane]?.resources ?? []).some((resource) => 2 * work.demand(shape, resource) > (totalsOf(cluster).largest[resource] as number))
  return isAlone ? work.together(job, lane) : work.minNodes(job)
}

/** What a job asks for of the resource of which it asks for the largest fraction, and what all nodes have of that; 0 of 1 without any. */
function largestOf(job: JobId, lane: LaneId, { cluster, work }: Env): { readonly asked: number; readonly all: number } {
  let largest = { asked: 0, all: 1 }
  for (const resource of sizedBy(cluster, lane)) {
    const own = { asked: work.asked(job, lane, resource), all: totalsOf(cluster).sum[resource] as number }
    if (own.asked > 0 && own.asked / own.all > largest.asked / largest.all) largest = own
  }
  return largest
}

/** The resources by which jobs of a lane are large or small. */
function sizedBy({ lanes, resources }: ClusterView, lane: LaneId): readonly ResourceId[] {
  const ofLane = lanes[lane]?.resources ?? []
  const processors = processorsIn(resources) as ResourceId
  return ofLane.includes(processors) ? [processors] : ofLane
}

/** By resource: the most that a node has, and all nodes together. */
interface Totals {
  readonly largest: readonly number[]
  readonly sum: readonly number[]
}
const totals = new WeakMap<ClusterView, Totals>()

function totalsOf(cluster: ClusterView): Totals {
  let all = totals.get(cluster)
  if (all === undefined) {
    const ids = [...cluster.resources.keys()] as ResourceId[]
    totals.set(cluster, (all = { largest: ids.map((r) => mostOfAny(cluster, r)), sum: ids.map((r) => totalOfAll(cluster, r)) }))
  }
  return all
}

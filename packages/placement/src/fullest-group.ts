import type { JobId, NodeId, ResourceId, Round } from '@sched/core'

/**
 * Of these groups of a level the one of which the largest part is allocated once it has so many more tasks of the job's front stage: the mean over the
 * resources of whole percents, as kube-scheduler scores the placements of a PodGroup. Of equals the first; `undefined` if there are none.
 *
 * Source: kube-scheduler, plugins/noderesources: PlacementBinPacking with the strategy MostAllocated.
 */
export function fullestGroup(groups: readonly number[], level: number, tasks: number, job: JobId, { cluster, work, lane }: Round): number | undefined {
  const resources = cluster.lanes[lane]?.resources ?? []
  const shape = work.shape(job, lane)
  const scores = new Map(groups.map((group) => [group, 0]))
  for (const r of resources) {
    const [all, free] = sums(level, r, { cluster })
    for (const [group, score] of scores) {
      const total = all.get(group) ?? 0
      const taken = total - (free.get(group) ?? 0) + tasks * work.demand(shape, r)
      if (total > 0) scores.set(group, score + Math.floor((100 * Math.min(taken, total)) / total))
    }
  }
  let best: number | undefined
  for (const group of groups) if (best === undefined || (scores.get(group) as number) > (scores.get(best) as number)) best = group
  return best
}

/** By group of the level, what its nodes that are up have of the resource, and what of that is free. */
function sums(level: number, r: ResourceId, { cluster }: Pick<Round, 'cluster'>): readonly [Map<number, number>, Map<number, number>] {
  const [all, free] = [new Map<number, number>(), new Map<number, number>()]
  for (let node = 0 as NodeId; node < cluster.nodes; node++) {
    if (!cluster.up(node)) continue
    const group = cluster.group(level, node)
    all.set(group, (all.get(group) ?? 0) + cluster.total(node, r))
    free.set(group, (free.get(group) ?? 0) + cluster.free(node, r))
  }
  return [all, free]
}

import type { NodeId, ResourceId, Round, ShapeId } from '@sched/core'
import type { Room } from './workers.js'

/**
 * The room in sight of a round, in workers of one shape. The part of the cell in use is that of the resource that is used most.
 * Costs a look at every node in sight.
 */
export function roomFor(shape: ShapeId, { cluster, work, nodes }: Round): Room {
  const resources: { readonly id: ResourceId; readonly asked: number; total: number; free: number }[] = []
  for (let r = 0 as ResourceId; r < cluster.resources.length; r++) {
    const asked = work.demand(shape, r)
    if (asked > 0) resources.push({ id: r, asked, total: 0, free: 0 })
  }
  let idle = 0
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as NodeId
    let here = Infinity
    for (let j = 0; j < resources.length; j++) {
      const each = resources[j] as (typeof resources)[number]
      const free = cluster.free(node, each.id)
      each.total += cluster.total(node, each.id)
      each.free += free
      here = Math.min(here, Math.floor(free / each.asked))
    }
    idle += here
  }
  const total = Math.min(...resources.map((each) => Math.floor(each.total / each.asked)))
  const use = Math.max(...resources.map((each) => 1 - each.free / each.total))
  return { total, used: use * total, idle }
}

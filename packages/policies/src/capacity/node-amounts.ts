import type { NodeId, Round, ShapeId } from '@sched/core'

/** Whether the node, empty, could hold a task of a shape. */
export function couldHold(shape: ShapeId, node: NodeId, { work, cluster, lane }: Round): boolean {
  for (const r of cluster.lanes[lane]?.resources ?? []) if (work.demand(shape, r) > cluster.total(node, r)) return false
  return true
}

/** Whether the node has the amounts of the shape free; if a task still does not fit, another constraint keeps it away. */
export function hasAmounts(shape: ShapeId, node: NodeId, { work, cluster, lane }: Round): boolean {
  for (const r of cluster.lanes[lane]?.resources ?? []) if (work.demand(shape, r) > cluster.free(node, r)) return false
  return true
}

import type { Env, NodeId, ResourceId, Round, ShapeId } from '@sched/core'

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

/** The most that any node has of a resource. */
export function largest(resource: ResourceId, { cluster }: Env): number {
  let most = 0
  for (let node = 0; node < cluster.nodes; node++) most = Math.max(most, cluster.total(node as NodeId, resource))
  return most
}

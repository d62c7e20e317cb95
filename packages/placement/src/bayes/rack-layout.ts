import type { ClusterView, NodeId } from '@sched/core'
import type { ClusterShape, Plan } from './plan.js'

/** The nodes of a cluster by rack. */
export interface RackLayout {
  /** Number of racks, and of nodes in the largest. */
  readonly shape: ClusterShape
  /** The nodes of each rack in the order of their ids. */
  readonly racks: readonly (readonly NodeId[])[]
  /** The rack of each node, by node. */
  readonly rackOf: Int32Array
}

/** The layout of a cluster; one without racks counts as a single rack. */
export function rackLayout(cluster: ClusterView): RackLayout {
  const hasRacks = cluster.levels > 1
  const racks: NodeId[][] = Array.from({ length: hasRacks ? cluster.groups(1) : 1 }, () => [])
  const rackOf = new Int32Array(cluster.nodes)
  for (let node = 0 as NodeId; node < cluster.nodes; node++) {
    const rack = hasRacks ? cluster.group(1, node) : 0
    rackOf[node] = rack
    racks[rack]?.push(node)
  }
  return { shape: { racks: racks.length, nodes: Math.max(...racks.map((nodes) => nodes.length)) }, racks, rackOf }
}

/** Numbers of tasks by node as a plan, with `null` for nodes that are not there and at the end of racks with fewer nodes than the largest. */
export function planOf({ racks, shape }: RackLayout, tasksOn: (node: NodeId) => number, isThere: (node: NodeId) => boolean = () => true): Plan {
  return racks.map((nodes) => Array.from({ length: shape.nodes }, (_, index) => {
    const node = nodes[index]
    return node === undefined || !isThere(node) ? null : tasksOn(node)
  }))
}

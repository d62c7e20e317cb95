import type { ClusterView, NodeId } from '@sched/core'
import type { ClusterShape, Plan } from './plan.js'

/** The nodes of a cluster by rack; a cluster without racks is one. */
export interface RackLayout {
  /** Racks, and nodes of the largest. */
  readonly shape: ClusterShape
  /** Nodes of each rack in id order. */
  readonly racks: readonly (readonly NodeId[])[]
  /** The rack of each node. */
  readonly rackOf: Int32Array
}

/** The nodes of each rack in id order; a cluster without racks is one rack. */
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

/** Tasks by node as a plan; `null` for nodes that are not there, and where a rack has fewer nodes than others. */
export function planOf({ racks, shape }: RackLayout, tasksOn: (node: NodeId) => number, isThere: (node: NodeId) => boolean = () => true): Plan {
  return racks.map((nodes) => Array.from({ length: shape.nodes }, (_, index) => {
    const node = nodes[index]
    return node === undefined || !isThere(node) ? null : tasksOn(node)
  }))
}

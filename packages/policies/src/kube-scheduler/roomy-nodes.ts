import type { ClusterView, LaneId, NodeId, ShapeId } from '@sched/core'

interface Known {
  /** The count of the change log when the nodes were last looked at. */
  changes: number
  readonly nodes: Set<NodeId>
}

/**
 * The nodes where a task of a shape and priority would have room if all tasks of lower priority went, for tasks that rules confine, so that room alone is
 * not enough. Only nodes that have changed are looked at again.
 */
export class RoomyNodes {
  /** By lane, priority and shape. */
  readonly #known = new Map<string, Known>()

  /** Such nodes, the lowest first; `hasRoom` decides for one node. */
  of(lane: LaneId, own: number, shape: ShapeId, cluster: ClusterView, hasRoom: (node: NodeId) => boolean): NodeId[] {
    const known = this.#knownOf(`${lane} ${own} ${shape}`)
    const changed = changedSince(known.changes, cluster)
    if (changed === undefined) known.nodes.clear()
    for (const node of changed ?? Array.from({ length: cluster.nodes }, (_, each) => each as NodeId))
      if (hasRoom(node)) known.nodes.add(node)
      else known.nodes.delete(node)
    known.changes = cluster.changeLog?.count ?? -1
    return [...known.nodes].sort((a, b) => a - b)
  }

  #knownOf(key: string): Known {
    const known = this.#known.get(key) ?? { changes: -1, nodes: new Set() }
    this.#known.set(key, known)
    return known
  }
}

/** The nodes that have changed since the log had so many changes, each once, the lowest first; `undefined`: unknown, so any may have. */
export function changedSince(changes: number, { changeLog: log, nodes }: ClusterView): NodeId[] | undefined {
  if (log === undefined || changes < 0 || log.count - changes > Math.min(log.kept, nodes)) return undefined
  const found = new Set<NodeId>()
  for (let change = changes; change < log.count; change++) found.add(log.node(change))
  return [...found].sort((a, b) => a - b)
}

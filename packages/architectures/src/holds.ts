import type { ClusterView, NodeId, StageSpec } from '@sched/core'

/** Whether that many tasks of a stage could start now on these nodes. */
export function holds(cluster: ClusterView, nodes: readonly NodeId[], stage: StageSpec, tasks: number): boolean {
  let room = 0
  for (let i = 0; i < nodes.length && room < tasks; i++) room += cluster.couldStart(stage, nodes[i] as NodeId)
  return room >= tasks
}

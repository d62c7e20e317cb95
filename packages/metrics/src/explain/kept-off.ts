import type { ClusterView, NodeId, StageSpec } from '@sched/core'

/** Nodes on which tasks may not run, whatever is free there. */
export interface KeptOff {
  /** What keeps them off: a taint, or labels that the nodes lack. */
  readonly why: string
  /** Number of these nodes. */
  readonly nodes: number
}

/**
 * The nodes on which no task of the stages may run, grouped by what keeps the first stage off. The largest group comes first; groups of equal size
 * are in the order of their first node.
 */
export function keptOff(stages: readonly StageSpec[], cluster: ClusterView): KeptOff[] {
  const counts = new Map<string, number>()
  for (let node = 0 as NodeId; node < cluster.nodes; node++) {
    const whys = stages.map(({ constraints }) => cluster.keepsOff(constraints, node))
    const [why] = whys
    if (why !== undefined && !whys.includes(undefined)) counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  return [...counts].map(([why, nodes]) => ({ why, nodes })).sort((a, b) => b.nodes - a.nodes)
}

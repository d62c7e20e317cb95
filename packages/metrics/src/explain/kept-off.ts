import type { ClusterView, NodeId, StageSpec } from '@sched/core'

/** Nodes that tasks may not be on, whatever is free there. */
export interface KeptOff {
  /** What keeps them off: a taint, or labels that the nodes lack. */
  readonly why: string
  /** How many nodes. */
  readonly nodes: number
}

/** The nodes on which no task of the stages may be, by what keeps the first stage off; most nodes first, equals in order of the nodes. */
export function keptOff(stages: readonly StageSpec[], cluster: ClusterView): KeptOff[] {
  const counts = new Map<string, number>()
  for (let node = 0 as NodeId; node < cluster.nodes; node++) {
    const whys = stages.map(({ constraints }) => cluster.keepsOff(constraints, node))
    const [why] = whys
    if (why !== undefined && !whys.includes(undefined)) counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  return [...counts].map(([why, nodes]) => ({ why, nodes })).sort((a, b) => b.nodes - a.nodes)
}

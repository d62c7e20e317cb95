import type { ClusterModel } from '@sched/cluster'
import { SchedError, suggest, type NodeId } from '@sched/core'
import type { FailureOptions } from '@sched/sim'
import type { ExperimentSpec } from './schema.js'

/** Failures with bad nodes by number. Throws `BAD_INPUT` for a node that the cluster does not have. */
export function failuresOf({ badNodes, ...own }: NonNullable<ExperimentSpec['failures']>, { nodeNames }: ClusterModel): FailureOptions {
  return badNodes === undefined ? own : { ...own, badNodes: { ...badNodes, nodes: badNodes.nodes?.map((name) => idOf(name, nodeNames)) } }
}

function idOf(name: string, nodeNames: readonly string[]): NodeId {
  const node = nodeNames.indexOf(name)
  if (node < 0) throw new SchedError('BAD_INPUT', `the cluster has no node "${name}".`, { field: 'failures.badNodes.nodes' }, suggest(name, nodeNames))
  return node as NodeId
}

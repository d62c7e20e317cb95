import type { Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { hostNames } from './hosts.js'
import { ofOneNode } from './one-node.js'
import { preemptionActs } from './preemption.js'
import { isLinear } from './whole-nodes.js'

/** The weight of a node that gives none. */
const USUAL = 1

/** Weights of nodes, and what becomes of these settings. */
export interface NodeWeights {
  /** Weights other than 1, by the name of a node of the cluster; empty if all nodes have the same weight. */
  readonly weights: Readonly<Record<string, number>>
  readonly verdict: Verdict
  readonly note: string
}

/**
 * The weights by which jobs get nodes, the lowest first. They are those of the file's nodes whose names the cluster has. Throws `BAD_INPUT` with the line.
 *
 * Source: Slurm, Weight in slurm.conf(5), `_eval_nodes_consec` of topology/default (of select/cons_tres before).
 */
export function nodeWeights(conf: SlurmConf, { nodes, nodeNames = [] }: Pick<ClusterFacts, 'nodes' | 'nodeNames'>): NodeWeights {
  const known = new Set(nodeNames)
  const all = conf.nodes.flatMap(({ name, settings }) => {
    const setting = settings.get('weight')
    const weight = setting === undefined ? USUAL : wholeOf(setting, 0, 2 ** 32 - 1)
    return hostNames(name).filter((host) => known.has(host)).map((host) => [host, weight] as const)
  })
  if (nodes === 1) return { weights: {}, verdict: 'ignored', note: ofOneNode(conf) }
  if (all.length === 0) return { weights: {}, verdict: 'ignored', note: 'the cluster has no node of the file: give the nodes of this file (--nodes)' }
  const differ = new Set(all.map(([, weight]) => weight)).size > 1 || all.length < nodeNames.length
  const weights = differ ? Object.fromEntries(all.filter(([, weight]) => weight !== USUAL)) : {}
  const deviations = [
    ...(isLinear(conf) ? ['nodes of the least weight come first, also where those of the next one would do alone'] : []),
    ...(preemptionActs(conf) ? ['but for the nodes of jobs that preempt others'] : []),
  ]
  return { weights, verdict: deviations.length > 0 ? 'approximated' : 'honoured', note: deviations.join('; ') }
}

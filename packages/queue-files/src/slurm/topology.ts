import type { Findings, Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import type { SlurmConf } from './conf.js'
import { ofOneNode } from './one-node.js'
import { preemptionActs } from './preemption.js'
import { blocksIn, nodesWithoutSwitch, rootsOf } from './switches.js'
import { timeSlices } from './time-slices.js'

/** How the nodes of a job are chosen by topology. */
interface Topology {
  /**
   * `tree`: below as few switches as possible, which are the racks of the cluster; `asked`: only for jobs that ask for few switches; `flat`: by no topology;
   * or by blocks.
   */
  readonly kind: 'tree' | 'flat' | 'asked' | ReturnType<typeof blocksIn>
  readonly verdict: Verdict
  readonly note: string
}

type Facts = Pick<ClusterFacts, 'nodes' | 'racks' | 'nodeNames'>

/** The topology for partitions that name none, by TopologyPlugin or a topology.yaml, and by TopologyParam. Adds findings for all three. */
export function topologyOf(conf: SlurmConf, facts: Facts, findings: Findings): Topology['kind'] {
  const [plugin, param] = [conf.general.get('topologyplugin'), conf.general.get('topologyparam')]
  const flags = flagsOf(conf)
  const { kind, verdict, note } = chosen(conf, facts, flags)
  if (plugin !== undefined && conf.topologies !== undefined) findings.add('ignored', plugin, plugin.name, plugin.value, 'a topology.yaml stands beside the file')
  else if (plugin !== undefined) findings.add(verdict, plugin, plugin.name, plugin.value, note)
  tellTopologies(conf, { verdict, note }, findings)
  if (param === undefined) return kind
  const areTrees = conf.topology === 'tree' || conf.topologies?.all.some((each) => each.kind === 'tree') === true
  const isKnown = areTrees && flags.every((flag) => ['topooptional', 'dragonfly'].includes(flag))
  const isDragonfly = flags.includes('dragonfly') && (kind !== 'flat' || conf.topologies !== undefined)
  findings.add(!isKnown ? 'ignored' : isDragonfly ? 'approximated' : 'honoured', param, param.name, param.value, !isKnown ? 'not simulated' : isDragonfly ? 'as in a tree' : '')
  return kind
}

/** The words of TopologyParam, in small letters. */
export const flagsOf = ({ general }: SlurmConf): readonly string[] => listed((general.get('topologyparam')?.value ?? '').toLowerCase())

/** Adds a finding for each topology of a topology.yaml. What partitions make of the topology that they name is told with their settings. */
function tellTopologies({ topologies, partitions }: SlurmConf, { verdict, note }: Pick<Topology, 'verdict' | 'note'>, findings: Findings): void {
  for (const each of topologies?.all ?? []) {
    const { name, kind } = each
    const isNamed = partitions.some(({ settings }) => settings.get('topology')?.value === name.value)
    if (each === topologies?.ofOthers) findings.add(verdict, name, `topology ${name.value}`, kind, note)
    else findings.add(isNamed ? 'honoured' : 'ignored', name, `topology ${name.value}`, kind, isNamed ? 'of partitions that name it' : 'no partition names it')
  }
}

/** The topology for partitions that name none, with what becomes of its setting. */
function chosen(conf: SlurmConf, { nodes, racks = 0, nodeNames }: Facts, flags: readonly string[]): Topology {
  const { topology } = conf
  if (topology === 'flat') return flat('honoured', '')
  if (topology === 'other') return flat('ignored', 'not simulated: topology/tree and topology/block are')
  if (nodes === 1) return flat('ignored', ofOneNode(conf))
  if (topology === 'block') return inBlocks(conf, nodeNames)
  if (racks === 0) return flat('ignored', 'the cluster has no racks: give its nodes some, or let this file, with a topology.conf beside it, be the cluster, too (--nodes)')
  const isAsked = flags.includes('topooptional')
  const deviations = deviationsOf(conf, nodesWithoutSwitch(conf))
  if (isAsked && timeSlices(conf) !== undefined) deviations.push('jobs that take turns get nodes without it, those that ask for few switches, too')
  const optional = isAsked ? ['TopoOptional: jobs that ask for no number of switches get nodes without it'] : []
  return { kind: isAsked ? 'asked' : 'tree', verdict: deviations.length === 0 ? 'honoured' : 'approximated', note: [...optional, ...deviations].join('; ') }
}

function inBlocks(conf: SlurmConf, nodeNames: readonly string[] | undefined): Topology {
  const kind = blocksIn(conf)
  const named = new Set(kind.blocks.flat())
  if (named.size === 0) return flat('ignored', 'there are no blocks: they stand in a topology.conf beside the file (BlockName)')
  if (nodeNames?.some((name) => named.has(name)) === false) return flat('ignored', 'the cluster has no node of a block')
  const deviations = deviationsOf(conf, [])
  if (timeSlices(conf) !== undefined) deviations.push('jobs that take turns are in as few blocks as can be, and wait for none')
  return { kind, verdict: deviations.length === 0 ? 'honoured' : 'approximated', note: deviations.join('; ') }
}

/** How the topology of the cluster deviates from Slurm's, as notes. `alone`: nodes that it does not have. */
export function deviationsOf(conf: SlurmConf, alone: readonly string[]): string[] {
  const isTree = conf.topology === 'tree'
  return [
    ...(isTree && alone.length > 0 ? [unconnected(alone)] : []),
    ...(isTree && rootsOf(conf) > 1 ? ['switches that nothing connects are one network'] : []),
    ...(preemptionActs(conf) ? ['but for the nodes of jobs that preempt others'] : []),
  ]
}

const flat = (verdict: Verdict, note: string): Topology => ({ kind: 'flat', verdict, note })

const unconnected = (nodes: readonly string[]): string =>
  nodes.length === 1 ? `${nodes[0] as string} has no switch, so that no job gets it in Slurm: here below one of its own` : `${nodes.length} nodes have no switch, so that no job gets them in Slurm: here below one of their own`

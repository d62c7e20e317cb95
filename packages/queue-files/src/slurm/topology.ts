import type { Findings, Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import { isBlock, isTree, type SlurmConf } from './conf.js'
import { preemptionActs } from './preemption.js'
import { nodesWithoutSwitch, rootsOf } from './switches.js'
import { timeSlices } from './time-slices.js'

/** How the nodes of a job are chosen. */
interface Topology {
  /** By the racks of the cluster, which stand for switches, or in the order of their names; or by the racks where a job asks for few. */
  readonly kind: 'tree' | 'flat' | 'asked'
  readonly verdict: Verdict
  readonly note: string
}

/** What TopologyPlugin and TopologyParam come to. Tells of both. */
export function topologyOf(conf: SlurmConf, facts: Pick<ClusterFacts, 'nodes' | 'racks'>, findings: Findings): Topology['kind'] {
  const [plugin, param] = [conf.general.get('topologyplugin'), conf.general.get('topologyparam')]
  const flags = listed((param?.value ?? '').toLowerCase())
  const { kind, verdict, note } = chosen(conf, facts, flags)
  if (plugin !== undefined) findings.add(verdict, plugin, plugin.name, plugin.value, note)
  if (param === undefined) return kind
  const isKnown = isTree(plugin) && flags.every((flag) => ['topooptional', 'dragonfly'].includes(flag))
  const isDragonfly = kind !== 'flat' && flags.includes('dragonfly')
  findings.add(!isKnown ? 'ignored' : isDragonfly ? 'approximated' : 'honoured', param, param.name, param.value, !isKnown ? 'not simulated' : isDragonfly ? 'as in a tree' : '')
  return kind
}

function chosen(conf: SlurmConf, { nodes, racks = 0 }: Pick<ClusterFacts, 'nodes' | 'racks'>, flags: readonly string[]): Topology {
  const plugin = conf.general.get('topologyplugin')
  const areBlocks = isBlock(plugin)
  if (!isTree(plugin) && !areBlocks) return /^topology\/(default|flat|none)$/i.test(plugin?.value ?? '') ? flat('honoured', '') : flat('ignored', 'not simulated: topology/tree and topology/block are')
  if (nodes === 1) return flat('ignored', 'there is one node')
  if (racks === 0) return flat('ignored', 'the cluster has no racks: give its nodes some, or let this file, with a topology.conf beside it, be the cluster, too (--nodes)')
  const alone = nodesWithoutSwitch(conf)
  const isAsked = !areBlocks && flags.includes('topooptional')
  const deviations = [
    ...(areBlocks ? [BLOCKS] : []),
    ...(alone.length > 0 ? [unconnected(alone, areBlocks ? 'block' : 'switch')] : []),
    ...(!areBlocks && rootsOf(conf) > 1 ? ['switches that nothing connects are one network'] : []),
    ...(preemptionActs(conf) ? ['but for the nodes of jobs that preempt others'] : []),
    ...(isAsked && timeSlices(conf) !== undefined ? ['jobs that take turns get nodes without it, those that ask for few switches, too'] : []),
  ]
  const optional = isAsked ? ['TopoOptional: jobs that ask for no number of switches get nodes without it'] : []
  return { kind: isAsked ? 'asked' : 'tree', verdict: deviations.length === 0 ? 'honoured' : 'approximated', note: [...optional, ...deviations].join('; ') }
}

const flat = (verdict: Verdict, note: string): Topology => ({ kind: 'flat', verdict, note })

/** In Slurm a job is in one group of blocks, of the smallest of BlockSizes that holds it. */
const BLOCKS = 'a job gets nodes in as few blocks as can be, but waits for none; without segments'

const unconnected = (nodes: readonly string[], what: string): string =>
  nodes.length === 1 ? `${nodes[0] as string} has no ${what}, so that no job gets it in Slurm: here below one of its own` : `${nodes.length} nodes have no ${what}, so that no job gets them in Slurm: here below one of their own`

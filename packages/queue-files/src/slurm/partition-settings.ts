import { slurmResource } from '@sched/policies'
import { notSimulated, type Findings, type Verdict } from '../finding.js'
import type { Setting } from '../setting.js'
import { billingOf } from './billing.js'
import { isYes, wholeOf, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { limitingSettings, maxNodes, qosNamed } from './partition-limits.js'
import { ofOneNode } from './one-node.js'
import { BEST_FIT, isAsHere, whyIgnoredOfPartition } from './other-settings.js'
import { hasAllNodes, withoutNodes } from './partition-nodes.js'
import { toldOfTopology } from './partition-topologies.js'
import { modeOfPartition, preemptionActs, preemptsByTier } from './preemption.js'
import { RUNS_ON } from './quality.js'
import { timeSlices } from './time-slices.js'
import { checkedLimit, UNLIMITED } from './times.js'
import { isLinear, type WholeNodes } from './whole-nodes.js'

/** The facts on which the effect of settings of partitions depends. */
export interface PartitionFacts {
  /** Partitions whose nodes the cluster marks by a label (`markedPartitions`). */
  readonly marked: ReadonlySet<string>
  /** Names of all nodes of the cluster; empty: not known. */
  readonly present: readonly string[]
  /** Tells which jobs get whole nodes. */
  readonly whole: WholeNodes
  /** Whether billing of jobs has an effect, on shares or on a limit. */
  readonly isBilled: boolean
  /** Names of the cluster's resources. */
  readonly resources: readonly string[]
  /** Number of nodes of the cluster. */
  readonly nodes: number
}

/** What becomes of a setting, and the note on it. */
type Told = readonly [verdict: Verdict, note?: string | undefined]

/** Adds a finding for each setting of partitions. Throws `BAD_INPUT` with the line for a value that Slurm does not take. */
export function tellPartitions(conf: SlurmConf, facts: PartitionFacts, findings: Findings): void {
  const { written, partitions, nodes } = conf
  for (const { name, settings } of nodes.length > 0 ? partitions : [])
    if (!settings.has('nodes')) findings.add('approximated', name, `${name.value} Nodes`, '', 'none are given: its jobs may run on all nodes, in Slurm on none')
  const all = { ...facts, conf, empty: new Set(withoutNodes(conf)), byName: byName(partitions) }
  for (const { of, setting } of written) {
    const [verdict, note] = told(of, setting, all)
    findings.add(verdict, setting, `${of} ${setting.name}`, setting.value, note)
  }
  if (partitions.length > 0 || !conf.isConf) return
  const slip = written.some(({ of }) => of.toUpperCase() === 'DEFAULT') ? '; DEFAULT, in letters of any case, says what is true of those below it' : ''
  findings.add('ignored', { line: 1 }, 'PartitionName', '', `none is declared: all jobs have one tier${slip}`)
}

interface Facts extends PartitionFacts {
  readonly conf: SlurmConf
  /** Partitions none of whose nodes is up. */
  readonly empty: ReadonlySet<string>
  /** Partitions by name: of thousands none looks at all others for each of its settings. */
  readonly byName: ReadonlyMap<string, readonly Declared[]>
}

function byName(partitions: readonly Declared[]): Map<string, Declared[]> {
  const found = new Map<string, Declared[]>()
  for (const each of partitions) {
    const alike = found.get(each.name.value)
    if (alike === undefined) found.set(each.name.value, [each])
    else alike.push(each)
  }
  return found
}

/** What becomes of a setting in a line of a partition, or of DEFAULT. */
function told(partition: string, setting: Setting, facts: Facts): Told {
  const { conf } = facts
  const { name, value } = setting
  const key = name.toLowerCase()
  switch (key) {
    case 'prioritytier':
      return hasPriority(partition, setting, facts) ? ['ignored', BEFORE_BOTH] : ['honoured']
    case 'priorityjobfactor':
      if (hasPriority(partition, setting, facts)) return ['ignored', BEFORE_BOTH]
      return conf.general.has('priorityweightpartition') ? ['honoured'] : ['ignored', 'PriorityWeightPartition is not given']
    case 'priority':
      return ['honoured', 'older name of PriorityTier and PriorityJobFactor']
    case 'nodes':
      return ofNodes(partition, setting, facts)
    case 'maxnodes':
      if (UNLIMITED.test(value)) return ['honoured']
      return partition in maxNodes(conf) && facts.nodes > 1 && timeSlices(conf) === undefined
        ? ofNamedNodes(facts)
        : ['approximated', 'as so many nodes where jobs ask for nodes or get whole ones, and as the processors of so many nodes of this file']
    case 'minnodes':
      if (wholeOf(setting) <= 1) return ['honoured']
      if (facts.nodes > 1 && timeSlices(conf) === undefined) return ofNamedNodes(facts)
      return slurmResource('node', facts.resources) >= 0 ? ['approximated', 'as so many nodes where jobs ask for nodes or get whole ones'] : ['ignored', 'jobs that ask for processors ask for no number of nodes']
    case 'qos':
      return qosNamed(value, conf) !== undefined
        ? ['honoured']
        : ['ignored', 'QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt']
    case 'defaulttime':
      return ['honoured', !/^NONE$/i.test(value) && (UNLIMITED.test(value) || checkedLimit(setting) !== '') ? 'for jobs without a time limit' : '']
    case 'default':
      return ['honoured', isYes(setting) ? 'for jobs that name no queue' : '']
    case 'oversubscribe':
    case 'shared':
      if (/^exclusive$/i.test(value)) return wholeNodesOf(partition, setting, facts)
      if (timeSlices(conf) !== undefined) return ['honoured', 'its jobs take turns']
      return isAsHere(key, value) ? ['honoured'] : ['ignored', whyIgnoredOfPartition[key]]
    case 'exclusiveuser':
      return isYes(setting) ? ofNamedNodes(facts) : ['honoured']
    case 'maxcpuspernode':
      if (isAsHere(key, value)) return ['honoured']
      return isLinear(conf) || slurmResource('cpu', facts.resources) < 0 ? ['ignored', 'jobs ask for no single processors'] : ofNamedNodes(facts)
    case 'gracetime':
      if (wholeOf(setting) === 0) return ['honoured']
      return preemptsByTier(conf) ? ['approximated', RUNS_ON] : ['ignored', 'nobody is preempted by tier']
    case 'lln':
      if (isAsHere(key, value)) return ['honoured']
      return isLinear(conf) ? ['ignored', BEST_FIT] : ofNamedNodes(facts)
    case 'topology':
      return toldOfTopology(setting, ofWhom(partition, setting, facts), conf, facts)
    case 'preemptmode':
      return modeOfPartition(value, conf)
    case 'tresbillingweights':
      return weightsOf(setting, facts)
    default:
      if (limitingSettings.includes(key) || isAsHere(key, value)) return ['honoured']
      return ['ignored', whyIgnoredOfPartition[key] ?? notSimulated(name, [...KNOWN, ...Object.keys(whyIgnoredOfPartition)])]
  }
}

/** Settings that have an effect, for those who mistype one. */
const KNOWN = [
  'Nodes', 'Default', 'DefaultTime', 'MaxTime', 'MaxNodes', 'MinNodes', 'State', 'AllowAccounts', 'DenyAccounts', 'AllowQos', 'DenyQos', 'QOS', 'PriorityTier', 'PriorityJobFactor', 'Topology',
  'GraceTime', 'PreemptMode', 'OverSubscribe', 'ExclusiveUser', 'MaxCPUsPerNode', 'LLN', 'TRESBillingWeights',
]

/** The verdict on a setting that plans with named nodes respect, but not jobs that preempt others. */
function ofNamedNodes({ conf, nodes }: Facts): Told {
  if (timeSlices(conf) !== undefined) return ['ignored', 'jobs take turns']
  if (nodes === 1) return ['ignored', ofOneNode(conf)]
  return preemptionActs(conf) ? ['approximated', 'but for jobs that preempt others'] : ['honoured']
}

function weightsOf(setting: Setting, { isBilled, resources }: Facts): Told {
  const { billing, missing } = billingOf(setting, resources)
  if (!isBilled) return ['ignored', 'neither PriorityWeightFairshare nor a limit of billing is given']
  if (missing.length === 0) return ['honoured']
  return [Object.keys(billing).length === 0 ? 'ignored' : 'approximated', `the cluster has no ${missing.join(', ')}`]
}

/** The verdict on OverSubscribe=EXCLUSIVE; in a DEFAULT line the worst of those on the partitions that take it from there. */
function wholeNodesOf(partition: string, setting: Setting, facts: Facts): Told {
  const all = ofWhom(partition, setting, facts).flatMap(({ name }) => facts.whole.of(name.value) ?? [])
  const [worst] = (['ignored', 'approximated', 'honoured'] as const).flatMap((verdict) => all.filter((each) => each.verdict === verdict))
  return worst === undefined ? ['ignored', 'no partition below it takes it from here'] : [worst.verdict, worst.note]
}

const BEFORE_BOTH = 'Priority, the older name of PriorityTier and PriorityJobFactor, comes before it'

/** Whether all partitions for which a setting holds have the older setting Priority too. */
function hasPriority(partition: string, setting: Setting, facts: Facts): boolean {
  const whose = ofWhom(partition, setting, facts)
  return whose.length > 0 && whose.every(({ settings }) => settings.has('priority'))
}

/** The partitions for which a setting holds; one in a DEFAULT line holds for partitions below it. */
const ofWhom = (partition: string, setting: Setting, { conf, byName }: Facts): readonly Declared[] =>
  partition.toUpperCase() === 'DEFAULT' ? conf.partitions.filter(({ settings }) => settings.get(setting.name.toLowerCase()) === setting) : (byName.get(partition) ?? [])

/** The verdict on the nodes of a partition: whether its jobs are kept on them. */
function ofNodes(partition: string, setting: Setting, facts: Facts): Told {
  const { conf, marked, empty, present } = facts
  const whose = ofWhom(partition, setting, facts).map(({ name }) => name.value)
  if (whose.some((name) => empty.has(name))) return ['honoured', 'none of them is up: its jobs wait']
  if (hasAllNodes(setting, conf, present) || whose.every((name) => marked.has(name))) return ['honoured']
  return ['ignored', 'jobs of the partition may run on all nodes: give the nodes of this file (--nodes) to keep them on their own']
}

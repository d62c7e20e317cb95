import { nearest } from '@sched/core'
import { notSimulated, type Findings } from '../finding.js'
import { listed, type Setting } from '../setting.js'
import type { SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import type { NodeWeights } from './node-weights.js'
import { processorsOf } from './nodes.js'
import { limitingSettings } from './partition-limits.js'
import { multifactorNames } from './options.js'
import { BEST_FIT, isAsHere, whyIgnored, whyIgnoredOfNode } from './other-settings.js'
import { preemptionActs } from './preemption.js'
import { timeSlices } from './time-slices.js'

/** Settings that a policy is made of, or that are told elsewhere. */
const used = [
  'EnforcePartLimits', 'Licenses', 'AccountingStorageEnforce', 'SchedulerType', 'SelectType', 'SchedulerParameters', 'PriorityType',
  'PreemptType', 'PreemptMode', 'PreemptExemptTime', 'PreemptParameters', 'TopologyPlugin', 'TopologyParam', 'BlockSizes', ...multifactorNames,
]
const usedKeys = new Set(used.map((name) => name.toLowerCase()))

/** Settings of Slurm whose names are near to one that is used, and no slips. */
const OF_DAEMONS = /(port|plugin|file|log|filter)$|^accountingstorage(backuphost|externalhost|host|loc|parameters|pass|tres|type|user)$|^schedulerauth$/

/** Tells of settings of the whole file that no policy is made of; those of daemons, logs and the like in one line. */
export function tellGeneral(conf: SlurmConf, isLeastLoaded: boolean, findings: Findings): void {
  const { general, partitions, database, nodes } = conf
  const haveTurns = timeSlices(conf) !== undefined
  const [parts, enforced] = [general.get('enforcepartlimits'), general.get('accountingstorageenforce')]
  if (parts !== undefined) findings.add(partitions.length > 0 ? 'honoured' : 'ignored', parts, parts.name, parts.value, partitions.length > 0 ? '' : 'no partition is declared')
  if (enforced !== undefined) tellEnforced(enforced, database.qos.length + database.accounts.length + database.users.length > 0, findings)
  const others: Setting[] = []
  for (const [key, setting] of general) {
    if (usedKeys.has(key)) continue
    if (isAsHere(key, setting.value) || (haveTurns && key === 'schedulertimeslice')) {
      findings.add('honoured', setting, setting.name, setting.value)
      continue
    }
    if (key === 'selecttypeparameters' && isLeastLoaded) {
      const notes = [wholeUnits(setting, nodes), preemptionActs(conf) ? 'but for jobs that preempt others' : undefined].filter((note) => note !== undefined)
      findings.add(notes.length === 0 ? 'honoured' : 'approximated', setting, setting.name, setting.value, notes.join('; '))
      continue
    }
    const why = wholeUnits(setting, nodes) ?? otherNodes(setting) ?? whyIgnored[key] ?? misplaced(key) ?? (OF_DAEMONS.test(key) || nearest(setting.name, used) === undefined ? undefined : notSimulated(setting.name, used))
    if (why === undefined) others.push(setting)
    else findings.add('ignored', setting, setting.name, setting.value, why)
  }
  const [first] = others
  if (first !== undefined)
    findings.add(
      'ignored',
      first,
      `${others.length} other setting${others.length === 1 ? '' : 's'}`,
      others.map(({ name }) => name).join(' '),
      'of daemons, accounts, logs: nothing of that is simulated',
    )
}

/** What is given whole to jobs, where that is more than a processor that they ask for. */
function wholeUnits({ name, value }: Setting, nodes: readonly Declared[]): string | undefined {
  const unit = /^selecttypeparameters$/i.test(name) ? /(?:^|,)\s*CR_(Core|Socket)(?:_Memory)?\s*(?=,|$)/i.exec(value)?.[1]?.toLowerCase() : undefined
  if (unit === undefined || (unit === 'core' && nodes.every((node) => processorsOf(node).ofCore === 1))) return undefined
  return `jobs get whole ${unit}s in Slurm, and here the processors that they ask for (of a log: --option processors=allocated, which it gave them)`
}

/** Of a list of ways to choose nodes that has one of its own. */
const otherNodes = ({ name, value }: Setting): string | undefined => (/^selecttypeparameters$/i.test(name) && /CR_(LLN|PACK_NODES)/i.test(value) ? BEST_FIT : undefined)

/** Settings of partitions alone, and of nodes alone; those of both a partition and all are none of these. */
const ofPartitionsAlone = [
  ...limitingSettings, 'nodes', 'default', 'defaulttime', 'prioritytier', 'priorityjobfactor', 'tresbillingweights', 'allowgroups',
  'allocnodes', 'alternate', 'gracetime', 'hidden', 'lln', 'maxcpuspernode', 'maxcpuspersocket', 'oversubscribe', 'reqresv',
  'rootonly', 'shared', 'exclusiveuser', 'topology',
]
const ofNodesAlone = [
  'cpus', 'procs', 'boards', 'sockets', 'socketsperboard', 'corespersocket', 'threadspercore', 'corespeccount', 'memspeclimit',
  'realmemory', 'gres', 'feature', 'features', 'tmpdisk', 'weight',
]

/** Why a setting of partitions or nodes means nothing on a line of its own. */
function misplaced(key: string): string | undefined {
  const line = ofPartitionsAlone.includes(key) ? 'PartitionName' : ofNodesAlone.includes(key) ? 'NodeName' : undefined
  return line === undefined ? undefined : `it stands in a line that begins with ${line}`
}

function tellEnforced(setting: Setting, hasDatabase: boolean, findings: Findings): void {
  if (/^(none|no|0)?$/i.test(setting.value)) return findings.add('honoured', setting, setting.name, setting.value)
  if (!hasDatabase)
    return findings.add(
      'ignored',
      setting,
      setting.name,
      setting.value,
      'associations and QOS are not in this file; give what sacctmgr prints, as slurm.conf+accounts.cfg+qos.txt',
    )
  const left = listed(setting.value.toLowerCase()).filter((flag) => !['associations', 'limits', 'qos', 'safe', 'all'].includes(flag))
  findings.add(left.length === 0 ? 'honoured' : 'approximated', setting, setting.name, setting.value, left.length === 0 ? '' : `without ${left.join(' and ')}`)
}

/** Tells of settings of nodes that mean nothing here, or not all. */
export function tellNodes({ nodes, writtenOfNodes }: SlurmConf, weighing: NodeWeights, findings: Findings): void {
  for (const declared of nodes) {
    const { cpus, overruled } = processorsOf(declared)
    if (overruled === undefined) continue
    const note = `neither the sockets nor the cores nor the threads that are declared: ${cpus}, the threads, as in Slurm`
    findings.add('ignored', overruled, `${declared.name.value} ${overruled.name}`, overruled.value, note)
  }
  for (const { of, setting } of writtenOfNodes) {
    const [key, others] = [setting.name.toLowerCase(), setting.value.replace(/\([^)]*\)/g, '').split(',').filter((each) => each !== '' && !/^gpu(:|$)/.test(each.trim()))]
    const why = whyIgnoredOfNode[key] ?? notSimulated(setting.name, Object.keys(whyIgnoredOfNode))
    if (key === 'gres' && others.length > 0) findings.add('approximated', setting, `${of} ${setting.name}`, setting.value, `GPUs alone, without ${others.join(', ')}`)
    else if (key === 'weight') findings.add(weighing.verdict, setting, `${of} ${setting.name}`, setting.value, weighing.note)
    else if (why !== '') findings.add('ignored', setting, `${of} ${setting.name}`, setting.value, why)
  }
}

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

/** Settings of which the policy is made, or that other functions tell of. */
const used = [
  'EnforcePartLimits', 'Licenses', 'AccountingStorageEnforce', 'SchedulerType', 'SelectType', 'SchedulerParameters', 'PriorityType',
  'PreemptType', 'PreemptMode', 'PreemptExemptTime', 'PreemptParameters', 'TopologyPlugin', 'TopologyParam', 'BlockSizes', ...multifactorNames,
]
const usedKeys = new Set(used.map((name) => name.toLowerCase()))

/** Settings of daemons whose names are near to one that is used, but are not misspelt. */
const OF_DAEMONS = /(port|plugin|file|log|filter)$|^accountingstorage(backuphost|externalhost|host|loc|parameters|pass|tres|type|user)$|^schedulerauth$/

/** Adds findings for general settings of which no policy is made; those of daemons, logs and the like get one finding together. */
export function tellGeneral(conf: SlurmConf, isLeastLoaded: boolean, findings: Findings): void {
  const { general, partitions, database, nodes } = conf
  const haveTurns = timeSlices(conf) !== undefined
  const [parts, enforced] = [general.get('enforcepartlimits'), general.get('accountingstorageenforce')]
  if (parts !== undefined) findings.add(partitions.length > 0 ? 'honoured' : 'ignored', parts, parts.name, parts.value, partitions.length > 0 ? '' : 'no partition is declared')
  if (enforced !== undefined) tellEnforced(enforced, database.qos.length + database.accounts.length + database.users.length > 0, findings)
  const others: Setting[] = []
  for (const [key, setting] of general) {
    if (usedKeys.has(key)) continue
    const [verdict, note] = isAsHere(key, setting.value) || (haveTurns && key === 'schedulertimeslice') ? HONOURED : (countsInPart(key, setting, conf, isLeastLoaded) ?? [])
    if (verdict !== undefined) {
      findings.add(verdict, setting, setting.name, setting.value, note)
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

type Told = readonly [verdict: 'honoured' | 'approximated', note?: string]
const HONOURED: Told = ['honoured']

/** What becomes of a setting that counts for some jobs or in part; undefined for any other. */
function countsInPart(key: string, setting: Setting, conf: SlurmConf, isLeastLoaded: boolean): Told | undefined {
  const preempts = preemptionActs(conf)
  if (key === 'selecttypeparameters' && isLeastLoaded) {
    const notes = [wholeUnits(setting, conf.nodes), preempts ? 'but for jobs that preempt others' : undefined].filter((note) => note !== undefined)
    return notes.length === 0 ? HONOURED : ['approximated', notes.join('; ')]
  }
  if (key === 'authinfo' && /cred_expire/i.test(setting.value) && preempts) return ['approximated', 'of it cred_expire, for which requeued jobs wait']
  if (key === 'jobrequeue' && preempts) return ['approximated', 'preempted jobs are given up instead of requeued, but interrupted jobs run again']
  return undefined
}

/** The note for SelectTypeParameters that give jobs whole cores or sockets (CR_Core, CR_Socket); undefined if that is no more than the processors they ask for. */
function wholeUnits({ name, value }: Setting, nodes: readonly Declared[]): string | undefined {
  const unit = /^selecttypeparameters$/i.test(name) ? /(?:^|,)\s*CR_(Core|Socket)(?:_Memory)?\s*(?=,|$)/i.exec(value)?.[1]?.toLowerCase() : undefined
  if (unit === undefined || (unit === 'core' && nodes.every((node) => processorsOf(node).ofCore === 1))) return undefined
  return `jobs get whole ${unit}s in Slurm, and here the processors that they ask for (of a log: --option processors=allocated, which it gave them)`
}

/** The note for SelectTypeParameters that choose nodes in another way (CR_LLN, CR_PACK_NODES); undefined if they do not. */
const otherNodes = ({ name, value }: Setting): string | undefined => (/^selecttypeparameters$/i.test(name) && /CR_(LLN|PACK_NODES)/i.test(value) ? BEST_FIT : undefined)

/** Settings that stand only in lines of partitions; those that may also stand for all are not in it. */
const ofPartitionsAlone = [
  ...limitingSettings, 'nodes', 'default', 'defaulttime', 'prioritytier', 'priorityjobfactor', 'tresbillingweights', 'allowgroups',
  'allocnodes', 'alternate', 'gracetime', 'hidden', 'lln', 'maxcpuspernode', 'maxcpuspersocket', 'oversubscribe', 'reqresv',
  'rootonly', 'shared', 'exclusiveuser', 'topology',
]
/** Settings that stand only in lines of nodes. */
const ofNodesAlone = [
  'cpus', 'procs', 'boards', 'sockets', 'socketsperboard', 'corespersocket', 'threadspercore', 'corespeccount', 'memspeclimit',
  'realmemory', 'gres', 'feature', 'features', 'tmpdisk', 'weight',
]

/** The note for a setting of partitions or nodes that stands on a line of its own, where it has no effect; undefined for any other setting. */
function misplaced(key: string): string | undefined {
  const line = ofPartitionsAlone.includes(key) ? 'PartitionName' : ofNodesAlone.includes(key) ? 'NodeName' : undefined
  return line === undefined ? undefined : `it stands in a line that begins with ${line}`
}

/** Adds a finding for AccountingStorageEnforce. */
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

/** Adds findings for settings of nodes that have no effect here, or not in full. */
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

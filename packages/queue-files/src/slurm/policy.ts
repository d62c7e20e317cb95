import { nearest, type Config } from '@sched/core'
import { Findings, notSimulated } from '../finding.js'
import { billingOf, partitionBilling } from './billing.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { licensesOf, limitsOfPartition, limitsOptions } from './limits.js'
import { hasParameter, multifactorNames, multifactorOptions, replanOptions, weights } from './options.js'
import { isAsHere, whyIgnored, whyIgnoredOfNode, whyIgnoredOfPartition } from './other-settings.js'
import { hasAllNodes, markedPartitions, withoutNodes } from './partition-nodes.js'
import { modeOfPartition, preempting, preemptionActs, preemptsByTier } from './preemption.js'
import { qosPriorities, RUNS_ON, usageFactors } from './quality.js'
import { sharesOf } from './shares.js'
import { checkedLimit, UNLIMITED } from './times.js'
import type { Setting } from '../setting.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'

/** What a slurm.conf comes to. */
export interface SlurmPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'slurm'
  /** Those of the policy around all others. */
  readonly options: Readonly<Record<string, unknown>>
}

const used = [
  'EnforcePartLimits', 'Licenses', 'AccountingStorageEnforce', 'SchedulerType', 'SelectType', 'SchedulerParameters', 'PriorityType',
  'PreemptType', 'PreemptMode', 'PreemptExemptTime', 'PreemptParameters', ...multifactorNames,
]
const usedKeys = new Set(used.map((name) => name.toLowerCase()))

/**
 * The policy of a slurm.conf, on a cluster: `replan` with Slurm's two passes (`strict` for sched/builtin) over `multifactor`, and
 * `slurm-preempting` around it where partitions or QOS preempt, `slurm-limits` around all where anything is limited. Throws `BAD_INPUT`
 * with the line for a value that Slurm does not take.
 */
export function slurmPolicy(conf: SlurmConf, { nodes, resources, nodesWith }: ClusterFacts): SlurmPolicy {
  const findings = new Findings(conf.file)
  const tiers = ofPartitions(conf, 'prioritytier')
  const factors = ofPartitions(conf, 'priorityjobfactor')
  const priorities = qosPriorities(conf, findings)
  const own = multifactorOptions(conf, resources, findings)
  const isByUse = Number(own['PriorityWeightFairshare'] ?? 0) > 0
  const accounts = isByUse ? sharesOf(conf, findings) : undefined
  const factorsOfQos = isByUse ? usageFactors(conf) : {}
  const billing = isByUse ? partitionBilling(conf, resources) : {}
  const hasQos = own['PriorityWeightQOS'] !== undefined && Object.keys(priorities).length > 0
  const order = { multifactor: {
    ...own,
    ...(isVaried(tiers) && { tiers }),
    ...(isVaried(factors) && { partitions: factors }),
    ...(hasQos && { qosPriorities: priorities }),
    ...(accounts !== undefined && { accounts }),
    ...(Object.keys(factorsOfQos).length > 0 && { usageFactors: factorsOfQos }),
    ...(Object.keys(billing).length > 0 && { partitionBilling: billing }),
  } }
  const type = conf.general.get('prioritytype')
  const weighted = weights.flatMap((name) => conf.general.get(name.toLowerCase()) ?? []).find(({ value }) => value !== '0')
  if (type === undefined && weighted !== undefined)
    findings.add(
      'honoured',
      weighted,
      'PriorityType',
      '',
      'is not given: priority/multifactor, as since Slurm 23.11; until then it was priority/basic, where weights count for nothing',
    )
  if (type !== undefined) tellType(type, ['priority/multifactor', 'priority/basic'], 'taken for priority/multifactor', findings)
  const noPlan = whyNoLicensePlan(conf)
  const arePlanned = noPlan === '' && hasParameter(conf, 'bf_licenses')
  const licenses = licensesOf(conf, arePlanned, findings)
  const limits = limitsOptions(conf, resources, arePlanned ? undefined : licenses, findings)
  const inner = discipline(
    conf,
    nodes,
    { order: Object.keys(order.multifactor).length === 0 ? 'fifo' : order, ...(arePlanned && licenses !== undefined && { bf_licenses: licenses }) },
    { bf_licenses: noPlan, assoc_limit_stop: 'assocLimitStop' in limits ? '' : 'no limit of a QOS or an association holds a job back' },
    findings,
  )
  const preempts = preempting(conf, tiers, priorities, inner, findings)
  const policy = Object.keys(limits).length === 0 ? preempts : { 'slurm-limits': { ...limits, policy: preempts } }
  tellPartitions(conf, { marked: markedPartitions(conf, nodesWith), isBilled: isByUse || 'partitionBilling' in limits, resources }, findings)
  tellNodes(conf, findings)
  tellOthers(conf, findings)
  const files = [...new Set([conf.file, ...findings.all.map(({ file }) => file)])]
  const fileOf = ({ file }: { readonly file: string }) => files.indexOf(file)
  return { kind: 'slurm', policy, options: Object.values(policy)[0] as Record<string, unknown>, findings: findings.all.sort((a, b) => fileOf(a) - fileOf(b) || a.line - b.line) }
}

/** Tiers and job factors have 16 bits. */
const HIGHEST_TIER = 65_533

/** The tier or job factor of each partition that gives one; `Priority`, the older name, is both. */
function ofPartitions({ partitions }: SlurmConf, key: string): Record<string, number> {
  return Object.fromEntries(partitions.flatMap(({ name, settings }) => {
    const setting = settings.get(key) ?? settings.get('priority')
    return setting === undefined ? [] : [[name.value, wholeOf(setting, 0, HIGHEST_TIER)]]
  }))
}

const isVaried = (numbers: Readonly<Record<string, number>>): boolean => Object.values(numbers).some((number) => number !== 1)

function tellType(setting: Setting, known: readonly string[], otherwise: string, findings: Findings): void {
  const isKnown = known.includes(setting.value.toLowerCase())
  findings.add(isKnown ? 'honoured' : 'ignored', setting, setting.name, setting.value, isKnown ? '' : `not simulated: ${otherwise}`)
}

/** Why plans reckon with no licences even where SchedulerParameters has bf_licenses; '' if they do. */
function whyNoLicensePlan(conf: SlurmConf): string {
  const { general } = conf
  if (!general.has('licenses')) return 'there are no Licenses'
  if (/^sched\/builtin$/i.test(general.get('schedulertype')?.value ?? '')) return 'sched/builtin makes no plans'
  return preemptionActs(conf) ? 'jobs preempt one another, and those that wait for a licence get no reservation then' : ''
}

function discipline(
  { general, partitions }: SlurmConf,
  nodes: number,
  planning: { readonly order: Config; readonly bf_licenses?: Record<string, number> | undefined },
  flags: Readonly<Record<string, string>>,
  findings: Findings,
): Config {
  const type = general.get('schedulertype')
  const isBuiltin = type?.value.toLowerCase() === 'sched/builtin'
  if (isBuiltin && partitions.length > 1)
    findings.add('approximated', type, type.name, type.value, 'a job that does not fit stops the jobs of all partitions, not of its own alone')
  else if (type !== undefined) tellType(type, ['sched/backfill', 'sched/builtin'], 'taken for sched/backfill', findings)
  const options = replanOptions(general.get('schedulerparameters'), flags, findings)
  return isBuiltin ? { strict: { order: planning.order } } : { replan: { ...planning, twoPass: true, ...reserving(general.get('selecttype'), nodes, findings), ...options } }
}

/**
 * Reservations of named nodes, and how a later start is looked for; without a setting as in the latest versions. On one node,
 * the whole of a machine, amounts are reserved.
 */
function reserving(type: Setting | undefined, nodes: number, findings: Findings): Record<string, string> {
  const isLinear = /^select\/linear$/i.test(type?.value ?? '')
  if (type !== undefined) {
    const isKnown = isLinear || /^select\/cons_(tres|res)$/i.test(type.value)
    const note = nodes === 1 ? 'there is one node, of which amounts are reserved' : isKnown ? '' : 'taken for select/cons_tres'
    findings.add(note === '' ? 'honoured' : 'ignored', type, type.name, type.value, note)
  }
  return nodes === 1 ? {} : { nodes: 'named', select: isLinear ? 'linear' : 'cons_tres' }
}

function tellPartitions(
  conf: SlurmConf,
  { marked, isBilled, resources }: { marked: ReadonlySet<string>; isBilled: boolean; resources: readonly string[] },
  findings: Findings,
): void {
  const { written, general, partitions, nodes } = conf
  const empty = withoutNodes(conf)
  for (const { name, settings } of nodes.length > 0 ? partitions : []) if (!settings.has('nodes'))
    findings.add('approximated', name, `${name.value} Nodes`, '', 'none are given: its jobs may run on all nodes, in Slurm on none')
  for (const { of, setting } of written) {
    const key = setting.name.toLowerCase()
    const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, setting, `${of} ${setting.name}`, setting.value, note)
    if (key === 'prioritytier' || (key === 'priorityjobfactor' && general.has('priorityweightpartition'))) tell('honoured')
    else if (key === 'priority') tell('honoured', 'older name of PriorityTier and PriorityJobFactor')
    else if (key === 'priorityjobfactor') tell('ignored', 'PriorityWeightPartition is not given')
    else if (key === 'nodes') tell(...ofNodes(of, setting, conf, marked, empty))
    else if (key === 'maxnodes')
      tell(
        UNLIMITED.test(setting.value) ? 'honoured' : 'approximated',
        UNLIMITED.test(setting.value) ? '' : 'as so many nodes where jobs ask for nodes, and as the processors of so many nodes of this file',
      )
    else if (key === 'minnodes') tell(/^[01]$/.test(setting.value) ? 'honoured' : 'ignored', /^[01]$/.test(setting.value) ? '' : whyIgnoredOfPartition['minnodes'])
    else if (key === 'qos')
      tell(
        conf.database.qos.some(({ name }) => name === setting.value) ? 'honoured' : 'ignored',
        conf.database.qos.some(({ name }) => name === setting.value)
          ? ''
          : 'QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt',
      )
    else if (key === 'defaulttime')
      tell(
        'honoured',
        /^NONE$/i.test(setting.value) ? '' : UNLIMITED.test(setting.value) || checkedLimit(setting) !== '' ? 'for jobs without a time limit' : '',
      )
    else if (key === 'default') tell('honoured', /^yes$/i.test(setting.value) ? 'for jobs that name no queue' : '')
    else if (limitsOfPartition.includes(key)) tell('honoured')
    else if (key === 'gracetime')
      tell(
        wholeOf(setting) === 0 ? 'honoured' : preemptsByTier(conf) ? 'approximated' : 'ignored',
        wholeOf(setting) === 0 ? '' : preemptsByTier(conf) ? RUNS_ON : 'nobody is preempted by tier',
      )
    else if (key === 'preemptmode') tell(...modeOfPartition(setting.value, conf))
    else if (key === 'tresbillingweights') tell(...weightsOf(setting, isBilled, resources))
    else if (isAsHere(key, setting.value)) tell('honoured')
    else tell('ignored', whyIgnoredOfPartition[key] ?? notSimulated(setting.name, [...Object.keys(whyIgnoredOfPartition), 'PriorityTier', 'PriorityJobFactor']))
  }
  if (partitions.length === 0 && conf.isConf)
    findings.add(
      'ignored',
      { line: 1 },
      'PartitionName',
      '',
      `none is declared: all jobs have one tier${written.some(({ of }) => of.toUpperCase() === 'DEFAULT') ? '; DEFAULT, in letters of any case, says what is true of those below it' : ''}`,
    )
}

function weightsOf(setting: Setting, isBilled: boolean, resources: readonly string[]): ['honoured' | 'approximated' | 'ignored', string] {
  const { billing, missing } = billingOf(setting, resources)
  if (!isBilled) return ['ignored', 'neither PriorityWeightFairshare nor a limit of billing is given']
  if (missing.length === 0) return ['honoured', '']
  return [Object.keys(billing).length === 0 ? 'ignored' : 'approximated', `the cluster has no ${missing.join(', ')}`]
}

/** Whether jobs are kept on the nodes of their partition; DEFAULT is that of those below it. */
function ofNodes(partition: string, setting: Setting, conf: SlurmConf, marked: ReadonlySet<string>, empty: readonly string[]): ['honoured' | 'ignored', string] {
  const whose = partition.toUpperCase() === 'DEFAULT' ? conf.partitions.filter(({ settings }) => settings.get('nodes') === setting).map(({ name }) => name.value) : [partition]
  if (whose.some((name) => empty.includes(name))) return ['honoured', 'none of them is up: its jobs wait']
  if (hasAllNodes(setting, conf) || whose.every((name) => marked.has(name))) return ['honoured', '']
  return ['ignored', 'jobs of the partition may run on all nodes: that takes the nodes of this file (--nodes)']
}

function tellNodes({ writtenOfNodes }: SlurmConf, findings: Findings): void {
  for (const { of, setting } of writtenOfNodes) {
    const [key, others] = [setting.name.toLowerCase(), setting.value.replace(/\([^)]*\)/g, '').split(',').filter((each) => each !== '' && !/^gpu(:|$)/.test(each.trim()))]
    const why = whyIgnoredOfNode[key] ?? notSimulated(setting.name, Object.keys(whyIgnoredOfNode))
    if (key === 'gres' && others.length > 0) findings.add('approximated', setting, `${of} ${setting.name}`, setting.value, `GPUs alone, without ${others.join(', ')}`)
    else if (why !== '') findings.add('ignored', setting, `${of} ${setting.name}`, setting.value, why)
  }
}

/** Settings of Slurm whose names are near to one that is used, and no slips. */
const OF_DAEMONS = /(port|plugin|file|log|filter)$|^accountingstorage(backuphost|externalhost|host|loc|parameters|pass|tres|type|user)$|^schedulerauth$/

/** Settings of daemons, logs and the like are told in one line. */
function tellOthers({ general, partitions, database }: SlurmConf, findings: Findings): void {
  const [parts, enforced] = [general.get('enforcepartlimits'), general.get('accountingstorageenforce')]
  if (parts !== undefined) findings.add(partitions.length > 0 ? 'honoured' : 'ignored', parts, parts.name, parts.value, partitions.length > 0 ? '' : 'no partition is declared')
  if (enforced !== undefined) tellEnforced(enforced, database.qos.length + database.accounts.length + database.users.length > 0, findings)
  const others: Setting[] = []
  for (const [key, setting] of general) {
    if (usedKeys.has(key)) continue
    if (isAsHere(key, setting.value)) {
      findings.add('honoured', setting, setting.name, setting.value)
      continue
    }
    const why = whyIgnored[key] ?? misplaced(key) ?? (OF_DAEMONS.test(key) || nearest(setting.name, used) === undefined ? undefined : notSimulated(setting.name, used))
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

/** Settings of partitions alone, and of nodes alone; those of both a partition and all are none of these. */
const ofPartitionsAlone = [
  ...limitsOfPartition, 'nodes', 'default', 'defaulttime', 'prioritytier', 'priorityjobfactor', 'tresbillingweights', 'allowgroups',
  'allocnodes', 'alternate', 'gracetime', 'hidden', 'lln', 'maxcpuspernode', 'maxcpuspersocket', 'minnodes', 'oversubscribe', 'reqresv',
  'rootonly', 'shared', 'exclusiveuser',
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
  const left = setting.value.split(',').map((flag) => flag.trim().toLowerCase()).filter((flag) => !['associations', 'limits', 'qos', 'safe', 'all'].includes(flag))
  findings.add(left.length === 0 ? 'honoured' : 'approximated', setting, setting.name, setting.value, left.length === 0 ? '' : `without ${left.join(' and ')}`)
}

import { nearest, type Config } from '@sched/core'
import { Findings } from '../finding.js'
import type { QueuePolicy } from '../yarn/fair-policy.js'
import { wholeOf, type Declared, type SlurmConf } from './conf.js'
import type { Setting } from './lines.js'
import { multifactorNames, multifactorOptions, replanOptions, timeOf } from './options.js'
import { whyIgnored, whyIgnoredOfPartition } from './other-settings.js'

export interface SlurmPolicy extends QueuePolicy {
  readonly kind: 'slurm'
  /** Those of the policy around all others. */
  readonly options: Readonly<Record<string, unknown>>
}

const used = ['SchedulerType', 'SchedulerParameters', 'PriorityType', 'PreemptType', 'PreemptMode', 'PreemptExemptTime', 'PreemptParameters', ...multifactorNames]
const usedKeys = new Set(used.map((name) => name.toLowerCase()))

/**
 * The policy of a slurm.conf: `replan` with Slurm's two passes (`strict` for sched/builtin) over `multifactor`, and
 * `slurm-preempting` around it where partitions preempt. Throws `BAD_INPUT` with the line for a value that Slurm does not take.
 */
export function slurmPolicy(conf: SlurmConf): SlurmPolicy {
  const findings = new Findings(conf.file)
  const tiers = ofPartitions(conf, 'prioritytier')
  const factors = ofPartitions(conf, 'priorityjobfactor')
  const order = { multifactor: { ...multifactorOptions(conf, findings), ...(isVaried(tiers) && { tiers }), ...(isVaried(factors) && { partitions: factors }) } }
  const type = conf.general.get('prioritytype')
  if (type !== undefined) tellType(type, ['priority/multifactor', 'priority/basic'], 'taken for priority/multifactor', findings)
  const inner = discipline(conf, Object.keys(order.multifactor).length === 0 ? 'fifo' : order, findings)
  const policy = preempting(conf, tiers, inner, findings)
  tellPartitions(conf, findings)
  tellOthers(conf, findings)
  return { kind: 'slurm', policy, options: Object.values(policy)[0] as Record<string, unknown>, findings: findings.all.sort((a, b) => a.line - b.line) }
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

function discipline({ general }: SlurmConf, order: Config, findings: Findings): Config {
  const type = general.get('schedulertype')
  if (type !== undefined) tellType(type, ['sched/backfill', 'sched/builtin'], 'taken for sched/backfill', findings)
  const options = replanOptions(general.get('schedulerparameters'), findings)
  return type?.value.toLowerCase() === 'sched/builtin' ? { strict: { order } } : { replan: { order, twoPass: true, ...options } }
}

/** Modes in which a preempted job is gone, for the time being or for good. */
const GOES = /^(REQUEUE|CANCEL)$/i

function preempting({ general }: SlurmConf, tiers: Readonly<Record<string, number>>, policy: Config, findings: Findings): Config {
  const [type, mode, exempt, parameters] = ['preempttype', 'preemptmode', 'preemptexempttime', 'preemptparameters'].map((name) => general.get(name))
  const modes = (mode?.value ?? 'OFF').split(',').map((each) => each.trim())
  const isByTier = /^preempt\/partition_prio$/i.test(type?.value ?? '')
  const acts = isByTier && modes.some((each) => GOES.test(each))
  if (type !== undefined) {
    if (acts || /^preempt\/none$/i.test(type.value)) findings.add('honoured', type, type.name, type.value)
    else findings.add('ignored', type, type.name, type.value, isByTier ? `nobody is preempted: PreemptMode is ${modes.join(',')}, and only REQUEUE and CANCEL are simulated` : 'nobody is preempted: only preempt/partition_prio is simulated')
  }
  if (mode !== undefined) tellMode(mode, modes, acts, findings)
  const isYoungest = /youngest_first/i.test(`${parameters?.value ?? ''},${general.get('schedulerparameters')?.value ?? ''}`)
  if (parameters !== undefined) findings.add(acts && isYoungest ? 'honoured' : 'ignored', parameters, parameters.name, parameters.value, acts ? 'only youngest_first is simulated' : 'nobody is preempted')
  const seconds = exempt === undefined || exempt.value === '-1' ? 0 : secondsOf(timeOf(exempt))
  if (exempt !== undefined) findings.add(acts ? 'honoured' : 'ignored', exempt, exempt.name, exempt.value, acts ? '' : 'nobody is preempted')
  if (!acts) return policy
  return { 'slurm-preempting': { tiers, ...(seconds > 0 && { exemptTime: seconds }), ...(isYoungest && { youngestFirst: true }), policy } }
}

function tellMode(mode: Setting, modes: readonly string[], acts: boolean, findings: Findings): void {
  const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, mode, mode.name, mode.value, note)
  if (!acts) return modes.every((each) => /^OFF$/i.test(each)) ? tell('honoured') : tell('ignored', 'nobody is preempted')
  if (modes.some((each) => /^CANCEL$/i.test(each))) return tell('approximated', 'preempted jobs run again, as with REQUEUE')
  if (modes.length > 1) return tell('approximated', 'REQUEUE alone')
  tell('honoured')
}

/** Seconds of a time that Slurm writes: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
function secondsOf(time: string): number {
  const [days, rest] = time.includes('-') ? (time.split('-') as [string, string]) : [undefined, time]
  const parts = rest.split(':').map(Number)
  const [a = 0, b = 0, c = 0] = days === undefined && parts.length < 3 ? [0, ...parts] : parts
  return Number(days ?? 0) * 86_400 + a * 3600 + b * 60 + c
}

function tellPartitions({ written, nodes, general, partitions }: SlurmConf, findings: Findings): void {
  for (const { of, setting } of written) {
    const key = setting.name.toLowerCase()
    const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, setting, `${of} ${setting.name}`, setting.value, note)
    if (key === 'prioritytier' || (key === 'priorityjobfactor' && general.has('priorityweightpartition'))) tell('honoured')
    else if (key === 'priority') tell('honoured', 'older name of PriorityTier and PriorityJobFactor')
    else if (key === 'priorityjobfactor') tell('ignored', 'PriorityWeightPartition is not given')
    else if (key === 'nodes') tell(isAll(setting.value, nodes) ? 'honoured' : 'ignored', isAll(setting.value, nodes) ? '' : 'jobs of every partition may run on all nodes')
    else if (key === 'state') tell(/^UP$/i.test(setting.value) ? 'honoured' : 'ignored', /^UP$/i.test(setting.value) ? '' : 'jobs of every partition run')
    else if (key === 'preemptmode') tell('ignored', `all partitions have the mode of the file, ${general.get('preemptmode')?.value ?? 'OFF'}`)
    else tell('ignored', whyIgnoredOfPartition[key] ?? unknown(setting.name, [...Object.keys(whyIgnoredOfPartition), 'PriorityTier', 'PriorityJobFactor']))
  }
  if (partitions.length === 0) findings.add('ignored', { line: 1 }, 'PartitionName', '', 'none is declared: all jobs have one tier')
}

const isAll = (nodes: string, declared: readonly Declared[]): boolean => /^ALL$/i.test(nodes) || (declared.length === 1 && declared[0]?.name.value === nodes)

const OF_DAEMONS = /(port|plugin|file|log|filter)$/

/** Settings of daemons, logs and the like are told in one line. */
function tellOthers({ general }: SlurmConf, findings: Findings): void {
  const others: Setting[] = []
  for (const [key, setting] of general) {
    if (usedKeys.has(key)) continue
    const why = whyIgnored[key] ?? (OF_DAEMONS.test(key) || nearest(setting.name, used) === undefined ? undefined : unknown(setting.name, used))
    if (why === undefined) others.push(setting)
    else findings.add('ignored', setting, setting.name, setting.value, why)
  }
  const [first] = others
  if (first !== undefined) findings.add('ignored', first, `${others.length} other setting${others.length === 1 ? '' : 's'}`, others.map(({ name }) => name).join(' '), 'of daemons, accounts, logs: nothing of that is simulated')
}

function unknown(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return close === undefined ? 'not simulated' : `not simulated; did you mean ${close}?`
}

import type { Findings } from '../finding.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { settingOf } from './database-settings.js'
import type { Entity } from './database.js'
import { isBasic } from './options.js'
import { qosNamed } from './partition-limits.js'
import { withFlag } from './qos-flags.js'
import { secondsOf, UNLIMITED } from './times.js'
import { listed, type Setting } from '../setting.js'

/** The priority of each QOS, without those of 0. Adds a finding for each. */
export function qosPriorities({ database, general }: SlurmConf, findings: Findings): Readonly<Record<string, number>> {
  const isUsed = general.has('priorityweightqos') || isByQos(general.get('preempttype'))
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const setting = settingOf(qos, 'priority')
    const priority = setting === undefined ? 0 : wholeOf(setting)
    if (setting === undefined || priority === 0) return []
    findings.add(isUsed ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, isUsed ? '' : 'PriorityWeightQOS is not given')
    return [[qos.name, priority]]
  }))
}

/** The factor by which the usage of jobs of a QOS is charged (UsageFactor), by QOS, without those of 1. */
export function usageFactors({ database }: SlurmConf): Readonly<Record<string, number>> {
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const factor = Number(settingOf(qos, 'usagefactor')?.value ?? 1)
    return factor === 1 || Number.isNaN(factor) ? [] : [[qos.name, factor]]
  }))
}

/**
 * Why the UsageThreshold of a QOS, the least that fair share must add to the priorities of its jobs, holds none of them back; empty: it may. It does not depend
 * on AccountingStorageEnforce.
 */
export function whyNoThreshold(qos: Entity, conf: SlurmConf): string {
  const setting = settingOf(qos, 'usagethres', 'usagethreshold')
  if (setting === undefined || UNLIMITED.test(setting.value) || Number(setting.value) === 0) return 'it has no UsageThreshold'
  if (!withFlag(conf, 'EnforceUsageThreshold').includes(qos.name)) return 'it does not have the flag EnforceUsageThreshold'
  return isBasic(conf) ? 'PriorityType is priority/basic, which has no fair-share factors' : ''
}

/** Whether any QOS has a UsageThreshold that may hold jobs back. */
export const haveThresholds = (conf: SlurmConf): boolean => conf.database.qos.some((qos) => whyNoThreshold(qos, conf) === '')

/** Whether PreemptType is preempt/qos. */
export const isByQos = (type: Setting | undefined): boolean => /^preempt\/qos$/i.test(type?.value ?? '')

/** The seconds that preempted jobs of a QOS run on (GraceTime), by QOS, without those of 0. Adds a finding for each. */
export function graceTimes({ database }: SlurmConf, acts: boolean, findings: Findings): Readonly<Record<string, number>> {
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const setting = settingOf(qos, 'gracetime')
    const seconds = setting === undefined ? 0 : /^\d+$/.test(setting.value) ? wholeOf(setting) : secondsOf(setting)
    if (setting === undefined || seconds === 0) return []
    findings.add(acts ? 'approximated' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? RUNS_ON : NO_QOS_PREEMPTION)
    return [[qos.name, seconds]]
  }))
}

/**
 * The seconds after their start during which jobs are not preempted (PreemptExemptTime), by QOS and by partition with such a QOS, as options of
 * `slurm-preempting`. Adds a finding for each.
 */
export function exemptTimes(conf: SlurmConf, acts: boolean, findings: Findings): Readonly<Record<string, unknown>> {
  return ofQosAndQueues(conf, ['exemptTimes', 'exemptTimesOfQueues'], (qos) => {
    const setting = settingOf(qos, 'preemptexempttime')
    if (setting === undefined || UNLIMITED.test(setting.value)) return undefined
    findings.add(acts ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? '' : 'nobody is preempted')
    return secondsOf(setting)
  })
}

/**
 * The priority from which on a waiting job keeps later ones back (MinPrioThreshold), by QOS and by partition with such a QOS, as options of `replan`. `why`:
 * why these settings have no effect, empty if they have one. Adds a finding for each.
 */
export function minPriorities(conf: SlurmConf, why: string, findings: Findings): Readonly<Record<string, unknown>> {
  return ofQosAndQueues(conf, ['minPriorities', 'minPrioritiesOfQueues'], (qos) => {
    const setting = MIN_PRIORITY.flatMap((key) => settingOf(qos, key) ?? [])[0]
    if (setting === undefined || UNLIMITED.test(setting.value) || setting.value === '0') return undefined
    const priority = wholeOf(setting, 0, 2 ** 32 - 1)
    findings.add(why === '' ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, why)
    return why === '' ? priority : undefined
  })
}
/** Names of the setting. */
const MIN_PRIORITY = ['minpriothreshold', 'minpriothresh', 'minpriothres']

/**
 * The numbers that QOS give, as two options: by name of the QOS, and by name of a partition whose QOS gives one. In the second case `ownQosFirst` lists the
 * QOS that are preferred to that of the partition (flag OverPartQOS).
 */
function ofQosAndQueues(conf: SlurmConf, [name, ofQueues]: readonly [string, string], numberOf: (qos: Entity) => number | undefined): Readonly<Record<string, unknown>> {
  const own = Object.fromEntries(conf.database.qos.flatMap((qos) => {
    const number = numberOf(qos)
    return number === undefined ? [] : [[qos.name, number]]
  }))
  const queues = Object.fromEntries(conf.partitions.flatMap(({ name: partition, settings }) => {
    const number = own[qosNamed(settings.get('qos')?.value ?? '', conf)?.name ?? '']
    return number === undefined ? [] : [[partition.value, number]]
  }))
  const first = withFlag(conf, 'OverPartQOS')
  return {
    ...(Object.keys(own).length > 0 && { [name]: own }), ...(Object.keys(queues).length > 0 && { [ofQueues]: queues, ...(first.length > 0 && { ownQosFirst: first }) }),
  }
}

/** The note for GraceTime. */
export const RUNS_ON = 'plans count on the time limits of jobs that run on for it'
/** The note for settings of preemption by QOS if there is none. */
export const NO_QOS_PREEMPTION = 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'

/** Which QOS each QOS preempts, as the option `qos` of `slurm-preempting`. `within`: whether jobs of a QOS preempt one another. Adds a finding for each. */
export function preemptingQos(
  { database }: SlurmConf,
  priorities: Readonly<Record<string, number>>,
  acts: boolean,
  within: (qos: Entity) => boolean,
  findings: Findings,
): Readonly<Record<string, object>> {
  return Object.fromEntries(database.qos.map((qos) => {
    const setting = settingOf(qos, 'preempt')
    const preempt = listed(setting?.value ?? '')
    if (setting !== undefined) findings.add(acts ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? '' : NO_QOS_PREEMPTION)
    return [qos.name, { ...(preempt.length > 0 && { preempt }), ...(priorities[qos.name] !== undefined && { priority: priorities[qos.name] }), ...(within(qos) && { within: true }) }]
  }))
}

import type { Findings } from '../finding.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import { qosNamed } from './partition-limits.js'
import { withFlag } from './qos-flags.js'
import { secondsOf, UNLIMITED } from './times.js'
import { listed, type Setting } from '../setting.js'

const settingOf = ({ settings }: Entity, key: string): Setting | undefined => settings.find((setting) => keyAndValue(setting)[0] === key && setting.value !== '')

/** Priorities of QOS, those above 0. */
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

/** How much of the use of each QOS is charged, where that is not all of it. */
export function usageFactors({ database }: SlurmConf): Readonly<Record<string, number>> {
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const factor = Number(settingOf(qos, 'usagefactor')?.value ?? 1)
    return factor === 1 || Number.isNaN(factor) ? [] : [[qos.name, factor]]
  }))
}

export const isByQos = (type: Setting | undefined): boolean => /^preempt\/qos$/i.test(type?.value ?? '')

/** Seconds for which preempted jobs of each QOS run on, those above 0. */
export function graceTimes({ database }: SlurmConf, acts: boolean, findings: Findings): Readonly<Record<string, number>> {
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const setting = settingOf(qos, 'gracetime')
    const seconds = setting === undefined ? 0 : /^\d+$/.test(setting.value) ? wholeOf(setting) : secondsOf(setting)
    if (setting === undefined || seconds === 0) return []
    findings.add(acts ? 'approximated' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? RUNS_ON : NO_QOS_PREEMPTION)
    return [[qos.name, seconds]]
  }))
}

/** Seconds for which jobs of each QOS are left alone after their start, and those of partitions whose QOS says so, as `slurm-preempting` takes them. */
export function exemptTimes(conf: SlurmConf, acts: boolean, findings: Findings): Readonly<Record<string, unknown>> {
  return ofQosAndQueues(conf, ['exemptTimes', 'exemptTimesOfQueues'], (qos) => {
    const setting = settingOf(qos, 'preemptexempttime')
    if (setting === undefined || UNLIMITED.test(setting.value)) return undefined
    findings.add(acts ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? '' : 'nobody is preempted')
    return secondsOf(setting)
  })
}

/** Priorities from which on jobs of each QOS keep others back, and those of partitions whose QOS says so, as `replan` takes them. `why` they do not: '' where they do. */
export function minPriorities(conf: SlurmConf, why: string, findings: Findings): Readonly<Record<string, unknown>> {
  return ofQosAndQueues(conf, ['minPriorities', 'minPrioritiesOfQueues'], (qos) => {
    const setting = MIN_PRIORITY.flatMap((key) => settingOf(qos, key) ?? [])[0]
    if (setting === undefined || UNLIMITED.test(setting.value) || setting.value === '0') return undefined
    const priority = wholeOf(setting, 0, 2 ** 32 - 1)
    findings.add(why === '' ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, why)
    return why === '' ? priority : undefined
  })
}
const MIN_PRIORITY = ['minpriothreshold', 'minpriothresh', 'minpriothres']

/** What QOS say, by their names and by the partitions that have one of them; with the QOS that come before that of the partition, where any is of one. */
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

export const RUNS_ON = 'its jobs go when that is over and their place is taken'
export const NO_QOS_PREEMPTION = 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'

/** Whom each QOS preempts, as `slurm-preempting` takes it; `within`: whether jobs of it preempt each other. */
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

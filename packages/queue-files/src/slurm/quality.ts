import type { Findings } from '../finding.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
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

/** Seconds for which jobs of each QOS are left alone after their start, of QOS that say so. */
export function exemptTimes({ database, partitions }: SlurmConf, acts: boolean, findings: Findings): Readonly<Record<string, number>> {
  return Object.fromEntries(database.qos.flatMap((qos) => {
    const setting = settingOf(qos, 'preemptexempttime')
    if (setting === undefined || UNLIMITED.test(setting.value)) return []
    const isOfPartition = partitions.some(({ settings }) => settings.get('qos')?.value.toLowerCase() === qos.name.toLowerCase())
    const verdict = !acts ? 'ignored' : isOfPartition ? 'approximated' : 'honoured'
    findings.add(verdict, setting, `QOS ${qos.name} ${setting.name}`, setting.value, !acts ? 'nobody is preempted' : isOfPartition ? 'for jobs of their own QOS, not of that of their partition' : '')
    return [[qos.name, secondsOf(setting)]]
  }))
}

export const RUNS_ON = 'its jobs go when that is over and their place is taken'
export const NO_QOS_PREEMPTION = 'nobody is preempted by QOS: that needs PreemptType=preempt/qos and a PreemptMode'

/** Whom each QOS preempts, as `slurm-preempting` takes it. */
export function preemptingQos({ database }: SlurmConf, priorities: Readonly<Record<string, number>>, acts: boolean, findings: Findings): Readonly<Record<string, object>> {
  return Object.fromEntries(database.qos.map((qos) => {
    const setting = settingOf(qos, 'preempt')
    const preempt = listed(setting?.value ?? '')
    if (setting !== undefined) findings.add(acts ? 'honoured' : 'ignored', setting, `QOS ${qos.name} ${setting.name}`, setting.value, acts ? '' : NO_QOS_PREEMPTION)
    return [qos.name, { ...(preempt.length > 0 && { preempt }), ...(priorities[qos.name] !== undefined && { priority: priorities[qos.name] }) }]
  }))
}

import { knownWords, type Config } from '@sched/core'
import type { Findings } from '../finding.js'
import { listed, type Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import { exemptTimes, graceTimes, isByQos, NO_QOS_PREEMPTION, preemptingQos } from './quality.js'
import { secondsOf } from './times.js'
import { withoutEmpty } from './without-empty.js'

/** What happens to preempted jobs, in the words of `slurm-preempting`. */
type Mode = 'requeue' | 'cancel' | 'suspend' | 'off'
type Numbers = Readonly<Record<string, number>>
type Verdict = 'honoured' | 'approximated' | 'ignored'

const wordsOf = (value: string): string[] => listed(value.toUpperCase())
const isMode = (word: string): boolean => /^(REQUEUE|CANCEL|SUSPEND|OFF)$/.test(word)

/** The words of PreemptMode besides the mode, such as GANG. */
const beside = (setting: Setting | undefined): string[] => wordsOf(setting?.value ?? '').filter((word) => !isMode(word))

/** The mode in a list such as SUSPEND,GANG; undefined: none, so that a partition or QOS has the mode of the cluster. */
const modeIn = (value: string): Mode | undefined => wordsOf(value).find(isMode)?.toLowerCase() as Mode | undefined

const isByTier = ({ general }: SlurmConf): boolean => /^preempt\/partition_prio$/i.test(general.get('preempttype')?.value ?? '')

/**
 * The mode of the cluster, and the modes of single partitions that differ; with preempt/qos those of single QOS. Jobs that may not be requeued
 * (JobRequeue=0) are given up instead.
 *
 * Source: Slurm, `slurm_job_preempt` and `_job_requeue_op`.
 */
function modesOf(conf: SlurmConf): { readonly mode: Mode; readonly modes: Readonly<Record<string, Mode>> } {
  const { general, partitions, database } = conf
  const mayRunAgain = general.get('jobrequeue')?.value !== '0'
  const modeFrom = (value = ''): Mode | undefined => {
    const written = modeIn(value)
    return written === 'requeue' && !mayRunAgain ? 'cancel' : written
  }
  const mode = modeFrom(general.get('preemptmode')?.value) ?? 'off'
  const settings: readonly (readonly [string, Setting | undefined])[] = isByTier(conf)
    ? partitions.map(({ name, settings: all }) => [name.value, all.get('preemptmode')])
    : database.qos.map((qos) => [qos.name, modeSetting(qos.settings)])
  const own = settings.flatMap(([name, setting]) => {
    const found = modeFrom(setting?.value)
    return found === undefined || found === mode ? [] : [[name, found] as const]
  })
  return { mode, modes: Object.fromEntries(own) }
}

const modeSetting = (settings: readonly Setting[]): Setting | undefined => settings.find((setting) => keyAndValue(setting)[0] === 'preemptmode')

/** Whether jobs are preempted at all. */
export function preemptionActs(conf: SlurmConf): boolean {
  const { mode, modes } = modesOf(conf)
  const isKnown = isByTier(conf) || (isByQos(conf.general.get('preempttype')) && conf.database.qos.length > 0)
  return isKnown && [mode, ...Object.values(modes)].some((each) => each !== 'off')
}

/** Whether jobs preempt others for licences, too: with reclaim_licenses, unless some are suspended, who keep theirs. */
export function reclaimsLicenses(conf: SlurmConf): boolean {
  const { mode, modes } = modesOf(conf)
  return preemptionActs(conf) && hasReclaim(conf) && ![mode, ...Object.values(modes)].includes('suspend')
}

const hasReclaim = ({ general }: SlurmConf): boolean => /reclaim_licenses/i.test(general.get('preemptparameters')?.value ?? '')

/** Whether jobs are preempted by the tier of their partitions. */
export const preemptsByTier = (conf: SlurmConf): boolean => isByTier(conf) && preemptionActs(conf)

/**
 * `slurm-preempting` around a policy if jobs are preempted, otherwise the policy itself. `order`: an order that goes by more than tiers; undefined: there is
 * none. Adds findings for all settings of preemption.
 */
export function preempting(
  conf: SlurmConf,
  { tiers, priorities, order, licenses }: { readonly tiers: Numbers; readonly priorities: Numbers; readonly order: Config | undefined; readonly licenses: Numbers | undefined },
  policy: Config,
  findings: Findings,
): Config {
  const { general } = conf
  const acts = preemptionActs(conf)
  const actsByQos = acts && isByQos(general.get('preempttype'))
  const mode = general.get('preemptmode')
  tellSettings(conf, acts, policy, findings)
  const exemptSeconds = exemptTime(general.get('preemptexempttime')) // read, and so checked, even if nobody is preempted
  const exemptTimesOfQos = exemptTimes(conf, acts, findings)
  const isWithin = (settings: readonly Setting[]) => [mode, modeSetting(settings)].some((each) => beside(each).includes('WITHIN'))
  const qos = preemptingQos(conf, priorities, actsByQos, ({ settings }) => isWithin(settings), findings)
  const graceOfQos = graceTimes(conf, actsByQos, findings)
  tellModesOfQos(conf, actsByQos, findings)
  if (!acts) return policy
  const { mode: ofAll, modes } = modesOf(conf)
  return {
    'slurm-preempting': {
      ...(isByTier(conf) ? { tiers } : { qos }),
      ...withoutEmpty({
        mode: ofAll !== 'requeue' && ofAll,
        modes,
        exemptTime: exemptSeconds > 0 && exemptSeconds,
        ...exemptTimesOfQos,
        requeueDelay: requeueDelay(conf) || false,
        graceTime: isByTier(conf) ? graceOfPartitions(conf) : graceOfQos,
        byPriority: beside(mode).includes('PRIORITY'),
        ...parametersOf(conf),
        licenses,
        order,
      }),
      policy,
    },
  }
}

/**
 * Seconds for which a requeued job waits until its credential is void: cred_expire of AuthInfo, 120 by default and for less than 5, and one more; 0: no job is
 * requeued.
 *
 * Source: Slurm, `batch_requeue_fini` of slurmctld, `cred_expire` of slurm_cred.c.
 */
export function requeueDelay(conf: SlurmConf): number {
  const { general } = conf
  const { mode, modes } = modesOf(conf)
  if (!preemptionActs(conf) || ![mode, ...Object.values(modes)].includes('requeue')) return 0
  const given = Number(/cred_expire=(\d+)/i.exec(general.get('authinfo')?.value ?? '')?.[1])
  return (given >= 5 ? given : 120) + 1
}

/** Seconds after their start during which jobs are not preempted; 0 if the setting is not given or -1. */
const exemptTime = (setting: Setting | undefined): number => (setting === undefined || setting.value === '-1' ? 0 : secondsOf(setting))

/** The options in PreemptParameters, and in the words of SchedulerParameters that begin with preempt_; youngest_first and the like may stand in either. */
function parametersOf({ general }: SlurmConf): Readonly<Record<string, unknown>> {
  const own = general.get('preemptparameters')?.value ?? ''
  const both = `${own},${general.get('schedulerparameters')?.value ?? ''}`
  const numberIn = (text: string, name: RegExp): number | undefined => {
    const found = name.exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  return {
    youngestFirst: /youngest_first/i.test(both),
    minExemptPriority: numberIn(own, /min_exempt_priority=(\d+)/i),
    strictOrder: /strict_order/i.test(both),
    reorderCount: numberIn(both, /reorder_count=(\d+)/i),
  }
}

/** Adds findings for PreemptType, PreemptMode, PreemptParameters and PreemptExemptTime. */
function tellSettings(conf: SlurmConf, acts: boolean, policy: Config, findings: Findings): void {
  const [type, mode, exempt, parameters] = ['preempttype', 'preemptmode', 'preemptexempttime', 'preemptparameters'].map((name) => conf.general.get(name))
  if (type !== undefined) {
    const isKnown = acts || /^preempt\/none$/i.test(type.value)
    findings.add(isKnown ? 'honoured' : 'ignored', type, type.name, type.value, isKnown ? '' : whyNobody(conf, type, mode))
  }
  if (mode !== undefined) findings.add(...(typeof policy === 'object' && 'gang-scheduling' in policy ? inTurns(mode) : told(mode, acts, isByQos(type))))
  if (parameters !== undefined) tellParameters(parameters, acts, reclaimsLicenses(conf), findings)
  if (exempt !== undefined) findings.add(acts ? 'honoured' : 'ignored', exempt, exempt.name, exempt.value, acts ? '' : NOBODY)
}

/** The note on PreemptType if nobody is preempted. */
function whyNobody(conf: SlurmConf, type: Setting, mode: Setting | undefined): string {
  if (isByTier(conf) || (isByQos(type) && conf.database.qos.length > 0)) return `nobody is preempted: PreemptMode is ${mode?.value ?? 'OFF'}, not REQUEUE, CANCEL or SUSPEND`
  return isByQos(type)
    ? 'nobody is preempted: QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt'
    : 'nobody is preempted: only preempt/partition_prio and preempt/qos are simulated'
}

function told(mode: Setting, acts: boolean, byQos: boolean): [Verdict, Setting, string, string, string] {
  const [verdict, note] = verdictOn(mode.value, acts, byQos)
  return [verdict, mode, mode.name, mode.value, note]
}

const inTurns = (mode: Setting): [Verdict, Setting, string, string, string] =>
  ['approximated', mode, mode.name, mode.value, 'jobs take turns in rows over all nodes; in Slurm in each partition by itself']

const NOBODY = 'nobody is preempted'
const COUNTED = 'suspended jobs go on when those that took their place have ended; free processors of a node are counted, not told apart'
/** A deviation. Source: manual page of slurm.conf, PreemptMode. */
const TURNS = 'in Slurm jobs of one partition take turns with those whose QOS preempts them'

/** What becomes of a mode. `acts`: whether anybody is preempted. */
function verdictOn(value: string, acts: boolean, byQos = false): [Verdict, string] {
  const mode = modeIn(value)
  if (!acts) return mode === 'off' ? ['honoured', ''] : ['ignored', NOBODY]
  const left = wordsOf(value).filter((word) => !isMode(word) && word !== 'WITHIN' && word !== 'PRIORITY' && !(mode === 'suspend' && word === 'GANG'))
  const without = left.length === 0 ? '' : `without ${left.join(' and ')}`
  if (mode === 'suspend') return ['approximated', [COUNTED, ...(byQos ? [TURNS] : []), ...(without === '' ? [] : [without])].join('; ')]
  return [without === '' ? 'honoured' : 'approximated', without]
}

/** What becomes of the mode of a partition. */
export function modeOfPartition(value: string, conf: SlurmConf): [Verdict, string] {
  if (/^OFF$/i.test(value.trim()))
    return isByTier(conf) || modeIn(conf.general.get('preemptmode')?.value ?? 'OFF') === 'off'
      ? ['honoured', isByTier(conf) ? 'its jobs are not preempted' : '']
      : ['ignored', 'nobody is preempted by tier']
  return preemptsByTier(conf) ? verdictOn(value, true) : ['ignored', 'nobody is preempted by tier']
}

/** Adds a finding for the mode of each QOS. */
function tellModesOfQos({ database }: SlurmConf, acts: boolean, findings: Findings): void {
  for (const { name, settings } of database.qos) {
    const setting = modeSetting(settings)
    if (setting === undefined || setting.value === '' || /^cluster$/i.test(setting.value)) continue
    const [verdict, note] = acts ? verdictOn(setting.value, true, true) : (['ignored', NO_QOS_PREEMPTION] as const)
    findings.add(verdict, setting, `QOS ${name} ${setting.name}`, setting.value, note)
  }
}

/** The seconds that preempted jobs of a partition run on (GraceTime), by partition, without those of 0. */
const graceOfPartitions = ({ partitions }: SlurmConf): Record<string, number> =>
  Object.fromEntries(partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('gracetime')
    const seconds = setting === undefined ? 0 : wholeOf(setting)
    return seconds === 0 ? [] : [[name.value, seconds]]
  }))

/** Why single words of PreemptParameters have no effect here. */
const whyNotHere = knownWords<string>({
  reclaim_licenses: 'since suspended jobs keep their licences', send_user_signal: 'since jobs heed no signals', suspend_grace_time: 'since jobs stop at once',
})

function tellParameters(parameters: Setting, acts: boolean, reclaims: boolean, findings: Findings): void {
  const given = listed(parameters.value)
  const left = given.filter((each) => !/^(youngest_first|strict_order|(reorder_count|min_exempt_priority)=\d+)$/i.test(each) && !(reclaims && /^reclaim_licenses$/i.test(each)))
  const verdict = !acts || left.length === given.length ? 'ignored' : left.length > 0 ? 'approximated' : 'honoured'
  const why = (word: string) => whyNotHere[(word.split('=')[0] as string).toLowerCase()]
  const known = left.filter((word) => why(word) !== undefined).map((word) => `without ${word}, ${why(word)}`)
  const others = left.filter((word) => why(word) === undefined)
  const unknown = others.length === 0 ? [] : [`without ${others.join(' and ')}, which ${others.length === 1 ? 'is' : 'are'} not simulated`]
  findings.add(verdict, parameters, parameters.name, parameters.value, !acts ? NOBODY : [...known, ...unknown].join('; '))
}

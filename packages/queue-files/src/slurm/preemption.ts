import type { Config } from '@sched/core'
import type { Findings } from '../finding.js'
import { listed, type Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { keyAndValue } from './database-settings.js'
import { exemptTimes, graceTimes, isByQos, NO_QOS_PREEMPTION, preemptingQos } from './quality.js'
import { secondsOf } from './times.js'

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

/** The mode of the cluster, and the modes of single partitions that differ; with preempt/qos those of single QOS. */
function modesOf(conf: SlurmConf): { readonly mode: Mode; readonly modes: Readonly<Record<string, Mode>> } {
  const { general, partitions, database } = conf
  const mode = modeIn(general.get('preemptmode')?.value ?? '') ?? 'off'
  const settings: readonly (readonly [string, Setting | undefined])[] = isByTier(conf)
    ? partitions.map(({ name, settings: all }) => [name.value, all.get('preemptmode')])
    : database.qos.map((qos) => [qos.name, modeSetting(qos.settings)])
  const own = settings.flatMap(([name, setting]) => {
    const found = modeIn(setting?.value ?? '')
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

/** Whether jobs are preempted by the tier of their partitions. */
export const preemptsByTier = (conf: SlurmConf): boolean => isByTier(conf) && preemptionActs(conf)

/**
 * `slurm-preempting` around a policy if jobs are preempted, otherwise the policy itself. `order`: an order that goes by more than tiers; undefined: there is
 * none. Adds findings for all settings of preemption.
 */
export function preempting(
  conf: SlurmConf,
  { tiers, priorities, order }: { readonly tiers: Numbers; readonly priorities: Numbers; readonly order: Config | undefined },
  policy: Config,
  findings: Findings,
): Config {
  const { general } = conf
  const [type, mode, exempt, parameters] = ['preempttype', 'preemptmode', 'preemptexempttime', 'preemptparameters'].map((name) => general.get(name))
  const byTier = isByTier(conf)
  const acts = preemptionActs(conf)
  if (type !== undefined) {
    if (acts || /^preempt\/none$/i.test(type.value)) findings.add('honoured', type, type.name, type.value)
    else findings.add('ignored', type, type.name, type.value, whyNobody(conf, type, mode))
  }
  if (mode !== undefined) findings.add(...(typeof policy === 'object' && 'gang-scheduling' in policy ? inTurns(mode) : told(mode, acts, isByQos(type))))
  const given = `${parameters?.value ?? ''},${general.get('schedulerparameters')?.value ?? ''}`
  const isYoungest = /youngest_first/i.test(given)
  const isStrict = /strict_order/i.test(given)
  const reorder = /reorder_count=(\d+)/i.exec(given)?.[1]
  const exempted = /min_exempt_priority=(\d+)/i.exec(parameters?.value ?? '')?.[1]
  if (parameters !== undefined) tellParameters(parameters, acts, findings)
  const seconds = exempt === undefined || exempt.value === '-1' ? 0 : secondsOf(exempt)
  if (exempt !== undefined) findings.add(acts ? 'honoured' : 'ignored', exempt, exempt.name, exempt.value, acts ? '' : 'nobody is preempted')
  const ofQos = exemptTimes(conf, acts, findings)
  const isWithin = beside(mode).includes('WITHIN')
  const qos = preemptingQos(conf, priorities, acts && isByQos(type), (each) => isWithin || beside(modeSetting(each.settings)).includes('WITHIN'), findings)
  const graceOfQos = graceTimes(conf, acts && isByQos(type), findings)
  tellQos(conf, acts && isByQos(type), findings)
  const graceTime = byTier ? graceOfPartitions(conf) : graceOfQos
  if (!acts) return policy
  const { mode: ofAll, modes } = modesOf(conf)
  return {
    'slurm-preempting': {
      ...(byTier ? { tiers } : { qos }),
      ...(ofAll !== 'requeue' && { mode: ofAll }),
      ...(Object.keys(modes).length > 0 && { modes }),
      ...(seconds > 0 && { exemptTime: seconds }),
      ...ofQos,
      ...(Object.keys(graceTime).length > 0 && { graceTime }),
      ...(isYoungest && { youngestFirst: true }),
      ...(beside(mode).includes('PRIORITY') && { byPriority: true }),
      ...(exempted !== undefined && { minExemptPriority: Number(exempted) }),
      ...(isStrict && { strictOrder: true }),
      ...(reorder !== undefined && { reorderCount: Number(reorder) }),
      ...(order !== undefined && { order }),
      policy,
    },
  }
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

const COUNTED = 'suspended jobs go on when those that took their place have ended; whose a free processor of a node is, is counted by amounts'
/** A deviation. Source: manual page of slurm.conf, PreemptMode. */
const TURNS = 'in Slurm jobs of one partition take turns with those whose QOS preempts them'

/** What becomes of a mode. `acts`: whether anybody is preempted. */
function verdictOn(value: string, acts: boolean, byQos = false): [Verdict, string] {
  const mode = modeIn(value)
  if (!acts) return mode === 'off' ? ['honoured', ''] : ['ignored', 'nobody is preempted']
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
function tellQos({ database }: SlurmConf, acts: boolean, findings: Findings): void {
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

function tellParameters(parameters: Setting, acts: boolean, findings: Findings): void {
  const given = listed(parameters.value)
  const left = given.filter((each) => !/^(youngest_first|strict_order|(reorder_count|min_exempt_priority)=\d+)$/i.test(each))
  const verdict = !acts || left.length === given.length ? 'ignored' : left.length > 0 ? 'approximated' : 'honoured'
  findings.add(
    verdict,
    parameters,
    parameters.name,
    parameters.value,
    !acts ? 'nobody is preempted' : left.length === 0 ? '' : `without ${left.join(' and ')}, which ${left.length === 1 ? 'is' : 'are'} not simulated`,
  )
}

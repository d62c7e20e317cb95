import { knownWords } from '@sched/core'
import { priorityFlags, usageResetOf, usageResetPeriods } from '@sched/policies'
import { notSimulated, type Findings } from '../finding.js'
import { billingOf } from './billing.js'
import { isYes, wholeOf, type SlurmConf } from './conf.js'
import { BEST_FIT } from './other-settings.js'
import { checkedTime } from './times.js'
import { listed, type Setting } from '../setting.js'

/**
 * Numbers in SchedulerParameters that `replan` has under the same name, with the range that Slurm takes; for a number outside it Slurm takes its default.
 *
 * Source: Slurm, `_load_config` of sched/backfill and `_schedule` of slurmctld.
 */
const parameters = knownWords<readonly [least: number, most: number]>({
  bf_interval: [1, 10_800], sched_interval: [0, Infinity], bf_window: [1, 43_200], bf_resolution: [1, 3600], bf_max_job_test: [1, 1e6], bf_node_space_size: [2, 2e6], bf_max_job_start: [0, 10_000],
  bf_max_job_user: [0, Infinity], bf_max_job_assoc: [0, Infinity], bf_max_job_part: [0, Infinity], bf_max_job_user_part: [0, Infinity], bf_max_job_array_resv: [0, 1000],
  bf_job_part_count_reserve: [0, 1e5], bf_min_age_reserve: [0, 2_592_000], bf_min_prio_reserve: [0, 2 ** 32 - 1], bf_window_linear: [0, Infinity],
  batch_sched_delay: [0, Infinity], default_queue_depth: [0, Infinity], partition_job_depth: [0, Infinity], sched_max_job_start: [0, Infinity], max_switch_wait: [0, Infinity],
})
/** Those that the main scheduler reads too, so that they count without backfill plans. */
const ofMainPass = ['sched_interval', 'batch_sched_delay', 'bf_min_age_reserve', 'bf_min_prio_reserve', 'default_queue_depth', 'partition_job_depth', 'sched_max_job_start', 'max_switch_wait']
/** Why other words of SchedulerParameters have no effect here. */
const whyNot = knownWords<string>({
  bf_continue: 'decisions take no time, so a plan is never cut off', bf_yield_interval: 'decisions take no time', bf_yield_sleep: 'decisions take no time', bf_max_time: 'decisions take no time', max_sched_time: 'decisions take no time', build_queue_timeout: 'decisions take no time',
  sched_min_interval: 'decisions take no time', defer_batch: 'no job starts as it is submitted', max_rpc_cnt: 'decisions take no time', yield_rpc_cnt: 'decisions take no time',
  bf_busy_nodes: BEST_FIT, pack_serial_at_end: BEST_FIT, nohold_on_prolog_fail: 'nothing fails',
  bf_hetjob_prio: 'a heterogeneous job has the priority of its first part', bf_hetjob_immediate: 'a heterogeneous job starts when a plan comes to it, as with this', no_backup_scheduling: 'there is one scheduler',
  bf_running_job_reserve: 'running jobs keep their nodes in plans as it is', bf_allow_magnetic_resv: 'reservations are not MAGNETIC here', allow_zero_lic: 'jobs that ask for more licences than there are are refused',
  reduce_completing_frag: 'nodes are clear at once', enable_user_top: 'nobody puts jobs of his own before others', time_min_as_soft_limit: 'jobs have one time limit', delay_boot: 'nodes are up or down',
  permit_job_expansion: 'jobs keep their size', disable_job_shrink: 'jobs keep their size', ignore_prefer_validation: 'no job is checked when it is submitted', ignore_constraint_validation: 'no job is checked when it is submitted',
  extra_constraints: 'records of jobs do not tell them', bb_array_stage_cnt: 'there are no burst buffers', spec_cores_first: 'processors are counted, not told apart', ignore_numa: 'processors are counted, not told apart', bf_topopt_enable: 'not simulated', bf_topopt_iterations: 'not simulated', kill_invalid_depend: 'jobs are submitted when the workload says',
})

/** Whether SchedulerParameters has this word, without a number. `name` in small letters. */
export const hasParameter = ({ general }: SlurmConf, name: string): boolean =>
  listed(general.get('schedulerparameters')?.value ?? '').some((each) => each.toLowerCase() === name)

/** Whether backfill plans are made: not with sched/builtin, and not with bf_interval=-1. */
export function makesPlans({ general }: SlurmConf): boolean {
  const first = listed(general.get('schedulerparameters')?.value ?? '').find((part) => /^bf_interval=/i.test(part))
  return !/^sched\/builtin$/i.test(general.get('schedulertype')?.value ?? '') && first?.split('=')[1] !== '-1'
}

/**
 * The options of `replan` that are numbers in SchedulerParameters. `flags`: words that other functions read, with why each has no effect
 * (empty: it has one). Adds a finding for each word. Throws `BAD_INPUT` with the line for a value that is no number.
 */
export function replanOptions(conf: SlurmConf, flags: Readonly<Record<string, string>>, findings: Findings): Record<string, number> {
  const setting = conf.general.get('schedulerparameters')
  const hasPlans = makesPlans(conf)
  const options: Record<string, number> = hasPlans ? {} : { bf_interval: -1 }
  const seen = new Set<string>()
  for (const part of listed(setting?.value ?? '')) {
    const given = setting as Setting
    const [name = '', value = ''] = part.split('=')
    const key = name.toLowerCase()
    const [range, flag] = [parameters[key], flags[key]]
    const tell = (verdict: 'honoured' | 'ignored', note = '') => findings.add(verdict, given, `${given.name} ${name}`, value, note)
    if (flag !== undefined) tell(flag === '' ? 'honoured' : 'ignored', flag)
    else if (range === undefined) tell('ignored', whyNot[key] ?? notSimulated(name, [...Object.keys(parameters), ...Object.keys(flags), ...Object.keys(whyNot)]))
    else if (seen.has(key)) tell('ignored', 'it is given before, and Slurm takes the first')
    else {
      seen.add(key)
      const [least, most] = range
      const number = /^-\d{1,10}$/.test(value) ? Number(value) : wholeOf({ ...given, name: `${given.name} ${name}`, value }, 0, 2 ** 32 - 1)
      if (key === 'bf_interval' && number === -1) tell('honoured', 'no plans are made')
      else if (key === 'sched_interval' && number === -1) tell('ignored', 'it switches the main scheduler off in Slurm, and here jobs start at events all the same')
      else if (key === 'sched_interval' && hasPlans) tell('ignored', 'the plan looks at the whole queue every bf_interval')
      else if (!hasPlans && !ofMainPass.includes(key)) tell('ignored', 'no plans are made')
      else if (number < least || number > most) tell('ignored', `Slurm takes its default for it${number > most ? `, since it is more than ${most}` : ''}`)
      else {
        // 0 acts as 1 in Slurm: the first task of an array has its reservation before the limit is asked, and the main scheduler runs at most once a second
        options[key] = key === 'bf_max_job_array_resv' || key === 'sched_interval' ? Math.max(1, number) : number
        tell('honoured')
      }
    }
  }
  return options
}

/** Weights of the order `multifactor`, which has them under the same names. */
export const weights = ['PriorityWeightAge', 'PriorityWeightFairshare', 'PriorityWeightJobSize', 'PriorityWeightPartition', 'PriorityWeightQOS', 'PriorityWeightAssoc']
const times = ['PriorityMaxAge', 'PriorityDecayHalfLife', 'PriorityCalcPeriod']
/** All settings of which the order `multifactor` is made. */
export const multifactorNames = [...weights, 'PriorityWeightTRES', ...times, 'PriorityFavorSmall', 'PriorityUsageResetPeriod', 'FairShareDampeningFactor', 'PriorityFlags']

/**
 * The options of the order `multifactor` that are settings of the file. Adds a finding for each. Throws `BAD_INPUT` with the line for a value that Slurm does
 * not take.
 */
export function multifactorOptions({ general, database }: SlurmConf, resources: readonly string[], findings: Findings): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  const isOfTime = isBasic({ general })
  for (const name of multifactorNames) {
    const setting = general.get(name.toLowerCase())
    if (setting === undefined) continue
    if (isOfTime) findings.add('ignored', setting, name, setting.value, 'PriorityType is priority/basic')
    else if (name === 'PriorityWeightQOS' && database.qos.length === 0)
      findings.add(
        'ignored',
        setting,
        name,
        setting.value,
        'QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt',
      )
    else if (name === 'PriorityWeightAssoc' && database.accounts.length + database.users.length === 0 && setting.value !== '0')
      findings.add('ignored', setting, name, setting.value, 'associations are not in this file; give what `sacctmgr dump` writes, as slurm.conf+accounts.cfg')
    else if (name === 'PriorityWeightTRES') takeTres(options, setting, resources, findings)
    else take(options, name, setting, database.accounts.length > 0, findings)
  }
  return options
}

/** Whether PriorityType is priority/basic. */
export const isBasic = ({ general }: Pick<SlurmConf, 'general'>): boolean => /^priority\/basic$/i.test(general.get('prioritytype')?.value ?? '')

/** The words of a setting such as PriorityFlags, in capital letters. */
export const flagsOf = (setting: Setting | undefined): string[] => listed((setting?.value ?? '').toUpperCase())

/** Reads PriorityWeightTRES, the weights of resources under the cluster's names, and of `node`. */
function takeTres(options: Record<string, unknown>, setting: Setting, resources: readonly string[], findings: Findings): void {
  const { billing, missing } = billingOf(setting, [...resources.filter((name) => !/^nodes?$/i.test(name)), 'node'])
  if (Object.keys(billing).length > 0) options['tres'] = billing
  const verdict = missing.length === 0 ? 'honoured' : Object.keys(billing).length === 0 ? 'ignored' : 'approximated'
  findings.add(verdict, setting, setting.name, setting.value, missing.length === 0 ? '' : `the cluster has no ${missing.join(', ')}`)
}

/** Reads PriorityFlags. FAIR_TREE is the default of `multifactor`, unless another flag ends it. */
function takeFlags(options: Record<string, unknown>, setting: Setting, findings: Findings): void {
  const flags = flagsOf(setting)
  const known = flags.filter((flag) => priorityFlags.includes(flag))
  const left = flags.filter((flag) => !known.includes(flag) && flag !== 'FAIR_TREE')
  if (left.length < flags.length) options['PriorityFlags'] = known.join(',')
  const note = left.length === 0 ? '' : `without ${left.join(' and ')}, which ${left.length === 1 ? 'is' : 'are'} not simulated`
  findings.add(left.length === 0 ? 'honoured' : left.length < flags.length ? 'approximated' : 'ignored', setting, 'PriorityFlags', setting.value, note)
}

/** Reads one setting of `multifactor`. `hasShares`: whether shares of accounts are given. */
function take(options: Record<string, unknown>, name: string, setting: Setting, hasShares: boolean, findings: Findings): void {
  const { value } = setting
  const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, setting, name, value, note)
  if (weights.includes(name) || name === 'FairShareDampeningFactor') options[name] = wholeOf(setting, name === 'FairShareDampeningFactor' ? 1 : 0, 2 ** 32 - 1)
  else if (times.includes(name)) options[name] = checkedTime(setting)
  else if (name === 'PriorityFavorSmall') options[name] = isYes(setting) ? 'YES' : 'NO'
  else if (name === 'PriorityFlags') return takeFlags(options, setting, findings)
  else {
    const period = usageResetPeriods.find((each) => each === value.toUpperCase())
    if (period === undefined) return tell('ignored', `Slurm takes ${usageResetPeriods.join(', ')}`)
    options[name] = period
    if (usageResetOf(period) !== undefined)
      return tell('approximated', 'at midnight of the time zone of the log, of UTC where none is known, if it says when it began; otherwise as if that had been at midnight of 1 January, a Sunday')
  }
  if (name === 'PriorityWeightFairshare' && options[name] !== 0 && !hasShares)
    return tell(
      'approximated',
      'shares are not in this file: users have one each, in the account that their job names; give what `sacctmgr dump` writes, as slurm.conf+accounts.cfg, or `accounts` for others',
    )
  tell('honoured')
}

/** Adds a finding for the type of a plug-in, which is ignored unless it is in `known`. `otherwise`: what it is taken for then. */
export function tellType(setting: Setting, known: readonly string[], otherwise: string, findings: Findings): void {
  const isKnown = known.includes(setting.value.toLowerCase())
  findings.add(isKnown ? 'honoured' : 'ignored', setting, setting.name, setting.value, isKnown ? '' : `not simulated: ${otherwise}`)
}

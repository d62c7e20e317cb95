import { knownWords } from '@sched/core'
import { priorityFlags } from '@sched/policies'
import { notSimulated, type Findings } from '../finding.js'
import { billingOf } from './billing.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { checkedTime } from './times.js'
import { listed, type Setting } from '../setting.js'

/** Numbers of SchedulerParameters that `replan` has under the same name, with the least that it takes; 0 is Slurm's default where that is not taken. */
const parameters = knownWords<number>({
  bf_interval: 1, bf_window: 1, bf_resolution: 1, bf_max_job_test: 1, bf_node_space_size: 2, bf_max_job_start: 0, bf_max_job_user: 0, bf_max_job_assoc: 0, bf_max_job_part: 0, bf_max_job_user_part: 0, bf_max_job_array_resv: 1, bf_job_part_count_reserve: 0, bf_min_age_reserve: 0, bf_min_prio_reserve: 0, bf_window_linear: 0,
  default_queue_depth: 0, partition_job_depth: 0, sched_max_job_start: 0,
})
const whyNot = knownWords<string>({
  bf_continue: 'decisions take no time, so a plan is never cut off', bf_yield_interval: 'decisions take no time', bf_yield_sleep: 'decisions take no time', bf_max_time: 'decisions take no time', max_sched_time: 'decisions take no time', build_queue_timeout: 'decisions take no time',
  sched_min_interval: 'decisions take no time', batch_sched_delay: 'decisions take no time', defer: 'decisions take no time', defer_batch: 'decisions take no time', max_rpc_cnt: 'decisions take no time', yield_rpc_cnt: 'decisions take no time',
  sched_interval: 'the plan looks at the whole queue every bf_interval',
  bf_busy_nodes: 'where tasks go is up to the placement of the policy', pack_serial_at_end: 'where tasks go is up to the placement of the policy', nohold_on_prolog_fail: 'nothing fails',
  bf_hetjob_prio: 'a heterogeneous job has the priority of its first part', bf_hetjob_immediate: 'a heterogeneous job starts when a plan comes to it, as with this', no_backup_scheduling: 'there is one scheduler',
  bf_running_job_reserve: 'not simulated', bf_one_resv_per_job: 'a job has one reservation', bf_topopt_enable: 'not simulated', bf_topopt_iterations: 'not simulated', max_switch_wait: 'there are no switches', kill_invalid_depend: 'jobs are submitted when the workload says',
})

/** Whether SchedulerParameters has a word without a number. */
export const hasParameter = ({ general }: SlurmConf, name: string): boolean =>
  listed(general.get('schedulerparameters')?.value ?? '').some((each) => each.toLowerCase() === name)

/**
 * What `replan` takes of SchedulerParameters. `flags`: words without a number that others take, with why each means nothing here, '' where it acts.
 * Throws `BAD_INPUT` for a number that is none.
 */
export function replanOptions(setting: Setting | undefined, flags: Readonly<Record<string, string>>, findings: Findings): Record<string, number> {
  const options: Record<string, number> = {}
  for (const part of listed(setting?.value ?? '')) {
    const given = setting as Setting
    const [name = '', value = ''] = part.split('=')
    const [least, flag] = [parameters[name.toLowerCase()], flags[name.toLowerCase()]]
    const tell = (verdict: 'honoured' | 'ignored', note = '') => findings.add(verdict, given, `${given.name} ${name}`, value, note)
    if (name === 'preempt_youngest_first' || name === 'preempt_reorder_count') tell('honoured')
    else if (flag !== undefined) tell(flag === '' ? 'honoured' : 'ignored', flag)
    else if (least === undefined) tell('ignored', whyNot[name.toLowerCase()] ?? notSimulated(name, [...Object.keys(parameters), ...Object.keys(flags), ...Object.keys(whyNot)]))
    else {
      const number = wholeOf({ ...given, name: `${given.name} ${name}`, value })
      if (number < least) tell('ignored', 'Slurm takes its default for it')
      else {
        options[name.toLowerCase()] = number
        tell('honoured')
      }
    }
  }
  return options
}

/** Settings of multifactor that keep their name. */
export const weights = ['PriorityWeightAge', 'PriorityWeightFairshare', 'PriorityWeightJobSize', 'PriorityWeightPartition', 'PriorityWeightQOS']
const times = ['PriorityMaxAge', 'PriorityDecayHalfLife', 'PriorityCalcPeriod']
export const multifactorNames = [...weights, 'PriorityWeightTRES', ...times, 'PriorityFavorSmall', 'PriorityUsageResetPeriod', 'FairShareDampeningFactor', 'PriorityFlags']

/** What `multifactor` takes of the file, under Slurm's names. Throws `BAD_INPUT` for a value that Slurm does not take. */
export function multifactorOptions({ general, database }: SlurmConf, resources: readonly string[], findings: Findings): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  const isBasic = /^priority\/basic$/i.test(general.get('prioritytype')?.value ?? '')
  for (const name of multifactorNames) {
    const setting = general.get(name.toLowerCase())
    if (setting === undefined) continue
    if (isBasic) findings.add('ignored', setting, name, setting.value, 'PriorityType is priority/basic')
    else if (name === 'PriorityWeightQOS' && database.qos.length === 0)
      findings.add(
        'ignored',
        setting,
        name,
        setting.value,
        'QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt',
      )
    else if (name === 'PriorityWeightTRES') takeTres(options, setting, resources, findings)
    else take(options, name, setting, database.accounts.length > 0, findings)
  }
  return options
}

/** The words of PriorityFlags. */
export const flagsOf = (setting: Setting | undefined): string[] => listed((setting?.value ?? '').toUpperCase())

/** Weights of amounts, under names of the cluster. */
function takeTres(options: Record<string, unknown>, setting: Setting, resources: readonly string[], findings: Findings): void {
  const { billing, missing } = billingOf(setting, resources)
  if (Object.keys(billing).length > 0) options['tres'] = billing
  const verdict = missing.length === 0 ? 'honoured' : Object.keys(billing).length === 0 ? 'ignored' : 'approximated'
  findings.add(verdict, setting, setting.name, setting.value, missing.length === 0 ? '' : `the cluster has no ${missing.join(', ')}`)
}

function take(options: Record<string, unknown>, name: string, setting: Setting, hasShares: boolean, findings: Findings): void {
  const { value } = setting
  const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, setting, name, value, note)
  if (weights.includes(name) || name === 'FairShareDampeningFactor') options[name] = wholeOf(setting, name === 'FairShareDampeningFactor' ? 1 : 0)
  else if (times.includes(name)) options[name] = checkedTime(setting)
  else if (name === 'PriorityFavorSmall') options[name] = /^yes$/i.test(value) ? 'YES' : 'NO'
  else if (name === 'PriorityFlags') {
    const flags = flagsOf(setting)
    const left = flags.filter((flag) => !priorityFlags.includes(flag) && flag !== 'FAIR_TREE') // fair tree is what there is without NO_FAIR_TREE
    if (left.length < flags.length) options[name] = flags.filter((flag) => priorityFlags.includes(flag)).join(',')
    if (left.length > 0)
      return tell(
        left.length === flags.length ? 'ignored' : 'approximated',
        `without ${left.join(' and ')}, which ${left.length === 1 ? 'is' : 'are'} not simulated`,
      )
  } else {
    const period = value.toUpperCase()
    if (!['NONE', 'DAILY', 'WEEKLY'].includes(period)) return tell('ignored', 'usage is forgotten daily, weekly or never')
    options[name] = period
    if (period !== 'NONE') return tell('approximated', 'counted from the start of the run, not from midnight')
  }
  if (name === 'PriorityWeightFairshare' && options[name] !== 0 && !hasShares)
    return tell(
      'approximated',
      'shares are not in this file: users have one each, in the account that their job names; give what `sacctmgr dump` writes, as slurm.conf+accounts.cfg, or `accounts` for others',
    )
  tell('honoured')
}

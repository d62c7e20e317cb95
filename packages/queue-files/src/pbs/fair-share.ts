import { knownWords, SchedError, withoutUndefined } from '@sched/core'
import { pbsNamesOfFormulas, usageFormula } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { whyNoName } from './names.js'
import type { PbsFile } from './pbs-file.js'
import { withoutComments } from './resource-group.js'
import type { ConfigSetting, Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

/** Settings of a sched_config that say how fair share counts. */
const settings = ['fairshare_usage_res', 'fairshare_entity', 'fairshare_decay_time', 'fairshare_decay_factor', 'unknown_shares', 'fairshare_enforce_no_shares']
const entities = ['euser', 'egroup', 'Account_Name', 'queue', 'egroup:euser']

/** Whether jobs are sorted by use over shares. */
export const sharesAt = ({ config }: PbsFile, status: Status): boolean => config.isOn('fair_share', status)

/** Whether a name in a formula or a key is one of fair share. */
export const namesFairShare = (name: string): boolean => /^fair_?share_/.test(name)

/** The options of `pbs-sort` for fair share. Throws `BAD_INPUT` with the line for a value that OpenPBS does not take. */
export function fairShareOptions(file: PbsFile, status: Status, facts: Pick<ClusterFacts, 'resources'>): Readonly<Record<string, unknown>> {
  const last = (name: string) => file.config.last(name, 'prime')
  const usage = last('fairshare_usage_res')
  const group = withoutComments(file.resourceGroup?.text ?? '')
  const decays = last('fairshare_decay_time') ?? last('half_life')
  return withoutUndefined({
    fair_share: sharesAt(file, status) ? true : undefined,
    resource_group: group === '' ? undefined : group,
    unknown_shares: numberOf(last('unknown_shares'), 'a whole number from 0 on', (value) => /^\d+$/.test(value)),
    fairshare_entity: entityOf(last('fairshare_entity')),
    fairshare_usage_res: usage !== undefined && whyNoUsage(usage, file, facts) === '' ? usage.value : undefined,
    fairshare_decay_time: decays && secondsOf(decays),
    fairshare_decay_factor: numberOf(last('fairshare_decay_factor'), 'a number between 0 and 1', (value) => Number(value) > 0 && Number(value) < 1),
    fairshare_enforce_no_shares: last('fairshare_enforce_no_shares') && file.config.isOn('fairshare_enforce_no_shares', 'prime'),
  })
}

function refused({ name, value, file, line }: ConfigSetting, expected: string): SchedError {
  return new SchedError('BAD_INPUT', `found "${value}", expected ${expected}.`, { file, line, field: name }, `Write ${expected}.`)
}

function numberOf(setting: ConfigSetting | undefined, expected: string, isRight: (value: string) => boolean): number | undefined {
  if (setting === undefined) return undefined
  if (!isRight(setting.value)) throw refused(setting, expected)
  return Number(setting.value)
}

function entityOf(setting: ConfigSetting | undefined): string | undefined {
  if (setting !== undefined && !entities.includes(setting.value)) throw refused(setting, entities.join(', '))
  return setting?.value
}

function secondsOf(setting: ConfigSetting): number {
  const seconds = /^(\d+:){0,2}\d+$/.test(setting.value) ? setting.value.split(':').reduce((sum, each) => 60 * sum + Number(each), 0) : 0
  if (seconds === 0) throw refused(setting, 'a time of hours:minutes:seconds')
  return seconds
}

/** Why a fairshare_usage_res is not what is counted; empty: it is. */
function whyNoUsage({ value }: ConfigSetting, file: PbsFile, facts: Pick<ClusterFacts, 'resources'>): string {
  try {
    const unknown = usageFormula(value).names.map((name) => whyNoName(name, pbsNamesOfFormulas, file, facts)).find((why) => why !== '')
    return unknown === undefined ? '' : `${unknown}; cput is counted`
  } catch (error) {
    if (error instanceof SchedError) return 'what is counted grows evenly with cput or walltime here; cput is counted'
    throw error
  }
}

const notes = knownWords<string>({ fairshare_entity: 'groups are the accounts of jobs', fairshare_usage_res: 'cput is what processors could do in the time' })

const IN_PLANS = 'jobs with reservations add nothing before they start'
const IN_OTHER_TIME = 'what is used in the other time counts, too, and who has no shares is refused at any time'

/** Tells what becomes of the settings of fair share. `acts`: when jobs are sorted by it; `named`: whether a formula or a key names it; `inPlans`: whether there are reservations. */
export function tellFairShare(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>, { acts, named, inPlans }: { readonly acts: readonly Status[]; readonly named: boolean; readonly inPlans: boolean }, verdicts: Verdicts): void {
  const { config } = file
  const whyNot = acts.length > 0 || named ? '' : 'fair_share is off, and no formula names it'
  for (const setting of config.settings) {
    if (setting.name === 'fair_share') {
      const counts = setting.holds.some((status) => config.last('fair_share', status) === setting)
      const differs = [...(inPlans ? [IN_PLANS] : []), ...(file.holidays !== undefined && acts.length === 1 ? [IN_OTHER_TIME] : [])]
      if (counts && differs.length > 0 && setting.holds.some((status) => acts.includes(status))) verdicts.tell(setting, 'approximated', differs.join('; '))
      verdicts.honour(setting, counts ? '' : 'another line sets it again')
    } else if (settings.includes(setting.name) || setting.name === 'half_life') {
      if (config.last(setting.name, 'prime') !== setting && whyNot === '') verdicts.tell(setting, 'ignored', 'another line sets it again')
      const isApproximate = setting.name === 'fairshare_usage_res' ? /\bcput\b/.test(setting.value) : setting.name === 'fairshare_entity' && /egroup/.test(setting.value)
      const why = whyNot || (setting.name === 'fairshare_usage_res' ? whyNoUsage(setting, file, facts) : setting.name === 'half_life' && config.last('fairshare_decay_time', 'prime') !== undefined ? 'fairshare_decay_time counts' : '')
      if (why === '' && isApproximate) verdicts.tell(setting, 'approximated', notes[setting.name])
      verdicts.honour(setting, why)
    }
  }
}

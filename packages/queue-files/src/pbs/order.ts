import { SchedError, withoutUndefined, type Config } from '@sched/core'
import { pbsNamesOfFormulas, pbsNamesOfKeys, pbsResourceIndex, PythonFormula } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { isTrue, type Attribute } from './attributes.js'
import { fairShareOptions, namesFairShare, sharesAt } from './fair-share.js'
import { created, whyNoName } from './names.js'
import type { PbsFile } from './pbs-file.js'
import { executionQueues, priorityOf } from './queues.js'
import type { ConfigSetting, Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

type Facts = Pick<ClusterFacts, 'resources'>

/** By submission alone: priorities of jobs (qsub -p) count only if job_sort_key says so. */
const BY_SUBMISSION: Config = { score: { formula: '-submit' } }

/**
 * The order in which jobs of one level are looked at: by job_sort_formula, fair share, the keys of job_sort_key and submission (`pbs-sort`); and that of all jobs: with
 * by_queue queue by queue, that with the highest Priority first, of equals the one created first, behind levels; with round_robin a job of each in turn, by level in a queue.
 * Jobs of queues that are not started are left out.
 *
 * Source: OpenPBS, `cmp_sort` of sort.cpp, and `next_job` of fifo.cpp. `levels` puts levels before an order.
 */
export function ordersOf(file: PbsFile, status: Status, facts: Facts, levels: (order: Config) => Config): { readonly ofJobs: Config; readonly all: Config } {
  const [sorted, stopped] = [jobsOrder(file, status, facts), queuesOf(file, false)]
  const ofJobs = Object.keys(stopped).length > 0 ? inQueues(undefined, stopped, sorted) : sorted
  if (takesTurns(file, status)) return { ofJobs, all: inQueues('round_robin', queuesOf(file, true), levels(sorted)) }
  if (goesByQueue(file, status)) return { ofJobs, all: levels(inQueues('by_queue', queuesOf(file, true), sorted)) }
  return { ofJobs, all: levels(ofJobs) }
}

/** Whether one queue comes after the other, or queues take turns. */
export const goesByQueue = (file: PbsFile, status: Status): boolean => !file.config.isOn('round_robin', status) && file.config.isOn('by_queue', status) && executionQueues(file).length > 1
export const takesTurns = (file: PbsFile, status: Status): boolean => file.config.isOn('round_robin', status) && executionQueues(file).length > 1

const inQueues = (take: string | undefined, queues: Readonly<Record<string, object>>, order: Config): Config => ({ 'pbs-queues': { ...(take !== undefined && { take }), queues, order } })

/** The queues as `pbs-queues` takes them; `all`: not only those that are not started. */
const queuesOf = (file: PbsFile, all: boolean): Readonly<Record<string, object>> =>
  Object.fromEntries(executionQueues(file).flatMap((queue) => {
    const stopped = isTrue(queue.attributes.get('started')) !== true
    return all || stopped ? [[queue.name, { ...(all && priorityOf(queue) !== 0 && { Priority: priorityOf(queue) }), ...(stopped && { started: false }) }]] : []
  }))

function jobsOrder(file: PbsFile, status: Status, facts: Facts): Config {
  const formula = formulaOf(file)
  const byFormula = formula !== undefined && whyNoFormula(formula, file, facts) === ''
  const keys = keysAt(file, status, facts)
  const shares = sharesAt(file, status)
  if (!byFormula && keys.length === 0 && !shares) return BY_SUBMISSION
  const names = [...namesSortedBy(file, [status], facts), ...(shares ? usageNames(file) : [])]
  const resources = created(file).filter((name) => names.includes(name) && pbsResourceIndex(name, facts.resources) < 0)
  const queues = Object.fromEntries(executionQueues(file).flatMap((queue) => (priorityOf(queue) === 0 ? [] : [[queue.name, { Priority: priorityOf(queue) }]])))
  return {
    'pbs-sort': withoutUndefined({
      job_sort_formula: byFormula ? formula.value : undefined,
      job_sort_formula_threshold: byFormula ? thresholdOf(file) : undefined,
      job_sort_key: keys.length > 0 ? keys : undefined,
      eligible_time_enable: countsEligible(names) ? isTrue(file.server.get('eligible_time_enable')) : undefined,
      queues: names.includes('queue_priority') && Object.keys(queues).length > 0 ? queues : undefined,
      resources: resources.length > 0 ? resources : undefined,
      ...(shares || names.some(namesFairShare) ? fairShareOptions(file, status, facts) : {}),
      scheduler_iteration: (byFormula && thresholdOf(file) !== undefined) || shares ? iterationOf(file) : undefined,
    }),
  }
}

/** The names in the formula and in the keys by which jobs are sorted at any of these times. */
export function namesSortedBy(file: PbsFile, statuses: readonly Status[], facts: Facts): string[] {
  const formula = formulaOf(file)
  const ofFormula = formula !== undefined && whyNoFormula(formula, file, facts) === '' ? new PythonFormula(formula.value, '').names : []
  return [...ofFormula, ...statuses.flatMap((status) => keysAt(file, status, facts).map((key) => key.split(' ')[0] as string))]
}

/** The keys that count, as `pbs-sort` takes them. */
const keysAt = (file: PbsFile, status: Status, facts: Facts): string[] =>
  file.config.all('job_sort_key', status).filter((key) => whyNoKey(key, file, facts) === '').map(({ value }) => value.trim().replaceAll(/\s+/g, ' '))

const usageNames = (file: PbsFile): readonly string[] => file.config.last('fairshare_usage_res', 'prime')?.value.match(/[a-z_]\w*/gi) ?? []
const countsEligible = (names: readonly string[]) => names.includes('eligible_time') || names.includes('accrue_type')

/** It is an attribute of the scheduler, or of the server in older versions; so is its threshold. */
const formulaOf = ({ sched, server }: PbsFile): Attribute | undefined => sched.get('job_sort_formula') ?? server.get('job_sort_formula')
const thresholdAttribute = ({ sched, server }: PbsFile): Attribute | undefined => sched.get('job_sort_formula_threshold') ?? server.get('job_sort_formula_threshold')

/** Throws `BAD_INPUT` with the line for what is no number. */
function thresholdOf(file: PbsFile): number | undefined {
  const attribute = thresholdAttribute(file)
  if (attribute === undefined) return undefined
  const { value, lines: [{ name, file: of, line }] } = attribute
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value)) return Number(value)
  throw new SchedError('BAD_INPUT', `found "${value}", expected a number.`, { file: of, line, field: name }, 'Write it in digits.')
}

/** Seconds between cycles; `undefined`: those that OpenPBS has. Throws `BAD_INPUT` with the line for what is no number of seconds. */
function iterationOf({ server }: PbsFile): number | undefined {
  const attribute = server.get('scheduler_iteration')
  if (attribute === undefined) return undefined
  const { value, lines: [{ name, file, line }] } = attribute
  if (/^\d+$/.test(value) && Number(value) > 0) return Number(value)
  throw new SchedError('BAD_INPUT', `found "${value}", expected a whole number from 1 on.`, { file, line, field: name }, 'Write seconds.')
}

/** Why a formula is not the order of jobs; empty: it is. */
function whyNoFormula({ value }: Attribute, file: PbsFile, facts: Facts): string {
  try {
    const unknown = new PythonFormula(value, '').names.map((name) => whyNoName(name, pbsNamesOfFormulas, file, facts)).find((why) => why !== '')
    return unknown ?? ''
  } catch (error) {
    if (error instanceof SchedError) return 'it is no formula that is understood here'
    throw error
  }
}

/** Why jobs are not sorted by a job_sort_key; empty: they are. Throws `BAD_INPUT` with the line for a direction that is none. */
function whyNoKey({ name, value, file: of, line }: ConfigSetting, file: PbsFile, facts: Facts): string {
  const [key = '', direction = '', ...more] = value.trim().split(/\s+/)
  if (!/^(high|low)$/i.test(direction) || more.length > 0) throw new SchedError('BAD_INPUT', `found "${value}".`, { file: of, line, field: name }, 'Write for example "ncpus HIGH".')
  if (key === 'cput') return 'jobs ask for no cput'
  if (key === 'fairshare_perc') return 'here it is called fair_share_perc'
  return whyNoName(key, pbsNamesOfKeys, file, facts)
}

/** Tells what becomes of the settings that the orders come from. `statuses`: those that there are. */
export function tellOrder(file: PbsFile, facts: Facts, statuses: readonly Status[], verdicts: Verdicts): void {
  const { config, server } = file
  const formula = formulaOf(file)
  const whyNot = formula === undefined ? 'there is no job_sort_formula' : whyNoFormula(formula, file, facts)
  const isTimed = formula !== undefined && whyNot === '' && countsEligible(new PythonFormula(formula.value, '').names)
  const counts = isTrue(server.get('eligible_time_enable')) === true
  if (formula !== undefined && whyNot !== '') verdicts.tell(formula, 'ignored', `${whyNot}; jobs come as without it`)
  else if (isTimed) verdicts.tell(formula, 'approximated', counts ? 'eligible_time is the time since submission, also while a limit holds the job back' : 'eligible_time is 0, as eligible_time_enable is not True')
  else verdicts.tell(formula, 'honoured')
  verdicts.tell(server.get('job_sort_formula'), 'ignored', 'the scheduler has one of its own')
  verdicts.honour(server.get('eligible_time_enable'), isTimed ? '' : 'no formula goes by it')
  thresholdOf(file) // a wrong number is refused, whether it counts or not
  verdicts.honour(thresholdAttribute(file), whyNot === '' ? '' : formula === undefined ? whyNot : 'the formula is not that of jobs here')
  verdicts.tell(server.get('job_sort_formula_threshold'), 'ignored', 'the scheduler has one of its own')
  const cycles = (whyNot === '' && thresholdOf(file) !== undefined) || statuses.some((status) => sharesAt(file, status))
  if (cycles && iterationOf(file) !== undefined) verdicts.tell(server.get('scheduler_iteration'), 'approximated', 'jobs are looked at whenever something changes, and in such cycles between')
  for (const key of config.settings.filter(({ name }) => name === 'job_sort_key')) verdicts.honour(key, whyNoKey(key, file, facts))
}

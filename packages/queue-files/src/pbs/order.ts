import { knownWords, SchedError, type Config } from '@sched/core'
import { Formula, pbsResourceIndex } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { isTrue, type Attribute } from './attributes.js'
import type { PbsFile } from './pbs-file.js'
import type { PbsQueue } from './qmgr.js'
import type { ConfigSetting, Status } from './sched-config.js'
import { executionQueues, priorityOf } from './queues.js'
import type { Verdicts } from './verdicts.js'

/** By submission alone: priorities of jobs (qsub -p) count only if job_sort_key says so. */
const BY_SUBMISSION: Config = { score: { formula: '-submit' } }

/** An order of jobs, and why it is not as written; empty: it is. */
type Read = { readonly order: Config } | { readonly whyNot: string }

/**
 * The order in which jobs of one level are looked at: by job_sort_formula, or else by the first job_sort_key, or else by submission; with by_queue queue by queue,
 * that with the highest Priority first, of equals the one created first.
 *
 * Source: OpenPBS, `cmp_sort` of sort.cpp, and `next_job` of fifo.cpp. Deviation: of several keys the first counts.
 */
export function ordersOf(file: PbsFile, status: Status, facts: Pick<ClusterFacts, 'resources'>): { readonly ofJobs: Config; readonly all: Config } {
  const ofJobs = jobsOrder(file, status, facts)
  return { ofJobs, all: goesByQueue(file, status) ? byQueue(executionQueues(file), ofJobs) : ofJobs }
}

/** Whether one queue comes after the other. */
export const goesByQueue = (file: PbsFile, status: Status): boolean => !file.config.isOn('round_robin', status) && file.config.isOn('by_queue', status) && executionQueues(file).length > 1

/** `pbs-levels` with every queue an express queue of a Priority of its own looks at one queue after the other. */
function byQueue(queues: readonly PbsQueue[], order: Config): Config {
  const ranked = [...queues].sort((a, b) => priorityOf(b) - priorityOf(a)) // a stable sort: of equals the first in the file
  const places = Object.fromEntries(ranked.map(({ name }, i) => [name, { Priority: ranked.length - i }]))
  return { 'pbs-levels': { preempt_prio: 'express_queue', preempt_queue_prio: 0, queues: places, order } }
}

function jobsOrder(file: PbsFile, status: Status, facts: Pick<ClusterFacts, 'resources'>): Config {
  const formula = formulaOf(file)
  const read = formula && byFormula(formula, file, facts)
  if (read !== undefined && 'order' in read) return read.order
  const key = file.config.all('job_sort_key', status)[0]
  const sorted = key && byKey(key, facts)
  return sorted !== undefined && 'order' in sorted ? sorted.order : BY_SUBMISSION
}

/** It is an attribute of the scheduler, or of the server in older versions. */
const formulaOf = ({ sched, server }: PbsFile): Attribute | undefined => sched.get('job_sort_formula') ?? server.get('job_sort_formula')

/** Words of a formula of PBS that have one here. */
const words = knownWords({ eligible_time: 'wait', walltime: 'estimate', ncpus: 'size' })
const functions = ['min', 'max', 'log', 'log10', 'sqrt']

/** A formula of PBS as one of `score`: largest first in both. */
function byFormula(formula: Attribute, file: PbsFile, facts: Pick<ClusterFacts, 'resources'>): Read {
  const tokens: readonly string[] = formula.value.match(/[a-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\*\*|\/\/|\S/gi) ?? []
  const unknown = tokens.find((token) => /^[a-z_]/i.test(token) && words[token] === undefined && !functions.includes(token))
  if (unknown !== undefined) return { whyNot: `there is no ${unknown} here` }
  const sign = tokens.find((token) => !/^([\w.]+|[-+*/(),]|\*\*)$/.test(token) || token === '//')
  if (sign !== undefined) return { whyNot: `there is no ${sign} here` }
  if (tokens.includes('ncpus') && !sizeIsCpus(facts)) return { whyNot: 'processors are not the first resource of the cluster' }
  if (tokens.includes('eligible_time') && isTrue(file.server.get('eligible_time_enable')) !== true) return { whyNot: 'it goes by eligible_time, and eligible_time_enable is not True' }
  const text = tokens.map((token) => words[token] ?? (token === '**' ? '^' : token)).join(' ')
  return isFormula(text) ? { order: { score: { formula: text } } } : { whyNot: 'it is no formula that is understood here' }
}

function isFormula(text: string): boolean {
  try {
    return new Formula(text) instanceof Formula
  } catch (error) {
    if (error instanceof SchedError) return false
    throw error
  }
}

const sizeIsCpus = ({ resources }: Pick<ClusterFacts, 'resources'>): boolean => pbsResourceIndex('ncpus', resources) === 0

/** A job_sort_key, `ncpus HIGH` for example. Throws `BAD_INPUT` with the line for a direction that is none. */
function byKey({ name, value, file, line }: ConfigSetting, facts: Pick<ClusterFacts, 'resources'>): Read {
  const [key = '', direction = '', ...more] = value.trim().split(/\s+/)
  if (!/^(high|low)$/i.test(direction) || more.length > 0) throw new SchedError('BAD_INPUT', `found "${value}".`, { file, line, field: name }, 'Write for example "ncpus HIGH".')
  const isHigh = direction.toLowerCase() === 'high'
  if (key === 'ncpus' && !sizeIsCpus(facts)) return { whyNot: 'processors are not the first resource of the cluster' }
  if (key === 'ncpus' || key === 'walltime') return { order: { score: { formula: `${isHigh ? '' : '-'}${words[key] as string}` } } }
  if ((key === 'job_priority' || key === 'sort_priority') && isHigh) return { order: 'fifo' }
  return { whyNot: `jobs are not sorted by ${key} ${direction} here` }
}

/** Tells what becomes of the settings that the orders come from. */
export function tellOrder(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>, verdicts: Verdicts): void {
  const { config, server, sched } = file
  const formula = formulaOf(file)
  const read = formula && byFormula(formula, file, facts)
  const isByFormula = read !== undefined && 'order' in read
  if (formula !== undefined && read !== undefined) {
    const isByWait = formula.value.includes('eligible_time')
    if ('whyNot' in read) verdicts.tell(formula, 'ignored', `${read.whyNot}; jobs come as without it`)
    else verdicts.tell(formula, isByWait ? 'approximated' : 'honoured', isByWait ? 'eligible_time is the time since submission, also while a limit holds the job back' : '')
  }
  verdicts.tell(server.get('job_sort_formula'), 'ignored', 'the scheduler has one of its own')
  verdicts.honour(server.get('eligible_time_enable'), formula?.value.includes('eligible_time') === true ? '' : 'no formula goes by it')
  for (const attributes of [sched, server]) verdicts.tell(attributes.get('job_sort_formula_threshold'), 'ignored', 'jobs below it are not held back')
  const counting = (['prime', 'nonPrime'] as const).flatMap((status) => config.all('job_sort_key', status)[0] ?? [])
  for (const key of config.settings.filter(({ name }) => name === 'job_sort_key')) {
    const sorted = byKey(key, facts)
    verdicts.honour(key, isByFormula ? 'only where the formula gives the same, and those come by submission here' : !counting.includes(key) ? 'only where an earlier key is the same, and those come by submission here' : 'whyNot' in sorted ? sorted.whyNot : '')
  }
}

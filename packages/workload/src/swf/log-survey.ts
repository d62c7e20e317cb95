import { SchedError, type JobSpec, type Seconds, type StageSpec } from '@sched/core'
import type { Machine } from '../trace/facts.js'
import { statusNames } from './fields.js'
import type { SwfRow } from './write.js'

const jobKeys: ReadonlySet<string> = new Set(['id', 'submit', 'user', 'queue', 'group', 'partition', 'application', 'estimate', 'after', 'think', 'recorded', 'gang', 'stages'])
const stageKeys: ReadonlySet<string> = new Set(['name', 'tasks', 'demand', 'duration', 'gang'])
const resources: ReadonlySet<string> = new Set(['procs', 'nodes', 'mem'])

/** What a log of the jobs of a workload lacks, and which reader options give the same jobs again. */
export class LogSurvey {
  jobs = 0
  readonly #lost = new Map<string, number>()
  readonly #seen = { numbered: 0, fractions: 0, unestimated: 0, overrun: 0, cut: 0, nodes: 0, mem: 0, chained: 0, behindNone: 0, used: 0 }

  constructor(private readonly machine: Machine | undefined) {}

  /** Adds a job with its row. Throws `BAD_INPUT` for a job that a row cannot express. */
  add(job: JobSpec, row: SwfRow): void {
    const stage = onlyStage(job)
    this.jobs++
    this.#compare(job, stage, row)
    for (const key of Object.keys(job)) if (!jobKeys.has(key)) this.#lose(key)
    for (const key of Object.keys(stage)) if (!stageKeys.has(key)) this.#lose(key)
    if (stage.tasks > 1 && this.machine?.separate !== true) this.#lose('tasks on nodes of their own')
    const { status } = job.recorded ?? {}
    if (status !== undefined && statusNames[row.status ?? -1] !== status) this.#lose('recorded.status')
    if (job.recorded?.runtime !== undefined && !isCut(job)) this.#lose('recorded.runtime')
  }

  /**
   * Run time of a job in the log: the recorded run time if readers will cut it at the estimate again; otherwise `undefined`, for the duration of the
   * job.
   */
  runtimeOf(job: JobSpec): Seconds | undefined {
    return this.#seen.overrun === 0 && isCut(job) ? job.recorded!.runtime : undefined
  }

  notes(): string[] {
    const { numbered, fractions, behindNone, cut, overrun } = this.#seen
    const lost = [...this.#lost]
    if (overrun > 0 && cut > 0) lost.push(['recorded.runtime', (this.#lost.get('recorded.runtime') ?? 0) + cut])
    const without = [...new Map(lost)].map(([what, jobs]) => `${what} (${counted(jobs)})`)
    const options = Object.entries(this.#options()).map(([name, value]) => `${name}=${value}`)
    return [
      ...(without.length === 0 ? [] : [`the Standard Workload Format has no place for ${without.join(', ')}`]),
      ...(cut === 0 || overrun > 0 ? [] : [`${counted(cut)} with the recorded run time, which readers cut at the estimate again`]),
      ...(numbered === 0 ? [] : [`${counted(numbered)} numbered anew: their ids are no whole numbers, or taken by others`]),
      ...(behindNone === 0 ? [] : [`${counted(behindNone)} after job 0, which is none in the format`]),
      ...(fractions === 0 ? [] : [`${counted(fractions)} with fractions of seconds, which the format allows and some readers do not know`]),
      ...(options.length === 0 ? [] : [`the same jobs are read from it with ${options.map((option) => `--option ${option}`).join(' ')}`]),
    ]
  }

  #lose(what: string): void {
    this.#lost.set(what, (this.#lost.get(what) ?? 0) + 1)
  }

  #compare(job: JobSpec, { demand, duration }: StageSpec, row: SwfRow): void {
    const seen = this.#seen
    if (String(row.job) !== job.id) seen.numbered++
    if (job.estimate === undefined) seen.unestimated++
    else if ((duration as number) > job.estimate) seen.overrun++
    if (isCut(job)) seen.cut++
    if (demand['procs'] === undefined) seen.nodes++
    if (demand['mem'] !== undefined) seen.mem++
    if (job.recorded?.cpuTime !== undefined || job.recorded?.mem !== undefined) seen.used++
    if (row.preceding === 0) seen.behindNone++
    else if (row.preceding !== undefined) seen.chained++
    if ([row.submit, job.recorded?.wait, job.recorded?.cpuTime, row.runtime, row.requestedTime, row.think].some((time) => time !== undefined && !Number.isInteger(time))) seen.fractions++
  }

  /** Options of the reader, other than its defaults, that give the same jobs again. */
  #options(): Record<string, string | number> {
    const { unestimated, overrun, nodes, mem, chained, used } = this.#seen
    const size = this.machine?.resources['mem']
    return {
      ...(this.jobs > 0 && nodes === this.jobs && this.machine?.nodes !== undefined && { unit: 'nodes' }),
      ...(this.machine?.separate === true && { tasks: 'each' }),
      ...(mem > 0 && { memory: 'requested', ...(size !== undefined && { mem: size }) }),
      ...(unestimated > 0 && { missingEstimate: 'unknown' }),
      ...(overrun > 0 && { overrun: 'keep' }),
      ...(chained > 0 && { dependencies: 'keep' }),
      ...(used > 0 && { recordedUse: 'keep' }),
    }
  }
}

/** Whether a job ran longer than its estimate when it was recorded, and is cut at the estimate. */
const isCut = ({ estimate, recorded, stages }: JobSpec): boolean => estimate !== undefined && estimate > 0 && stages[0]!.duration === estimate && (recorded?.runtime ?? 0) > estimate

/** The only stage of a job, whose tasks ask for nothing but processors or nodes, and memory. Throws `BAD_INPUT` for other jobs. */
function onlyStage(job: JobSpec): StageSpec {
  const { id, stages: [stage, ...others] } = job
  const beyond = (fact: string, wayOut: string) => new SchedError('BAD_INPUT', fact, { field: `job "${id}"` }, `${wayOut} Or write the native format, which holds any job: name the file jobs.jsonl.`)
  if (others.length > 0)
    throw beyond(`is a gang of ${others.length + 1} kinds of tasks, and a line of the Standard Workload Format is of one.`, 'Parts of a heterogeneous job are jobs of their own with --option hetjobs=apart.')
  const more = Object.keys(stage!.demand).filter((resource) => !resources.has(resource) || (resource === 'nodes' && stage!.demand['procs'] !== undefined))
  if (more.length > 0)
    throw beyond(`asks for ${more.join(', ')}, for which the Standard Workload Format has no field.`, `Leave ${more.join(', ')} out where the trace is read.`)
  return stage!
}

const counted = (jobs: number): string => `${jobs} ${jobs === 1 ? 'job' : 'jobs'}`

import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { Documents, inObject, type Found } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { Dependencies } from '../slurm/dependencies.js'
import { stateOf, suspendedOf } from './ends.js'
import { requestOf } from './request.js'

const { memory: _, mem: __, ...options } = accountingOptions

/** How OAR's records become jobs. */
export const oarOptions = z.strictObject({
  ...options,
  memory: z.literal('none').default('none').describe('OAR does not record the memory of jobs.'),
  tasks: tasksByNode('assigned_network_address'),
  pending: z.enum(['skip', 'estimate']).default('skip')
    .describe('What to do with jobs that still wait: skip them; estimate: they run as long as their walltime, on as many resources as their message says (R=8) or as levels tells. For jobs that run already, see unknownRuntime.'),
  levels: z.record(z.string(), z.int().min(1)).default({})
    .describe('How many resources one of a level has, { host: 16, cpu: 8 }, for jobs that wait and whose message does not say how many they get. A core and a resource_id are one, unless given.'),
  dependencies: z.enum(['ignore', 'keep']).default('ignore')
    .describe('keep: jobs are submitted when those that they depend on (oarsub --anterior) have ended in the simulation; OAR tells it of jobs that have not ended. ignore: at their recorded submission.'),
  queue: z.enum(['queue', 'project']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'preempted', 'held', 'running', 'pending', 'unknown']),
})

/**
 * Jobs of OAR as `oarstat -f -J` prints them: an object with a job under each id, or the jobs one after another (`jq -c '.[]'`). The processors of a
 * job are the resources that it was given, mostly cores; of a job that waits, those that its message tells. What it asked for is a hierarchy of levels
 * (`/host=2/gpu=1`) whose sizes are not recorded: it tells the number of GPUs, and of what waits the nodes, a walltime and, with the option `levels`,
 * the resources if the message does not. Jobs of type `inner` run within the resources of their container and are left out.
 *
 * Source: OAR 2.5.9, `get_job_data` of OAR::Stat, `format_job_message_text` of OAR::IO, oarstat(1).
 */
export const oarFormat: TraceFormat<typeof oarOptions> = accountingFormat({
  name: 'oar',
  summary: 'jobs of OAR (oarstat -f -J)',
  source: 'OAR 2.5, OAR::Stat',
  options: oarOptions,
  gpusIn: 'gpu of wanted_resources tells them',
  follows: ({ dependencies }) => new Dependencies(dependencies === 'keep', 'oarsub --anterior'),
  detect: (head) => /^\s*[[{]/.test(head) && /"Job_Id"\s*:/.test(head) && /"submissionTime"\s*:/.test(head),
  reader: (place, { levels }) => new OarReader(place, { core: 1, resource_id: 1, ...levels }),
})

class OarReader implements RecordReader {
  readonly #documents: Documents
  readonly #ids = new RepeatedIds('of another site')
  #bad = 0

  /** `sizes`: how many resources one of a level has. */
  constructor(private readonly place: LinePlace, private readonly sizes: Readonly<Record<string, number>>) {
    this.#documents = new Documents(place)
  }

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    this.#documents.line(bytes, from, to, (found) => this.#all(found, take))
  }

  end(): void {
    this.#documents.end()
  }

  rules(): RuleCount[] {
    const bad = { rule: 'bad', jobs: this.#bad, text: 'that are bad like another one of the same object, which is reported: dropped' }
    return [...(this.#bad > 0 ? [bad] : []), ...this.#ids.rules()]
  }

  /** Reads a job, or all jobs of an object. Throws the first `BadLine` after all have been read. */
  #all({ value, line }: Found, take: TakeRecord): void {
    let bad: unknown
    const outer = new Fields(value)
    const jobs = outer.has('Job_Id') ? [outer] : outer.keys().map((key) => outer.object(key) ?? outer)
    for (const job of jobs) {
      try {
        take(job.texts('types').some((type) => type.startsWith('inner=')) ? 'step' : this.#record(job))
      } catch (error) {
        if (bad !== undefined) this.#bad++
        bad ??= inObject(error, line, this.place)
      }
    }
    if (bad instanceof Error) throw bad
  }

  #record(job: Fields): AccountingRecord {
    const id = job.text('Job_Id')
    if (id === undefined) throw new BadLine('Job_Id', 'is missing.', 'Print jobs with `oarstat -f -J`')
    if (!job.has('stopTime')) throw job.bad('stopTime', 'is missing.', 'Print jobs with `oarstat -f -J`, with all their fields')
    const [submit, begun, end] = [timeOf(job, 'submissionTime'), timeOf(job, 'startTime'), timeOf(job, 'stopTime')]
    const resources = job.size('assigned_resources')
    const walltime = job.number('walltime') ?? NaN
    const wanted = requestOf(job.text('wanted_resources') ?? '', walltime, this.sizes)
    const limit = walltime >= 0 ? walltime : wanted.limit
    const elapsed = end - begun - suspendedOf(job, end)
    const state = stateOf(job, elapsed >= limit)
    const waits = state === 'pending' || state === 'held'
    return {
      id: this.#ids.distinct(id),
      submit,
      start: waits ? NaN : begun, // a reservation that waits has the time from which it is
      end,
      elapsed,
      limit,
      requested: waits ? resourcesIn(job.text('message') ?? '') ?? wanted.resources : resources,
      allocated: resources,
      nodes: waits ? wanted.nodes : job.size('assigned_network_address') || -1,
      mem: -1,
      gpus: wanted.gpus,
      reservation: job.text('reservation') === 'None' ? undefined : job.text('reservation'),
      priority: NaN,
      state,
      dependency: job.texts('dependencies').map((each) => `afterany:${each}`).join(','),
      user: job.text('owner') ?? '',
      group: '',
      account: job.text('project') ?? '',
      project: job.text('project') ?? '',
      queue: job.text('queue') ?? '',
      partition: '',
      qos: '',
    }
  }
}

/** Seconds since 1970; NaN for 0, which stands for something that has not happened. */
function timeOf(job: Fields, key: string): number {
  const time = job.number(key) ?? 0
  return time > 0 ? time : NaN
}

/** Number of resources in the message of a job that waits, `R=8,W=2:0:0,J=B`. Some schedulers write another message. */
function resourcesIn(message: string): number | undefined {
  const count = /^R=(\d+),/.exec(message)?.[1]
  return count === undefined ? undefined : Number(count)
}

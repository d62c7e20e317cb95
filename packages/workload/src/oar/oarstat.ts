import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { Documents, inObject, type Found } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'

const { memory: _, mem: __, ...options } = accountingOptions

/** How OAR's records become jobs. */
export const oarOptions = z.strictObject({
  ...options,
  memory: z.literal('none').default('none').describe('OAR does not record the memory of jobs.'),
  tasks: tasksByNode('assigned_network_address'),
  queue: z.enum(['queue', 'project']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'timeout', 'running', 'pending', 'unknown']),
})

/**
 * Jobs of OAR as `oarstat -f -J` prints them: an object with a job under each id, or the jobs one after another (`jq -c '.[]'`). The processors of a
 * job are the resources that it was given, mostly cores. What it asked for is a hierarchy of levels (`/host=2/gpu=1`) whose sizes are not recorded;
 * only the number of GPUs is taken from it. Jobs of type `inner` run within the resources of their container and are left out.
 *
 * Source: OAR 2.5, `get_job_data` of OAR::Stat, oarstat(1).
 */
export const oarFormat: TraceFormat<typeof oarOptions> = accountingFormat({
  name: 'oar',
  title: 'jobs of OAR (oarstat -f -J)',
  source: 'OAR 2.5, OAR::Stat',
  options: oarOptions,
  gpusIn: 'gpu of wanted_resources tells them',
  detect: (head) => /^\s*[[{]/.test(head) && /"Job_Id"\s*:/.test(head) && /"submissionTime"\s*:/.test(head),
  reader: (place) => new OarReader(place),
})

class OarReader implements RecordReader {
  readonly #documents: Documents
  readonly #ids = new RepeatedIds('of another site')
  #bad = 0

  constructor(private readonly place: LinePlace) {
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
    const [submit, start, end] = [timeOf(job, 'submissionTime'), timeOf(job, 'startTime'), timeOf(job, 'stopTime')]
    const resources = job.size('assigned_resources')
    const limit = job.number('walltime') ?? NaN
    return {
      id: this.#ids.distinct(id),
      submit,
      start,
      end,
      elapsed: end - start,
      limit,
      requested: resources,
      allocated: resources,
      nodes: job.size('assigned_network_address') || -1,
      mem: -1,
      gpus: gpusOf(job.text('wanted_resources') ?? ''),
      reservation: job.text('reservation') === 'None' ? undefined : job.text('reservation'),
      priority: -1,
      state: stateOf(job.text('state') ?? '', job.number('exit_code', -Infinity) ?? 0, end - start >= limit),
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

/**
 * Number of GPUs in a request such as `-l "{type = 'default'}/host=2/gpu=1,walltime=1:0:0"`, over all its groups. -1 if there are none, or if a level
 * above the GPUs has no number.
 */
function gpusOf(wanted: string): number {
  const groups = wanted.replace(/\{[^}]*\}/g, '').split('+').map((group) => {
    const [, above, count] = /^[^/]*((?:\/\w+=\w+)*?)\/(?:gpu|gpunum|gpudevice)=(\d+)/.exec(group) ?? []
    return count === undefined ? 0 : [...above!.matchAll(/=(\w+)/g)].reduce((product, [, each]) => product * Number(each), Number(count))
  })
  const sum = groups.reduce((all, each) => all + each, 0)
  return sum > 0 ? sum : -1
}

function stateOf(state: string, exit: number, isAtLimit: boolean): string {
  if (state === 'Terminated') return exit === 0 ? 'completed' : isAtLimit ? 'timeout' : 'failed'
  if (state === 'Error') return isAtLimit ? 'timeout' : 'failed'
  if (/^(Running|Finishing|Resuming|Suspended|Launching|toLaunch)$/.test(state)) return 'running'
  return /^(Waiting|Hold|toAckReservation)$/.test(state) ? 'pending' : 'unknown'
}

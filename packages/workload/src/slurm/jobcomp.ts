import { accountingFormat } from '../accounting/format.js'
import { Names } from '../accounting/names.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import type { RuleCount } from '../trace/facts.js'
import { gresGpus, tres, tresGpus, requestedMemory, whole } from './amounts.js'
import { Clusters } from './clusters.js'
import { slurmOptions, stateOf } from './options.js'
import { instant, timeSpan } from './times.js'

/** Options for records of completed jobs, which tell no pending jobs, no dependencies and no features. */
export const jobcompOptions = slurmOptions.omit({ pending: true, dependencies: true, hetjobs: true, constraints: true })

/**
 * The log of Slurm's plugin jobcomp/filetxt: a line of `Name=value` fields for each job that ended, in the order of the ends. Ids are as in sacct: a
 * task of an array is `123_4`, a part of a heterogeneous job `123+1`; each part is a job of its own. What a job asked for is in its trackable
 * resources (`Tres`); without these, its allocated processors (`ProcCnt`) are used, and its GPUs are those of `Gres`.
 *
 * Source: Slurm 17 to 25, `jobcomp_p_record_job_end` of jobcomp_filetxt.c. Earlier versions do not record submit times.
 */
export const jobcompFormat: TraceFormat<typeof jobcompOptions> = accountingFormat({
  name: 'jobcomp',
  summary: 'completed jobs of Slurm (jobcomp/filetxt)',
  source: 'Slurm, jobcomp_filetxt.c',
  options: jobcompOptions,
  gpusIn: 'gres/gpu of Tres, or Gres, tells them',
  isByEnd: true,
  detect: (head) => /^JobId=\d+ UserId=.* EndTime=.* ProcCnt=\d/m.test(head),
  reader: (_, { cluster }) => new JobcompReader(cluster),
})

/** Start of a field. A name or a path may contain blanks and even text like `Name=`, so only known field names count. */
const FIELD = / (?=(?:UserId|GroupId|Name|JobState|Partition|TimeLimit|StartTime|EndTime|NodeList|NodeCnt|ProcCnt|WorkDir|ReservationName|Gres|Tres|Account|QOS|WcKey|Cluster|SubmitTime|EligibleTime|ArrayJobId|ArrayTaskId|HetJobId|HetJobOffset|PackJobId|PackJobOffset|DerivedExitCode|ExitCode)=)/

class JobcompReader implements RecordReader {
  readonly #names = new Names()
  readonly #ids = new RepeatedIds('requeued')
  readonly #clusters: Clusters
  #fields: ReadonlyMap<string, string> = new Map()

  constructor(cluster: string | undefined) {
    this.#clusters = new Clusters(cluster)
  }

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const line = lineText(bytes, from, to).trim()
    if (line === '' || line.startsWith('#')) return
    if (!/^JobId=\d+ /.test(line)) throw new BadLine('JobId', `found ${JSON.stringify(line.slice(0, 40))}, expected a line that begins with JobId=NUMBER.`)
    this.#fields = new Map(line.split(FIELD).map((field) => {
      const at = field.indexOf('=')
      const value = field.slice(at + 1).trim()
      return [field.slice(0, at), value === '(null)' ? '' : value]
    }))
    if (this.#clusters.take(this.#text('Cluster'))) take(this.#record())
  }

  rules(): RuleCount[] {
    return [...this.#ids.rules(), ...this.#clusters.rules()]
  }

  #record(): AccountingRecord {
    const resources = this.#text('Tres')
    const [start, end, procs, nodes] = [this.#time('StartTime'), this.#time('EndTime'), this.#whole('ProcCnt'), this.#whole('NodeCnt')]
    const requested = whole(tres(resources, 'cpu') ?? '')
    const hadNothing = this.#text('NodeList') === '' && !(end > start)
    return {
      id: this.#ids.distinct(this.#id()),
      submit: this.#time('SubmitTime'),
      eligible: this.#time('EligibleTime'),
      start,
      end,
      elapsed: end - start,
      limit: this.#limit(),
      requested: requested > 0 ? requested : procs,
      allocated: hadNothing ? 0 : procs,
      nodes,
      mem: requestedMemory(tres(resources, 'mem') ?? '', nodes, procs) ?? -1,
      gpus: tresGpus(resources) || gresGpus(this.#text('Gres')),
      reservation: this.#text('ReservationName'),
      priority: NaN,
      state: stateOf(this.#text('JobState')),
      user: this.#name('UserId'),
      group: this.#name('GroupId'),
      account: this.#name('Account'),
      partition: this.#name('Partition'),
      qos: this.#name('QOS'),
    }
  }

  /** Id as sacct writes it. */
  #id(): string {
    const [array, task, het, offset] = [this.#text('ArrayJobId'), this.#text('ArrayTaskId'), this.#text('HetJobId') || this.#text('PackJobId'), this.#text('HetJobOffset') || this.#text('PackJobOffset')]
    if (array !== '' && task !== '') return `${array}_${task}`
    return het !== '' && offset !== '' ? `${het}+${offset}` : this.#text('JobId')
  }

  #text(name: string): string {
    return this.#fields.get(name) ?? ''
  }

  /** A name without the numeric id that follows it in parentheses for users and groups. */
  #name(name: string): string {
    return this.#names.of(this.#text(name).replace(/\(\d+\)$/, ''))
  }

  #whole(name: string): number {
    const text = this.#text(name)
    const value = whole(text)
    if (text !== '' && value < 0) throw new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected a whole number of at least 0.`)
    return value
  }

  #time(name: string): number {
    const text = this.#text(name)
    const time = instant(text)
    if (time === undefined) throw new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected a time such as 2024-01-31T10:00:00.`)
    return time
  }

  /** Time limit in seconds; the log has minutes, or a word. */
  #limit(): number {
    const text = this.#text('TimeLimit')
    const limit = /^\d{1,9}$/.test(text) ? Number(text) * 60 : timeSpan(text)
    if (limit === undefined) throw new BadLine('TimeLimit', `found ${JSON.stringify(text.slice(0, 40))}, expected minutes or UNLIMITED.`)
    return limit
  }
}

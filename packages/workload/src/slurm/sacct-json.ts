import { Documents, inObject, type Found } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import type { RuleCount } from '../trace/facts.js'
import type { BadLine, LinePlace, TraceFormat } from '../trace/format.js'
import { askedLicenses, licensesOf } from './amounts.js'
import { Clusters } from './clusters.js'
import { followsJobs, GPUS_IN_TRES, joinsParts, slurmOptions } from './options.js'
import type { RecordReader, AccountingRecord, TakeRecord } from '../accounting/records.js'
import { layoutIn } from './layout.js'
import { niceIn } from './nice.js'
import { RecordIds } from './record-ids.js'
import { accountingFormat } from '../accounting/format.js'
import { dependencyIn } from './dependencies.js'
import { exclusiveIn } from './exclusive.js'
import { askedHostsIn } from './asked-hosts.js'
import { isContiguousIn, reservationIn } from './submit-line.js'
import { switchesIn } from './switches.js'
import { timeBoundsIn } from './time-bounds.js'
import { usedMemoryInSteps } from './used-memory.js'
import { ArrayThrottles } from './array-throttles.js'
import { arrayOf, WaitingArrays } from './waiting-arrays.js'

/** Numbers from here on mean that there is no value (NO_VAL) or no limit (INFINITE): 2^32 - 2 and 2^32 - 1, and the same for 64 bits. */
const NO_VAL = 2 ** 32 - 2
const SECONDS_PER_MINUTE = 60

/**
 * Slurm's accounting records in the JSON of `sacct --json` and slurmrestd (`/slurmdb/.../jobs`): an object with a list `jobs`, that list itself, or
 * its elements one after another. Of the steps inside a job, only the memory that they used is read. Numbers may be plain, or objects that say
 * whether they are `set` or `infinite`. Memory of trackable resources is in MiB.
 *
 * Up to Slurm 22.05 `time.start` is the time at which the job became eligible. The start of such a job is its end minus the times that it ran and was
 * suspended.
 *
 * Source: Slurm, slurmdb v0.0.36 to v0.0.42 (parsers of `slurmdb_job_rec_t`).
 */
export const sacctJsonFormat: TraceFormat<typeof slurmOptions> = accountingFormat({
  options: slurmOptions,
  gpusIn: GPUS_IN_TRES,
  joins: joinsParts,
  follows: followsJobs,
  name: 'sacct-json',
  summary: 'Slurm accounting records (sacct --json)',
  source: 'Slurm, slurmdb v0.0.36 to v0.0.42',
  detect: (head) => /^\s*[[{]/.test(head) && (isRecord(head) || isEmptyList(head)),
  isOfFiles: true,
  reader: (place, { cluster }, isHeld) => new SacctJsonReader(place, cluster, isHeld),
})

const isRecord = (head: string): boolean => /"submission"\s*:/.test(head) && /"(job_id|association|allocation_nodes)"\s*:/.test(head)

/** What Slurm prints if it finds no job. */
const isEmptyList = (head: string): boolean => /"slurm"\s*:\s*\{/i.test(head) && /"jobs"\s*:\s*\[\s*\]/.test(head)

class SacctJsonReader implements RecordReader {
  readonly #documents: Documents
  readonly #ids: RecordIds
  readonly #clusters: Clusters
  readonly #arrays = new WaitingArrays()
  readonly #throttles = new ArrayThrottles()
  #eligible = 0

  constructor(private readonly place: LinePlace, cluster: string | undefined, isHeld: boolean) {
    this.#ids = new RecordIds(isHeld)
    this.#clusters = new Clusters(cluster)
    this.#documents = new Documents(place, 'jobs')
  }

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    this.#documents.line(bytes, from, to, (found) => {
      try {
        const cluster = new Fields(found.value).text('cluster') ?? ''
        if (!this.#clusters.take(cluster)) return
        const record = this.#record(found)
        this.#throttles.note({ id: record.id, array: arrayOf(record.id), ...saidOfArray(new Fields(found.value)) })
        for (const id of this.#arrays.idsOf(record)) {
          const called = this.#ids.of({ ...record, id, cluster })
          if (called === undefined) continue
          const array = arrayOf(id)
          take({ ...record, array, arrayThrottle: this.throttles().get(array ?? ''), id: called })
        }
      } catch (error) {
        throw inObject(error, found.line, this.place)
      }
    })
  }

  end(): void {
    this.#documents.end()
  }

  throttles(): ReadonlyMap<string, number> {
    return this.#throttles.found
  }

  rules(): RuleCount[] {
    const eligible = { rule: 'eligible', jobs: this.#eligible, text: 'whose start is the time at which they became eligible (Slurm up to 22.05): started as long before their end as they ran' }
    return [...this.#ids.rules(), ...this.#arrays.rules(), ...this.#clusters.rules(), ...(this.#eligible > 0 ? [eligible] : [])]
  }

  #record({ value }: Found): AccountingRecord {
    const job = new Fields(value)
    const time = job.object('time')
    if (time === undefined) throw notThere(job)
    const [submit, eligible] = [moment(time, 'submission'), moment(time, 'eligible')]
    const [tres, required] = [job.object('tres'), job.object('required')]
    const [requestedTres, allocatedTres] = [tres?.list('requested') ?? [], tres?.list('allocated') ?? []]
    const requested = known(required === undefined ? NaN : amount(required, 'CPUs'), count(requestedTres, 'cpu'))
    const allocated = known(count(allocatedTres, 'cpu'), tres?.has('allocated') === true ? 0 : -1)
    const nodes = known(count(allocatedTres, 'node'), amount(job, 'allocation_nodes'), count(requestedTres, 'node'))
    const bounds = timeBoundsIn(job.text('submit_line') ?? '', idOf(job), submit, false)
    const asked = requestedTres.length > 0 ? requestedTres : allocatedTres
    return {
      id: idOf(job),
      submit: submit > 0 ? submit : NaN,
      eligible: eligible > 0 ? eligible : NaN,
      ...this.#times(time),
      cpuTime: cpuTimeOf(time),
      usedMem: usedMemoryInSteps(job.value('steps')),
      limit: Math.max(amount(time, 'limit') * SECONDS_PER_MINUTE, bounds.limit ?? -1),
      minLimit: bounds.minLimit,
      deadline: bounds.deadline,
      requested,
      allocated,
      nodes,
      mem: known(count(asked, 'mem'), requiredMemory(required, requested > 0 ? requested : allocated, nodes), -1),
      gpus: gpusOf(asked) || gpusOf(allocatedTres),
      licenses: askedLicenses(job.text('licenses') ?? '')
        ?? licensesOf(asked.filter((each) => each.text('type') === 'license').map((each) => [each.text('name') ?? '', amount(each, 'count')])),
      exclusive: exclusiveIn(job.text('submit_line') ?? ''),
      nice: niceIn(job.text('submit_line') ?? '', idOf(job)),
      contiguous: isContiguousIn(job.text('submit_line') ?? '', idOf(job)),
      hosts: askedHostsIn(job.text('submit_line') ?? '', idOf(job)),
      topology: switchesIn(job.text('submit_line') ?? '', idOf(job)),
      layout: layoutIn(job.text('submit_line') ?? '', idOf(job), count(requestedTres, 'node')),
      name: job.text('name') ?? '',
      dependency: dependencyIn(job.text('submit_line') ?? ''),
      features: job.text('constraints'),
      gpuType: gpuTypeOf(requestedTres) ?? gpuTypeOf(allocatedTres),
      reservation: reservationIn(job.text('submit_line') ?? '', idOf(job)) || job.object('reservation')?.text('name'),
      priority: amount(job, 'priority'),
      state: stateOf(job.object('state')),
      user: job.text('user') ?? job.object('association')?.text('user') ?? '',
      group: job.text('group') ?? '',
      account: job.text('account') ?? job.object('association')?.text('account') ?? '',
      partition: job.text('partition') ?? '',
      qos: job.text('qos') ?? '',
    }
  }

  #times(time: Fields): Pick<AccountingRecord, 'start' | 'end' | 'elapsed'> {
    const [start, end, elapsed, suspended] = [moment(time, 'start'), moment(time, 'end'), moment(time, 'elapsed'), known(moment(time, 'suspended'), 0)]
    const ran = { end: end > 0 ? end : NaN, elapsed }
    if (!(start > 0)) return { ...ran, start: NaN }
    if (start !== moment(time, 'eligible') || !(start + elapsed + suspended < end)) return { ...ran, start }
    this.#eligible++
    return { ...ran, start: end - elapsed - suspended }
  }
}

function notThere(job: Fields): BadLine {
  return job.has('submit_time') || job.has('job_state')
    ? job.bad('time', 'is missing: this is a job of squeue or scontrol.', 'Print jobs that have ended, with `sacct --json`')
    : job.bad('time', 'is missing.', 'Print jobs with `sacct --json`, which gives time, job_id, required and tres')
}

/**
 * The id as sacct writes it: of a job, of a task of an array (`123_4`), of the waiting tasks of an array (`123_[4-7]`), or of a part of a
 * heterogeneous job (`123+1`).
 */
function idOf(job: Fields): string {
  const id = job.text('job_id')
  if (id === undefined) throw job.bad('job_id', 'is missing.')
  const [array, het] = [job.object('array'), job.object('het')]
  if (array !== undefined && amount(array, 'job_id') > 0 && amount(array, 'task_id') >= 0) return `${array.text('job_id')}_${amount(array, 'task_id')}`
  const waiting = array?.text('task') ?? ''
  if (array !== undefined && waiting !== '' && amount(array, 'job_id') > 0) return `${array.text('job_id')}_[${waiting}]`
  if (het !== undefined && amount(het, 'job_id') > 0) return `${het.text('job_id')}+${known(amount(het, 'job_offset'), 0)}`
  return id
}

/** How many tasks of the job's array may run at once, and the command that submitted it. */
function saidOfArray(job: Fields): { readonly most: number; readonly command: string } {
  const running = job.object('array')?.object('limits')?.object('max')?.object('running')
  return { most: running === undefined ? NaN : amount(running, 'tasks'), command: job.text('submit_line') ?? '' }
}

/** CPU time of all steps in seconds; NaN if steps were not printed. */
function cpuTimeOf(time: Fields): number {
  const total = time.object('total')
  return total === undefined ? NaN : amount(total, 'seconds') + known(amount(total, 'microseconds'), 0) / 1e6
}

/** The state in lower case. Of several states the first is the state; the others are flags. */
function stateOf(state: Fields | undefined): string {
  if (state === undefined) return ''
  const text = Array.isArray(state.value('current')) ? state.texts('current')[0] : state.text('current')
  return text?.toLowerCase().split(' ', 1)[0] ?? ''
}

/** Requested memory in MiB, as records have it that were made before there were trackable resources; NaN if there is none. */
function requiredMemory(required: Fields | undefined, procs: number, nodes: number): number {
  if (required === undefined) return NaN
  const [perCpu, perNode] = [amount(required, 'memory_per_cpu'), amount(required, 'memory_per_node')]
  return perCpu > 0 ? perCpu * procs : perNode > 0 ? perNode * nodes : NaN
}

const count = (tres: readonly Fields[], type: string, name?: string): number =>
  sumOf(tres.filter((each) => each.text('type') === type && (name === undefined || each.text('name') === name)))

/** Type of the GPUs; `undefined` if no type or several are given. */
function gpuTypeOf(tres: readonly Fields[]): string | undefined {
  const types = tres.flatMap((each) => (each.text('type') === 'gres' && amount(each, 'count') > 0 ? (/^gpu:(.+)$/.exec(each.text('name') ?? '')?.[1] ?? []) : []))
  return types.length === 1 ? types[0] : undefined
}

/** Number of GPUs of all types; if only types are listed, their sum. 0 if there are none. */
const gpusOf = (tres: readonly Fields[]): number => known(count(tres, 'gres', 'gpu'), sumOf(tres.filter((each) => each.text('name')?.startsWith('gpu:'))), 0)

/** Sum of the counts; NaN for an empty list. */
const sumOf = (tres: readonly Fields[]): number => (tres.length === 0 ? NaN : tres.reduce((sum, each) => sum + known(amount(each, 'count'), 0), 0))

/** The first number that is not NaN; -1 if there is none. */
const known = (...numbers: readonly number[]): number => numbers.find((number) => !Number.isNaN(number)) ?? -1

/** A number in any of Slurm's notations; NaN if it is not set. Throws `BadLine`. */
function amount(fields: Fields, key: string): number {
  const value = fields.value(key)
  if (typeof value === 'object') {
    const number = fields.object(key)!
    return number.value('infinite') === true ? Infinity : number.value('set') === false ? NaN : amount(number, 'number')
  }
  if (value === undefined || value === '' || value === 'NaN') return NaN
  if (value === 'Infinity') return Infinity
  if (typeof value === 'number' && (value < 0 || value >= NO_VAL)) return value === NO_VAL + 1 ? Infinity : NaN
  return fields.number(key)!
}

/** A time, or a span of it, that has passed, in seconds; NaN if it is not set, or infinite, as Slurm has what is not yet known. Throws `BadLine`. */
function moment(fields: Fields, key: string): number {
  const seconds = amount(fields, key)
  return seconds < Infinity ? seconds : NaN
}

import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { asText, lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { asked, endState, given } from './asked.js'
import { PbsFields } from './fields.js'
import { PbsEvents } from './events.js'

/** How the records of PBS become jobs. */
export const pbsOptions = z.strictObject({
  ...accountingOptions,
  tasks: tasksByNode('exec_host, else nodect'),
  submit: z.enum(['ctime', 'qtime', 'etime']).default('ctime')
    .describe('When a job was submitted: when it was created (ctime), came into its last queue (qtime), or could first run, after holds and the jobs that it waited for (etime). If that time is unknown, the first known one of these counts.'),
  queue: z.enum(['queue', 'account', 'project']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'out_of_memory', 'unknown']),
})
type PbsOptions = z.output<typeof pbsOptions>

/** Position of a record's type letter, after `MM/DD/YYYY HH:MM:SS;`. */
const KIND = 20
const SEMICOLON = 59
const DOT = 46

/**
 * Accounting logs of OpenPBS, PBS Pro and Torque (`server_priv/accounting/YYYYMMDD`). Records `E` of jobs that ended are read. Other records (jobs
 * queued, started, deleted, ...) are counted, and tell which jobs were suspended or deleted. Each job of an array (`1234[5]`) is a job; the array as
 * a whole (`1234[]`) is not. A job runs from its start to its end; a job that was suspended runs for its `resources_used.walltime`, in which PBS does
 * not count pauses. Of a job that was run again, only the last run has a record. Ids do not include the name of the server.
 *
 * Source: OpenPBS, `src/server/accounting.c` and `src/include/acct.h`; Torque administrator's guide, accounting records.
 */
export const pbsFormat: TraceFormat<typeof pbsOptions> = accountingFormat({
  name: 'pbs',
  summary: 'accounting logs of OpenPBS, PBS Pro and Torque',
  source: 'OpenPBS, src/server/accounting.c; Torque, accounting records',
  options: pbsOptions,
  gpusIn: 'ngpus or gpus of Resource_List, select or nodes tells them',
  isByEnd: true,
  detect: (head) => /^\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d;[A-Za-z];[^;\n]*;/.test(head),
  reader: (_, options) => new PbsReader(options),
})

class PbsReader implements RecordReader {
  readonly #fields = new PbsFields()
  readonly #events = new PbsEvents()
  readonly #ids = new RepeatedIds('run again or of another server')

  constructor(private readonly options: PbsOptions) {}

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const end = bytes.indexOf(SEMICOLON, from + KIND + 2)
    const isRecord = bytes[from + KIND - 1] === SEMICOLON && bytes[from + KIND + 1] === SEMICOLON && end !== -1 && end < to
    if (!isRecord) return noRecord(bytes, from, to)
    const kind = String.fromCharCode(bytes[from + KIND]!)
    const dot = bytes.indexOf(DOT, from + KIND + 2)
    const id = asText(bytes, from + KIND + 2, dot === -1 ? end : Math.min(dot, end))
    if (kind !== 'E') return this.#events.add(kind, id)
    if (id === '') throw new BadLine('job', 'is empty.')
    if (id.endsWith('[]')) return this.#events.addArray(id)
    const { isSuspended, isDeleted } = this.#events.ended(id)
    const text = lineText(bytes, end + 1, to)
    this.#fields.read(text, 0)
    const record = recordOf(this.#fields, this.options.submit, isSuspended)
    take({ ...record, id: this.#ids.distinct(id), state: endState(this.#fields, record, isDeleted) })
  }

  rules() {
    return [...this.#events.rules(), ...this.#ids.rules()]
  }
}

function noRecord(bytes: Uint8Array, from: number, to: number): void {
  const text = asText(bytes, from, Math.min(to, from + 80))
  if (text.trim() === '') return
  const found = JSON.stringify(text.slice(0, 40))
  throw new BadLine(undefined, `found ${found}, expected a record: MM/DD/YYYY HH:MM:SS;KIND;JOB;...`, 'Was the file cut short? Copy it again')
}

function recordOf(fields: PbsFields, submitted: PbsOptions['submit'], isSuspended: boolean): Omit<AccountingRecord, 'id' | 'state'> {
  const [start, end] = [fields.time('start'), fields.time('end')]
  const times = [submitted, 'ctime', 'qtime', 'etime'] as const
  const { requested, mem, gpus, nodes: wanted } = asked(fields)
  const { procs: allocated, nodes } = given(fields)
  return {
    submit: times.map((name) => fields.time(name)).find((time) => time > 0) ?? NaN,
    start,
    end,
    elapsed: isSuspended ? fields.span('resources_used.walltime') : end - start,
    limit: fields.span('Resource_List.walltime'),
    requested,
    allocated,
    nodes: nodes > 0 ? nodes : wanted,
    mem,
    gpus,
    reservation: fields.name('resvID'),
    priority: -1,
    user: fields.name('user'),
    group: fields.name('group'),
    account: fields.name('account'),
    project: fields.name('project'),
    queue: fields.name('queue'),
    partition: '',
    qos: '',
  }
}

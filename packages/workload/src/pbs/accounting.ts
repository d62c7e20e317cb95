import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { instant } from '../slurm/times.js'
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
const BLANK = 32

/**
 * Accounting logs of OpenPBS, PBS Pro and Torque (`server_priv/accounting/YYYYMMDD`). Records `E` of jobs that ended are read. Other records (jobs
 * queued, started, deleted, ...) are counted, and tell which jobs were suspended or deleted. Each job of an array (`1234[5]`) is a job; the array as
 * a whole (`1234[]`) is not. A job runs from its start to its end; a job that was suspended runs for its `resources_used.walltime`, in which PBS does
 * not count pauses. Of a job that was run again, only the last run has a record. Ids do not include the name of the server. Where the records of a job
 * tell no times but their own, it was submitted at its first `Q`, and ran from its last `S` to its `E`.
 *
 * Source: OpenPBS, `src/server/accounting.c` and `src/include/acct.h`; Torque administrator's guide, accounting records. Read as well: what Cobalt
 * writes, whose times have fractions; and the published logs of Emmy and Meggie (RRZE), in which a blank and no semicolon stands behind the id.
 */
export const pbsFormat: TraceFormat<typeof pbsOptions> = accountingFormat({
  name: 'pbs',
  summary: 'accounting logs of OpenPBS, PBS Pro and Torque',
  source: 'OpenPBS, src/server/accounting.c; Torque, accounting records',
  options: pbsOptions,
  gpusIn: 'ngpus or gpus of Resource_List, select or nodes tells them',
  isByEnd: true,
  detect: (head) => /^\s*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d;[A-Za-z];(?:[^;\n]*;|\d+\.\S+ \w+[.=])/.test(head),
  reader: (_, options) => new PbsReader(options),
})

class PbsReader implements RecordReader {
  readonly #fields = new PbsFields()
  readonly #events = new PbsEvents()
  readonly #ids = new RepeatedIds('run again or of another server')

  constructor(private readonly options: PbsOptions) {}

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const end = endOfId(bytes, from + KIND + 2, to)
    const isRecord = bytes[from + KIND - 1] === SEMICOLON && bytes[from + KIND + 1] === SEMICOLON && end !== -1
    if (!isRecord) return noRecord(bytes, from, to)
    const kind = String.fromCharCode(bytes[from + KIND]!)
    const dot = bytes.indexOf(DOT, from + KIND + 2)
    const id = asText(bytes, from + KIND + 2, dot === -1 ? end : Math.min(dot, end))
    const logged = loggedAt(asText(bytes, from, from + KIND - 1))
    if (kind !== 'E') return this.#events.add(kind, id, logged)
    if (id === '') throw new BadLine('job', 'is empty.')
    if (id.endsWith('[]')) return this.#events.addArray(id)
    const { isSuspended, isDeleted, queued, started } = this.#events.ended(id)
    const text = lineText(bytes, end + 1, to)
    this.#fields.read(text, 0)
    const record = recordOf(this.#fields, this.options.submit, isSuspended, { queued, started, ended: logged })
    take({ ...record, id: this.#ids.distinct(id), state: endState(this.#fields, record, isDeleted) })
  }

  rules() {
    return [...this.#events.rules(), ...this.#ids.rules()]
  }
}

/** Where the id ends: at a semicolon, or if none follows in the line, at a blank. -1: at neither. */
function endOfId(bytes: Uint8Array, from: number, to: number): number {
  for (const separator of [SEMICOLON, BLANK]) {
    const end = bytes.indexOf(separator, from)
    if (end !== -1 && end < to) return end
  }
  return -1
}

/** When a record was written, `MM/DD/YYYY HH:MM:SS`, as seconds since 1970 without a time zone; NaN if that is no date. */
const loggedAt = (text: string): number => instant(`${text.slice(6, 10)}-${text.slice(0, 2)}-${text.slice(3, 5)}T${text.slice(11)}`) ?? NaN

function noRecord(bytes: Uint8Array, from: number, to: number): void {
  const text = asText(bytes, from, Math.min(to, from + 80))
  if (text.trim() === '') return
  const found = JSON.stringify(text.slice(0, 40))
  throw new BadLine(undefined, `found ${found}, expected a record: MM/DD/YYYY HH:MM:SS;KIND;JOB;...`, 'Was the file cut short? Copy it again')
}

/** When the records of a job were written. */
interface Logged {
  readonly queued: number
  readonly started: number
  readonly ended: number
}

function recordOf(fields: PbsFields, submitted: PbsOptions['submit'], isSuspended: boolean, logged: Logged): Omit<AccountingRecord, 'id' | 'state'> {
  const isTold = (['ctime', 'qtime', 'etime', 'start', 'end'] as const).some((name) => fields.text(name) !== '')
  const [start, end] = isTold ? [fields.time('start'), fields.time('end')] : [logged.started, logged.ended]
  const times = [submitted, 'ctime', 'qtime', 'etime'] as const
  const { requested, mem, gpus, nodes: wanted } = asked(fields)
  const { procs: allocated, nodes } = given(fields)
  const most = fields.span('Resource_List.max_walltime')
  return {
    submit: isTold ? (times.map((name) => fields.time(name)).find((time) => time > 0) ?? NaN) : logged.queued,
    start,
    end,
    elapsed: isSuspended ? fields.span('resources_used.walltime') : end - start,
    limit: most > 0 ? most : fields.span('Resource_List.walltime'),
    minLimit: fields.span('Resource_List.min_walltime'),
    requested,
    allocated,
    nodes: nodes > 0 ? nodes : wanted,
    mem,
    gpus,
    reservation: fields.name('resvID'),
    priority: NaN,
    user: fields.name('user'),
    group: fields.name('group'),
    account: fields.name('account'),
    project: fields.name('project'),
    queue: fields.name('queue'),
    partition: '',
    qos: '',
  }
}

import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { Names } from '../accounting/names.js'
import { accountingOptions, statusOption } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { askedFor, endOf } from './category.js'

/** How the records of Grid Engine become jobs. */
export const sgeOptions = z.strictObject({
  ...accountingOptions,
  queue: z.enum(['queue', 'project', 'department']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'requeued']),
})

/**
 * The accounting file of Grid Engine (Sun, Oracle, Univa, Son of): a line of fields with colons between them for each job
 * that ended, or for each of its attempts. Slots are processors. Times in milliseconds (Univa 8.2 and later) are known by
 * their size. Tasks of an array are called `1234.5`; tasks that a tightly integrated parallel job started (`pe_taskid`) are
 * parts of it and left out. What jobs asked for stands in their category: the limit `h_rt` (else `s_rt`), memory for each slot
 * (`m_mem_free`, `h_vmem` or `mem_free`) and GPUs for the job (`gpu`, `gpus` or `ngpus`); defaults of queues do not.
 *
 * Source: accounting(5) of Sun Grid Engine 6.2, Univa Grid Engine 8.2 and Son of Grid Engine 8.1; sge_status(5).
 */
export const sgeFormat: TraceFormat<typeof sgeOptions> = accountingFormat({
  name: 'sge',
  title: 'accounting file of Grid Engine',
  source: 'accounting(5) of Grid Engine 6.2 and 8',
  options: sgeOptions,
  gpusIn: 'gpu of the category (-l gpu=1) tells them',
  isByEnd: true,
  detect: (head) => isRecord(head.split('\n', 200).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''),
  reader: () => new SgeReader(),
})

const At = {
  queue: 0, group: 2, owner: 3, job: 5, account: 6, submit: 8, start: 9, end: 10, failed: 11, exit: 12, project: 31, department: 32, slots: 34, task: 35,
  category: 39,
} as const
const LEAST_FIELDS = 43

function isRecord(line: string): boolean {
  const fields = line.trim().split(':')
  const numbers = [At.job, At.submit, At.start, At.end, At.failed, At.exit, At.slots, At.task]
  return fields.length >= LEAST_FIELDS && numbers.every((at) => /^\d+$/.test(fields[at]!))
}

/** From here on a time is in milliseconds: as such the year 1973, as seconds the year 5138. */
const MILLISECONDS = 1e11

class SgeReader implements RecordReader {
  readonly #names = new Names()
  readonly #ids = new RepeatedIds('begun again')
  #fields: string[] = []

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const line = lineText(bytes, from, to)
    if (line.length <= 1 || line.startsWith('#') || line.trim() === '') return
    this.#fields = line.split(':', At.category)
    const rest = restOf(line, this.#fields)
    if (this.#fields.length < At.category || rest === '') throw tooShort(line)
    take(this.#record(rest))
  }

  rules() {
    return this.#ids.rules()
  }

  #record(rest: string): AccountingRecord | 'step' {
    const { category, isSlave, isDeleted } = endOf(rest)
    if (isSlave) return 'step'
    const [job, task, slots] = [this.#whole(At.job, 'job_number'), this.#whole(At.task, 'task_number'), this.#whole(At.slots, 'slots')]
    const [submit, start, end] = [this.#time(At.submit, 'submission_time'), this.#time(At.start, 'start_time'), this.#time(At.end, 'end_time')]
    const { limit, memory, gpus } = askedFor(category)
    const project = this.#name(At.project)
    const account = this.#name(At.account)
    return {
      id: this.#ids.distinct(task > 0 ? `${job}.${task}` : String(job)),
      submit,
      start,
      end,
      elapsed: end - start,
      limit,
      requested: slots,
      allocated: slots,
      nodes: -1,
      mem: memory > 0 ? memory * slots : -1,
      gpus,
      priority: -1,
      state: stateOf(this.#whole(At.failed, 'failed'), this.#whole(At.exit, 'exit_status'), isDeleted, end - start >= limit),
      user: this.#name(At.owner),
      group: this.#name(At.group),
      account: project === '' ? account : project,
      project,
      department: this.#name(At.department),
      queue: this.#name(At.queue),
      partition: '',
      qos: '',
    }
  }

  #whole(at: number, name: string): number {
    const text = this.#fields[at]!
    if (!/^\d{1,15}$/.test(text)) throw new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected a whole number of at least 0.`)
    return Number(text)
  }

  /** Seconds; NaN for 0, the time of what did not happen. */
  #time(at: number, name: string): number {
    const value = this.#whole(at, name)
    return value === 0 ? NaN : value >= MILLISECONDS ? value / 1000 : value
  }

  #name(at: number): string {
    const text = this.#fields[at]!
    return /^none$/i.test(text) ? '' : this.#names.of(text)
  }
}

function tooShort(line: string): BadLine {
  const found = line.split(':').length
  return new BadLine(undefined, `found ${found} field${found === 1 ? '' : 's'}, expected at least ${LEAST_FIELDS}.`, 'Was the file cut short? Copy it again')
}

/** What follows the fields that were taken, and a colon. */
function restOf(line: string, fields: readonly string[]): string {
  let taken = fields.length
  for (const field of fields) taken += field.length
  return line.slice(taken)
}

const [MIGRATED, AGAIN, APPLICATION_ERROR, ENFORCED_LIMIT, AFTER_JOB] = [24, 25, 30, 37, 100]

/** How an attempt ended (sge_status(5)): one that died (100) after it had run as long as it may is taken to have met its limit. */
function stateOf(failed: number, exit: number, isDeleted: boolean, isAtLimit: boolean): string {
  if (failed === 0 && exit === 0) return 'completed'
  if (failed === MIGRATED || failed === AGAIN || failed === APPLICATION_ERROR) return 'requeued'
  if (failed === ENFORCED_LIMIT) return 'timeout'
  if (isDeleted) return 'cancelled'
  return failed === AFTER_JOB && isAtLimit ? 'timeout' : 'failed'
}

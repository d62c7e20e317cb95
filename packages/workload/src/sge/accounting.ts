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
 * The accounting file of Grid Engine (Sun, Oracle, Univa, Son of Grid Engine): a line of fields separated by colons for each job that ended, or for
 * each attempt of a job. Slots are processors. Times in milliseconds (Univa 8.2 and later) are recognized by their size. A task of an array is called
 * `1234.5`. Tasks that a tightly integrated parallel job started (`pe_taskid`) are parts of that job and left out. What a job asked for is in its
 * category: the limit `h_rt` (otherwise `s_rt`), memory per slot (`m_mem_free`, `h_vmem` or `mem_free`) and GPUs of the job (`gpu`, `gpus` or
 * `ngpus`). Defaults of queues are not recorded.
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

/** Times from here on are in milliseconds: as milliseconds it is in 1973, as seconds in 5138. */
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

  /** Seconds since 1970; NaN for 0, which stands for something that did not happen. */
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

/** The rest of a line after the fields that were taken and a colon. */
function restOf(line: string, fields: readonly string[]): string {
  let taken = fields.length
  for (const field of fields) taken += field.length
  return line.slice(taken)
}

const [MIGRATED, AGAIN, APPLICATION_ERROR, ENFORCED_LIMIT, AFTER_JOB] = [24, 25, 30, 37, 100]

/** How an attempt ended (sge_status(5)). An attempt that died (100) after it had run for its whole limit counts as `timeout`. */
function stateOf(failed: number, exit: number, isDeleted: boolean, isAtLimit: boolean): string {
  if (failed === 0 && exit === 0) return 'completed'
  if (failed === MIGRATED || failed === AGAIN || failed === APPLICATION_ERROR) return 'requeued'
  if (failed === ENFORCED_LIMIT) return 'timeout'
  if (isDeleted) return 'cancelled'
  return failed === AFTER_JOB && isAtLimit ? 'timeout' : 'failed'
}

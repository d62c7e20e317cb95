import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { Names } from '../accounting/names.js'
import { accountingOptions, statusOption } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import type { RuleCount } from '../trace/facts.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { askedFor, endOf, type Asked } from './category.js'

/** How the records of Grid Engine become jobs. */
export const sgeOptions = z.strictObject({
  ...accountingOptions,
  queue: z.enum(['queue', 'project', 'department']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'requeued']),
  gpusPer: z.enum(['job', 'slot']).default('job')
    .describe('Whether a job gets the GPUs that it asks for once or for each slot, as where their complex is consumable YES (qconf -sc) and not JOB.'),
})

/**
 * The accounting file of Grid Engine (Sun, Oracle, Univa, Son of Grid Engine): a line of fields separated by colons for each job that ended, or for
 * each attempt of a job. Slots are processors. Times in milliseconds (Univa 8.2 and later) are recognized by their size. A task of an array is called
 * `1234.5`. Tasks that a tightly integrated parallel job started (`pe_taskid`) are parts of that job and left out. What a job asked for is in its
 * category: the limit `h_rt` (otherwise `s_rt`), memory per slot (`m_mem_free`, `h_vmem` or `mem_free`) and GPUs (`gpu`, `gpus` or `ngpus`).
 * Defaults of queues are not recorded.
 *
 * A run after one that failed or was rescheduled is submitted when that one ended, though most records keep the submission of the first. Attempts
 * that never ran have no times, that of `qmod -rj` not even a submission; they never started.
 *
 * Source: accounting(5) of Sun Grid Engine 6.2, Univa Grid Engine 8.2 and Son of Grid Engine 8.1; sge_status(5). Compared with what Son of Grid
 * Engine 8.1.9 writes.
 */
export const sgeFormat: TraceFormat<typeof sgeOptions> = accountingFormat({
  name: 'sge',
  summary: 'accounting file of Grid Engine',
  source: 'accounting(5) of Grid Engine 6.2 and 8',
  options: sgeOptions,
  gpusIn: 'gpu of the category (-l gpu=1) tells them',
  isByEnd: true,
  detect: (head) => isRecord(head.split('\n', 200).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''),
  reader: (_, { gpusPer }) => new SgeReader(gpusPer === 'slot'),
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
  readonly #runs = new Runs()
  #fields: string[] = []

  constructor(private readonly areGpusPerSlot: boolean) {}

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const line = lineText(bytes, from, to)
    if (line.length <= 1 || line.startsWith('#') || line.trim() === '') return
    this.#fields = line.split(':', At.category)
    const rest = restOf(line, this.#fields)
    if (this.#fields.length < At.category || rest === '') throw tooShort(line)
    take(this.#record(rest))
  }

  rules() {
    return this.#runs.rules()
  }

  #record(rest: string): AccountingRecord | 'step' {
    const { category, isSlave, isDeleted, reservation } = endOf(rest)
    if (isSlave) return 'step'
    const [job, task, slots] = [this.#whole(At.job, 'job_number'), this.#whole(At.task, 'task_number'), this.#whole(At.slots, 'slots')]
    const [submit, start, end] = [this.#time(At.submit, 'submission_time'), this.#time(At.start, 'start_time'), this.#time(At.end, 'end_time')]
    const [failed, exit] = [this.#whole(At.failed, 'failed'), this.#whole(At.exit, 'exit_status')]
    const asked = askedFor(category)
    const { limit, memory, gpus } = asked
    const project = this.#name(At.project)
    const account = this.#name(At.account)
    return {
      ...this.#runs.run(task > 0 ? `${job}.${task}` : String(job), submit, start, end, failed !== 0),
      start,
      end,
      elapsed: end - start,
      limit,
      requested: slots,
      allocated: slots,
      nodes: -1,
      mem: memory > 0 ? memory * slots : -1,
      gpus: gpus > 0 && this.areGpusPerSlot ? gpus * slots : gpus,
      priority: NaN,
      state: stateOf(failed, exit, isDeleted, end - start, asked),
      user: this.#name(At.owner),
      group: this.#name(At.group),
      account: project === '' ? account : project,
      project,
      department: this.#name(At.department),
      queue: this.#name(At.queue),
      partition: '',
      qos: '',
      reservation,
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

/** Names the runs of jobs, which may have several, and tells when each was submitted. Runs must come in the order in which they ended. */
class Runs {
  readonly #ids = new RepeatedIds('begun again')
  /** When the last run of a job ended that may not have been its last one. */
  readonly #ends = new Map<string, number>()
  #later = 0

  run(id: string, submit: number, start: number, end: number, mayRunAgain: boolean): { readonly id: string; readonly submit: number } {
    if (Number.isNaN(start)) return { id, submit: Number.isNaN(submit) ? 0 : submit } // left out as never started, so it takes no id
    const before = this.#ends.get(id) ?? -Infinity
    if (mayRunAgain) this.#ends.set(id, end)
    else this.#ends.delete(id)
    if (submit < before && before <= start) {
      this.#later++
      return { id: this.#ids.distinct(id), submit: before }
    }
    return { id: this.#ids.distinct(id), submit }
  }

  rules(): RuleCount[] {
    const text = 'begun again after a run that failed: submitted when that ended'
    return [...this.#ids.rules(), ...(this.#later === 0 ? [] : [{ rule: 'again', jobs: this.#later, text }])]
  }
}

const [MIGRATED, AGAIN, APPLICATION_ERROR, ENFORCED_LIMIT, AFTER_JOB] = [24, 25, 30, 37, 100]

/**
 * How an attempt ended (sge_status(5)). One that died (100) after it had run for `h_rt` or `s_rt` counts as `timeout`; one that was killed at a limit
 * (37) does unless it had not run for so long, or asked for no such limit but for one of memory or CPU time.
 */
function stateOf(failed: number, exit: number, isDeleted: boolean, elapsed: number, { limit, softLimit, hasOtherLimits }: Asked): string {
  if (failed === 0 && exit === 0) return 'completed'
  if (failed === MIGRATED || failed === AGAIN || failed === APPLICATION_ERROR) return 'requeued'
  const isAtLimit = elapsed >= limit || elapsed >= softLimit
  if (failed === ENFORCED_LIMIT) return isAtLimit || (Number.isNaN(limit) && !hasOtherLimits) ? 'timeout' : 'failed'
  if (isDeleted) return 'cancelled'
  return failed === AFTER_JOB && isAtLimit ? 'timeout' : 'failed'
}

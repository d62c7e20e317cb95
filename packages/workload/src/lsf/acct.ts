import * as z from '@sched/bundled/zod'
import { accountingFormat } from '../accounting/format.js'
import { Names } from '../accounting/names.js'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'
import type { AccountingRecord, RecordReader, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import type { RuleCount } from '../trace/facts.js'
import { LsfFields } from './fields.js'
import { endState, hostsOf, reservedGpus, reservedMemory, tailOf } from './record.js'

/** How the records of LSF become jobs. */
export const lsfOptions = z.strictObject({
  ...accountingOptions,
  tasks: tasksByNode('execHosts'),
  queue: z.enum(['queue', 'project']).default('queue').describe('What names the queue of a job.'),
  status: statusOption(['completed', 'failed', 'cancelled', 'timeout', 'deadline', 'out_of_memory', 'preempted', 'requeued', 'unknown']),
})

/**
 * The accounting log of LSF (`lsb.acct`, `lsb.acct.1`, ...): records `JOB_FINISH` of versions 5 to 10, whose fields have a fixed order with lists of
 * hosts among them. Other records are counted. Elements of an array are called `1234[5]`. The limit is that of the job (`bsub -W`), which is recorded
 * from LSF 9.1 on; limits of queues are not recorded. A job runs for its `runTime`, which does not include suspensions, if recorded, otherwise from
 * its start to its end. The project of a job is its account.
 *
 * Source: IBM Spectrum LSF 10.1, Configuration Reference, lsb.acct; Platform LSF 6.2 and 9.1.
 */
export const lsfFormat: TraceFormat<typeof lsfOptions> = accountingFormat({
  name: 'lsf',
  summary: 'accounting log of LSF (lsb.acct)',
  source: 'IBM Spectrum LSF 10.1, lsb.acct',
  options: lsfOptions,
  gpusIn: 'ngpus_physical of the resource requirement tells them',
  isByEnd: true,
  detect: (head) => /^"JOB_FINISH" "[\d.]+" \d+ /m.test(head),
  reader: () => new LsfReader(),
})

/** Positions of fields up to the list of hosts that a job asked for. */
const At = { event: 2, job: 3, processors: 6, submit: 7, start: 10, user: 11, queue: 12, resReq: 13, askedHosts: 22 } as const
/** Positions of fields after the list of hosts where the job ran, counted from the status. */
const After = { project: 24, index: 29, reservation: 34, exitInfo: 38 } as const
const FINISHED = '"JOB_FINISH"'

class LsfReader implements RecordReader {
  readonly #fields = new LsfFields()
  readonly #names = new Names()
  readonly #ids = new RepeatedIds('requeued')
  #others = 0

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const text = lineText(bytes, from, to)
    if (text.startsWith(FINISHED)) {
      this.#fields.read(text)
      return take(this.#record(this.#fields))
    }
    if (/^\s*$|^#/.test(text)) return
    if (!/^"[A-Z_]+\d*"/.test(text))
      throw new BadLine(undefined, `found ${JSON.stringify(text.slice(0, 40))}, expected a record: "JOB_FINISH" "10.1" ...`)
    this.#others++
  }

  rules(): RuleCount[] {
    const others = { rule: 'records', jobs: this.#others, text: 'events other than the end of a job: passed over' }
    return [...(this.#others > 0 ? [others] : []), ...this.#ids.rules()]
  }

  #record(fields: LsfFields): AccountingRecord {
    const { processors, nodes, next } = hostsOf(fields, At.askedHosts)
    const index = fields.number(next + After.index, 'idx')
    const job = fields.whole(At.job, 'jobId')
    const [start, end] = [fields.whole(At.start, 'startTime'), fields.whole(At.event, 'Event Time')]
    const requested = fields.whole(At.processors, 'numProcessors')
    const { limit, runtime, requirement } = tailOf(fields, next)
    const resources = requirement === '' ? fields.text(At.resReq) : requirement
    const project = this.#name(fields, next + After.project)
    const submit = fields.whole(At.submit, 'submitTime')
    return {
      id: this.#ids.distinct(index > 0 ? `${job}[${index}]` : String(job)),
      submit: submit > 0 ? submit : NaN,
      start: start > 0 ? start : NaN,
      end,
      elapsed: runtime > 0 && runtime <= end - start ? runtime : end - start,
      limit,
      requested,
      allocated: processors > 0 ? processors : -1,
      nodes,
      mem: reservedMemory(resources, nodes, requested),
      gpus: reservedGpus(resources, nodes, requested),
      reservation: this.#name(fields, next + After.reservation),
      priority: NaN,
      state: endState(fields.whole(next, 'jStatus'), fields.number(next + After.exitInfo, 'exitInfo')),
      user: this.#name(fields, At.user),
      group: '',
      account: project,
      project,
      queue: this.#name(fields, At.queue),
      partition: '',
      qos: '',
    }
  }

  #name(fields: LsfFields, at: number): string {
    return this.#names.of(fields.text(at))
  }
}

import type { RuleCount } from '../trace/facts.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { Columns } from './columns.js'
import { splitCsv } from './csv.js'
import { endedOptions, GPUS_IN_TRES } from './options.js'
import type { RecordReader, AccountingRecord, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { accountingFormat } from '../accounting/format.js'

const needed = ['job_id', 'submit_time', 'start_time', 'end_time', 'processors_req']

/**
 * The table of jobs of NREL's Eagle: CSV made from Slurm's records, with times taken as they are. Eagle allocated whole nodes to jobs; `unit: nodes`
 * does the same. Tasks of an array share an id in the table and get ids of their own here. Memory is not read, because the unit of `mem_req` is not
 * published.
 *
 * Source: Menear et al., "Mastering HPC Runtime Prediction", PEARC 2023; data under BSD 3-clause.
 */
export const eagleFormat: TraceFormat<typeof endedOptions> = accountingFormat({
  options: endedOptions,
  gpusIn: GPUS_IN_TRES,
  name: 'eagle',
  summary: 'job table of NREL\'s Eagle (CSV)',
  source: 'Menear et al., PEARC 2023',
  detect: (head) => isHeader(splitCsv(head.split('\n', 1)[0]!.trim())),
  reader: (place) => new EagleReader(place),
})

const isHeader = (names: readonly string[]) => ['job_id', 'submit_time', 'processors_req'].every((name) => names.includes(name))

class EagleReader implements RecordReader {
  #columns: Columns | undefined
  readonly #ids = new RepeatedIds('tasks of an array')

  constructor(private readonly place: LinePlace) {}

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const fields = splitCsv(lineText(bytes, from, to))
    if (this.#columns !== undefined) {
      this.#columns.take(fields)
      return take(record(this.#columns, this.#ids))
    }
    this.#columns = new Columns(fields)
    for (const name of needed) this.#columns.require(this.place, `A job table of Eagle has ${needed.join(', ')}.`, name)
  }

  rules(): RuleCount[] {
    return this.#ids.rules()
  }
}

function record(columns: Columns, ids: RepeatedIds): AccountingRecord {
  const id = columns.text('job_id')
  if (id === '') throw new BadLine('job_id', 'is empty.')
  const procs = columns.number('processors_req')
  const own = ids.distinct(id)
  return {
    id: own,
    array: own === id ? undefined : id, // the first task of an array is not recognized
    submit: columns.instant('submit_time'),
    start: columns.instant('start_time'),
    end: columns.instant('end_time'),
    elapsed: columns.number('run_time'),
    limit: columns.number('wallclock_req'),
    requested: procs,
    allocated: procs,
    nodes: columns.number('nodes_req'),
    mem: -1,
    gpus: columns.number('gpus_req'),
    priority: NaN,
    state: columns.text('state').toLowerCase(),
    user: columns.text('user'),
    group: '',
    account: columns.text('account'),
    partition: columns.text('partition'),
    qos: columns.text('qos'),
  }
}

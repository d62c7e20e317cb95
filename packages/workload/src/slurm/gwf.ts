import { knownWords } from '@sched/core'
import { lineText } from '../trace/fields.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { numberIn } from '../job-table/values.js'
import type { Sizes } from '../rigid/machine.js'
import { headerOf } from '../swf/header.js'
import { headerSize } from '../swf/sizes.js'
import { endedOptions, GPUS_IN_TRES } from './options.js'
import type { RecordReader, AccountingRecord, TakeRecord } from '../accounting/records.js'
import { RepeatedIds } from '../accounting/repeated-ids.js'
import { accountingFormat } from '../accounting/format.js'

const COLUMNS = 29
const states = knownWords<string>({ '0': 'failed', '1': 'completed', '5': 'cancelled' })
const KIB_PER_MIB = 1024

/**
 * The Grid Workload Format of the Grid Workloads Archive: 29 columns separated by blanks or tabs, comments that begin with #, and -1 for unknown
 * values. Comments above the jobs may give MaxProcs and MaxNodes, as in the Standard Workload Format. Jobs that never started are left out. The
 * partition of a job is its QueueID or, if that is unknown, its PartitionID.
 *
 * Deviation: the sites of a grid are one machine here.
 *
 * Source: Iosup et al., "The Grid Workloads Archive", FGCS 2008.
 */
export const gwfFormat: TraceFormat<typeof endedOptions> = accountingFormat({
  options: endedOptions,
  gpusIn: GPUS_IN_TRES,
  name: 'gwf',
  summary: 'Grid Workload Format (29 columns)',
  source: 'Iosup et al., FGCS 2008',
  detect: (head) => isRow(head.split('\n', 200).map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? ''),
  reader: () => new GwfReader(),
  sizes,
})

function sizes(head: Uint8Array): Sizes {
  const { fields } = headerOf(head)
  return { procs: headerSize(fields, 'MaxProcs'), nodes: headerSize(fields, 'MaxNodes') }
}

function isRow(line: string): boolean {
  const fields = line.split(/\s+/)
  return fields.length === COLUMNS && [1, 2, 3, 4, 7].every((i) => /^-?\d+(\.\d*)?$/.test(fields[i]!))
}

class GwfReader implements RecordReader {
  readonly #ids = new RepeatedIds('of another site')

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const line = lineText(bytes, from, to).trim()
    if (line === '' || line.startsWith('#')) return
    const fields = line.split(/\s+/)
    if (fields.length !== COLUMNS) throw new BadLine(undefined, `found ${fields.length} columns, expected ${COLUMNS}.`, 'Was the file cut short? Copy it again')
    take({ ...record(fields), id: this.#ids.distinct(fields[0]!) })
  }

  rules() {
    return this.#ids.rules()
  }
}

function record(fields: readonly string[]): AccountingRecord {
  const number = (column: number, name: string) => numberIn(fields[column]!, name)
  const text = (...columns: number[]) => columns.map((column) => fields[column]!).find((field) => field !== '-1') ?? ''
  const [submit, wait, runtime] = [number(1, 'SubmitTime'), number(2, 'WaitTime'), number(3, 'RunTime')]
  const [allocated, requested] = [number(4, 'NProc'), number(7, 'ReqNProcs')]
  const memory = number(9, 'ReqMemory')
  const start = runtime < 0 ? NaN : wait < 0 ? submit - 1 : submit + wait // if no wait is recorded, a start before the submission keeps `recorded.wait` absent
  return {
    id: fields[0]!,
    submit,
    start,
    end: start + runtime,
    elapsed: runtime,
    limit: number(8, 'ReqTime'),
    requested,
    allocated,
    nodes: -1,
    mem: memory > 0 ? Math.ceil((memory * Math.max(requested, allocated)) / KIB_PER_MIB) : -1,
    gpus: -1,
    priority: NaN,
    state: states[fields[10]!] ?? '',
    user: text(11),
    group: text(12),
    account: text(28),
    partition: text(14, 15),
    qos: '',
  }
}

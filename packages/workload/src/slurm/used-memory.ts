import { BadLine, type LinePlace } from '../trace/format.js'
import type { AccountingRecord, TakeRecord } from '../accounting/records.js'
import { tres, whole } from './amounts.js'
import type { Columns } from './columns.js'

const MIB = 2 ** 20
const bytes: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40, P: 2 ** 50, E: 2 ** 60 }

/** Columns with the memory that steps used. */
export const USED_MEMORY = ['TRESUsageInTot', 'AveRSS', 'TRESUsageInAve', 'MaxRSS', 'TRESUsageInMax'] as const

/**
 * Memory that the tasks of a step used together, MiB: the sum over tasks (TRESUsageInTot), or the mean (AveRSS, TRESUsageInAve) or the maximum
 * (MaxRSS, TRESUsageInMax) of a task times their number (NTasks, otherwise 1). NaN if all of these are absent or 0, which means not measured.
 */
export function usedMemory(columns: Columns): number {
  const [total = '', ...ofTask] = USED_MEMORY.map((name) => (name.startsWith('TRES') ? (tres(columns.text(name), 'mem') ?? '') : columns.text(name)))
  const each = ofTask.map(mebibytes).find((amount) => amount > 0) ?? NaN
  const sum = mebibytes(total)
  return sum > 0 ? sum : each * Math.max(1, whole(columns.text('NTasks')))
}

/**
 * The same for a job in JSON: the memory of the step that used most, MiB. `tres.requested` of a step is what it used, in bytes. Parts of another form
 * than expected are ignored. NaN if nothing is known.
 *
 * Source: Slurm, `slurmdb_step_rec_t` of data_parser.
 */
export function usedMemoryInSteps(steps: unknown): number {
  const used = listOf(steps).map((step) => {
    const of = (which: string) => listOf(inside(step, 'tres', 'requested', which)).filter((each) => inside(each, 'type') === 'mem').reduce<number>((sum, each) => sum + numberOf(inside(each, 'count')), 0)
    return (of('total') || (of('average') || of('max')) * Math.max(1, numberOf(inside(step, 'tasks', 'count')))) / MIB
  })
  const most = Math.max(0, ...used)
  return most > 0 ? most : NaN
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const inside = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, key) => (typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>)[key] : undefined), value)
/** A number in any of Slurm's notations; 0 for anything else. */
const numberOf = (value: unknown): number => {
  const number = Number(inside(value, 'number') ?? value)
  return number > 0 && number < Infinity ? number : 0
}

/** MiB of an amount; without a unit it is in bytes, as sacct prints it with --noconvert. NaN for anything else. */
function mebibytes(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTPE]?)$/.exec(text) ?? []
  return number === undefined ? NaN : (Number(number) * (bytes[unit] as number)) / MIB
}

/**
 * Holds the records of a job, mostly one, until the lines of its steps below have been read. The memory that the job used is that of its largest
 * step.
 */
export class HeldForSteps {
  #id = ''
  #records: readonly AccountingRecord[] = []
  #line = 0
  #most = NaN

  constructor(private readonly place: LinePlace) {}

  /** Holds the records of the next job, called `id` in the table, and passes on those held before. Throws `BadLine` for the latter. */
  hold(id: string, records: readonly AccountingRecord[], mem: number, take: TakeRecord): void {
    const before = { records: this.#records, line: this.#line, most: this.#most }
    this.#id = id
    this.#records = records
    this.#line = this.place.line
    this.#most = mem
    try {
      for (const record of before.records) take(before.most > 0 ? { ...record, usedMem: before.most } : record)
    } catch (error) {
      throw error instanceof BadLine && before.line !== this.place.line ? new BadLine(error.field, `in the job of line ${before.line}: ${error.fact}`, error.wayOut) : error
    }
  }

  /** Notes the memory of a step, such as `123.batch` of job 123. Steps of other jobs than the one held are ignored. */
  step(id: string, mem: number): void {
    if (id.startsWith(`${this.#id}.`) && !(this.#most >= mem) && mem > 0) this.#most = mem
  }
}

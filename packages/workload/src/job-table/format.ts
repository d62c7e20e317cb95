import { SchedError, suggest, type Constraints, type Demand, type JobSpec, type Seconds } from '@sched/core'
import { isUnknown } from '../slurm/times.js'
import { separatorIn, splitLine } from '../table/separators.js'
import { heldParser, type RowReader } from '../table/held-jobs.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { jobTableOptions, type JobTableOptions } from './options.js'
import { JsonRows, SeparatedRows, type Row, type Rows } from './rows.js'
import { numberIn, quantityIn, spanIn, timeIn, wholeIn, yesIn } from './values.js'

/**
 * Any table of jobs, one per line: CSV with a header, or JSON Lines. A mapping says which column means what; columns that
 * are called by their meaning (`submit`, `duration`, `tasks`, ...) need none, and with `submit` and `duration` among them the table
 * is known without being named. Rows are sorted by submission.
 */
export const jobTableFormat: TraceFormat<typeof jobTableOptions> = {
  name: 'job-table',
  title: 'table of jobs, CSV or JSON Lines, with a mapping of its columns',
  options: jobTableOptions,
  isHeld: true,
  detect: (head) => isTable(head.trimStart().startsWith('{') ? keysOf(head.split('\n', 1)[0]!) : namesOf(head.split('\n', 1)[0]!.trim())),
  parser: (options, place) => heldParser(new JobRows(options, place), place, options.time.origin),
}

const isTable = (names: readonly string[]) => names.includes('submit') && (names.includes('duration') || (names.includes('start') && names.includes('end')))

const namesOf = (line: string) => splitLine(line, separatorIn(line)).map((name) => name.trim())

function keysOf(line: string): string[] {
  try {
    return Object.keys(JSON.parse(line) as object)
  } catch {
    return []
  }
}

type Meaning = keyof JobTableOptions['columns']
const times: ReadonlySet<Meaning> = new Set(['duration', 'start', 'end', 'estimate', 'deadline'])

class JobRows implements RowReader {
  #rows: Rows | undefined
  #count = 0
  readonly #demands = new Map<string, Demand>()

  constructor(
    private readonly options: JobTableOptions,
    private readonly place: LinePlace,
  ) {}

  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    this.#rows ??= this.#open(bytes[from] === 123)
    const row = this.#rows.row(bytes, from, to)
    if (row === undefined) {
      this.#checkNames(this.#rows.names ?? [])
      return undefined
    }
    this.#count++
    return this.#spec(row)
  }

  #open(isJson: boolean): Rows {
    const { separator, names } = this.options
    if (isJson) return new JsonRows()
    if (names !== undefined) this.#checkNames(names)
    return new SeparatedRows(separator, this.place, names)
  }

  #spec(row: Row): JobSpec {
    const { defaults, time } = this.options
    const submit = timeIn(this.#needed(row, 'submit'), this.#column('submit'), time.submit)
    const [duration, wait] = this.#runOf(row, submit)
    const text = (meaning: Meaning) => this.#text(row, meaning)
    const tasks = text('tasks') === '' ? (defaults.tasks ?? 1) : wholeIn(text('tasks'), this.#column('tasks'), 1)
    const gang = text('gang') === '' ? defaults.gang : yesIn(text('gang'), this.#column('gang'))
    const priority = text('priority') === '' ? defaults.priority : numberIn(text('priority'), this.#column('priority'))
    const status = text('status')
    const constraints = this.#constraintsOf(row)
    return {
      id: text('id') === '' ? `job-${this.#count}` : text('id'),
      submit,
      ...this.#names(row),
      ...(priority !== undefined && { priority }),
      ...(text('weight') !== '' && { weight: this.#weightOf(row) }),
      ...(text('estimate') !== '' && { estimate: spanIn(text('estimate'), this.#column('estimate'), time.duration) }),
      ...(text('deadline') !== '' && { deadline: timeIn(text('deadline'), this.#column('deadline'), time.submit) }),
      ...((wait !== undefined || status !== '') && { recorded: { ...(wait !== undefined && { wait }), ...(status !== '' && { status: status.toLowerCase() }) } }),
      stages: [{ name: 'tasks', tasks, demand: this.#demandOf(row, tasks), duration, ...(gang === true && { gang }), ...(constraints !== undefined && { constraints }) }],
    }
  }

  /** Run time and, where the table has the start, the wait. */
  #runOf(row: Row, submit: Seconds): [Seconds, Seconds | undefined] {
    const { defaults, time } = this.options
    const at = (meaning: 'start' | 'end') => (this.#text(row, meaning) === '' ? undefined : timeIn(this.#text(row, meaning), this.#column(meaning), time.submit))
    const [start, end] = [at('start'), at('end')]
    if (start !== undefined && start < submit) throw new BadLine(this.#column('start'), `the job starts ${submit - start} s before it is submitted.`)
    const wait = start === undefined ? undefined : start - submit
    const given = this.#text(row, 'duration')
    if (given !== '') return [spanIn(given, this.#column('duration'), time.duration), wait]
    if (start !== undefined && end !== undefined) {
      if (end < start) throw new BadLine(this.#column('end'), `the job ends ${start - end} s before it starts.`)
      return [end - start, wait]
    }
    if (defaults.duration === undefined) throw new BadLine(this.#column('duration'), 'is empty.', 'Give it a default')
    return [defaults.duration, wait]
  }

  #names(row: Row): Partial<JobSpec> {
    const { defaults } = this.options
    const named = (['user', 'queue', 'group', 'account', 'partition', 'qos', 'class', 'label'] as const).map((meaning) => {
      const text = this.#text(row, meaning)
      return [meaning, text === '' && (meaning === 'user' || meaning === 'queue') ? (defaults[meaning] ?? '') : text] as const
    })
    return Object.fromEntries(named.filter(([, text]) => text !== ''))
  }

  #weightOf(row: Row): number {
    const weight = numberIn(this.#text(row, 'weight'), this.#column('weight'), 0)
    if (weight === 0) throw new BadLine(this.#column('weight'), 'found 0, expected more.')
    return weight
  }

  #demandOf(row: Row, tasks: number): Demand {
    const { demands = {}, defaults } = this.options
    const demand: Record<string, number> = { ...defaults.demand }
    for (const [resource, asked] of Object.entries(demands)) {
      const { column, scale, total } = typeof asked === 'string' ? { column: asked, scale: 1, total: false } : asked
      const text = row(column)
      if (text !== '') demand[resource] = amountOf(quantityIn(text, column) * scale, total ? tasks : 1, column)
    }
    const key = JSON.stringify(demand)
    const known = this.#demands.get(key)
    if (known !== undefined) return known
    if (Object.values(demand).every((amount) => amount === 0)) throw new BadLine(undefined, 'the job asks for nothing.', 'Name columns under `demands`, or give `defaults.demand`')
    this.#demands.set(key, demand)
    return demand
  }

  #constraintsOf(row: Row): Constraints | undefined {
    const require: Record<string, readonly string[]> = {}
    for (const [label, asked] of Object.entries(this.options.require ?? {})) {
      const { column, split } = typeof asked === 'string' ? { column: asked, split: '|' } : asked
      const text = row(column)
      if (text !== '') require[label] = text.split(split).map((each) => each.trim()).filter((each) => each !== '')
    }
    return Object.keys(require).length === 0 ? undefined : { require }
  }

  #needed(row: Row, meaning: Meaning): string {
    const text = this.#text(row, meaning)
    if (text === '') throw new BadLine(this.#column(meaning), 'is empty.')
    return text
  }

  /** Of times that may be absent, words such as None and NaN say nothing. */
  #text(row: Row, meaning: Meaning): string {
    const text = row(this.#column(meaning))
    return times.has(meaning) && isUnknown(text) ? '' : text
  }

  #column(meaning: Meaning): string {
    return this.options.columns[meaning] ?? meaning
  }

  /** A mapping that names a column which is not there is a mistake of the mapping, not of every row. */
  #checkNames(names: readonly string[]): void {
    const { columns, demands = {}, require = {}, defaults } = this.options
    const missing = (column: string, field: string) =>
      new SchedError('BAD_INPUT', `the table has no column "${column}"${field === '' ? '' : `, which ${field} names`}.`, { file: this.place.file, line: this.place.line }, suggest(column, names))
    for (const [meaning, column] of Object.entries(columns)) if (column !== undefined && !names.includes(column)) throw missing(column, `columns.${meaning}`)
    const asked: Readonly<Record<string, Readonly<Record<string, string | { readonly column: string }>>>> = { demands, require }
    for (const [field, all] of Object.entries(asked))
      for (const [key, each] of Object.entries(all)) {
        const column = typeof each === 'string' ? each : each.column
        if (!names.includes(column)) throw missing(column, `${field}.${key}`)
      }
    if (!names.includes(this.#column('submit'))) throw missing('submit', '')
    const hasRun = names.includes(this.#column('duration')) || (names.includes(this.#column('start')) && names.includes(this.#column('end')))
    if (!hasRun && defaults.duration === undefined) throw missing('duration', '')
    if (Object.keys(demands).length === 0 && defaults.demand === undefined)
      throw new SchedError('BAD_OPTION', 'nothing says what a job asks for.', { field: 'job-table.demands' }, 'For example `demands: { cpu: cores }`, or `defaults: { demand: { cpu: 1 } }`.')
  }
}

function amountOf(amount: number, tasks: number, column: string): number {
  const whole = amount > 0 ? Math.max(1, Math.round(amount)) : 0
  const each = Math.ceil(whole / tasks)
  if (each <= 2 ** 31 - 1) return each
  throw new BadLine(column, `found ${amount}, more than 2147483647.`, 'Use a larger unit (scale)')
}

import { SchedError, type Constraints, type Demand, type JobSpec, type Seconds } from '@sched/core'
import { isUnknown } from '../slurm/times.js'
import type { Origin, RowReader } from '../table/held-jobs.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace } from '../trace/format.js'
import { amountIn } from './amounts.js'
import { areResults, guessDemands, unitOf } from './guess.js'
import { mappingFor } from './known-tables.js'
import type { JobTableOptions } from './options.js'
import { JsonRows, missingColumn, otherHeader, SeparatedRows, type Row, type Rows } from './rows.js'
import { limitIn, numberIn, spanIn, timeIn, tolerationIn, wholeIn, yesIn } from './values.js'

type Mapping = ReturnType<typeof mappingFor>
type Meaning = keyof Mapping['columns']

/** Submit times from here on look like milliseconds or smaller units since 1970: as seconds it is in the year 5138, as milliseconds in 1973. */
const AS_SECONDS_FAR_AHEAD: Seconds = 1e11

/** Columns with names, in which words such as None and NaN are kept; in all other columns they mean unknown. */
const texts: ReadonlySet<Meaning> = new Set(['id', 'user', 'queue', 'group', 'account', 'partition', 'qos', 'reservation', 'class', 'label', 'status', 'application'])

/** Why a job has no run time. */
type NoRun = 'unknownRuntime' | 'neverStarted' | 'endBeforeStart'

/** Makes jobs of the rows of a table. Rows without a necessary value are left out and counted. */
export class JobRows implements RowReader {
  #options: Mapping
  #rows: Rows | undefined
  #count = 0
  readonly #demands = new Map<string, Demand>()
  readonly #leftOut = { where: 0, submit: 0, unknownRuntime: 0, neverStarted: 0, endBeforeStart: 0, noDemand: 0 }
  #startBeforeSubmit = 0
  /** Whether there is a column of starts, so that a job of 0 s without one has not started. */
  #skipsUnstarted = false
  /** A submit time that is read as seconds but looks like another unit since 1970. */
  #inOtherUnit: string | undefined

  constructor(
    private readonly given: JobTableOptions,
    private readonly place: LinePlace,
  ) {
    this.#options = mappingFor(given, [])
  }

  get renames(): boolean {
    return this.#options.repeatedIds === 'number'
  }

  get origin(): Origin {
    return this.#options.time.origin
  }

  notes(): string[] {
    const { title } = this.#options
    const time = this.#inOtherUnit
    return [
      ...(title === undefined ? [] : [`read as ${title}; columns or demands of your own replace what its columns are taken for`]),
      ...(time === undefined ? [] : [`${this.#column('submit')} has numbers such as ${time}, taken as seconds: if they are since 1970, say \`${unitOf([time]).join()}\``]),
    ]
  }

  rules(): RuleCount[] {
    const { where, submit, unknownRuntime, neverStarted, endBeforeStart, noDemand } = this.#leftOut
    return [
      { rule: 'where', jobs: where, text: 'of other rows than those asked for: left out' },
      { rule: 'submit', jobs: submit, text: 'without submit time: left out' },
      { rule: 'unknownRuntime', jobs: unknownRuntime, text: 'of unknown run time: left out' },
      { rule: 'neverStarted', jobs: neverStarted, text: 'that never started, of 0 s: left out' },
      { rule: 'endBeforeStart', jobs: endBeforeStart, text: 'with an end before the start: left out' },
      { rule: 'noDemand', jobs: noDemand, text: 'without a demand: left out' },
      { rule: 'startBeforeSubmit', jobs: this.#startBeforeSubmit, text: 'with a start before the submission: without a recorded wait' },
    ]
  }

  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    this.#rows ??= this.#open(bytes, from, to)
    const row = this.#rows.row(bytes, from, to)
    if (row === undefined) {
      this.#know(this.#rows.names ?? [])
      return undefined
    }
    this.#count++
    return this.#spec(row)
  }

  #open(bytes: Uint8Array, from: number, to: number): Rows {
    const { separator, names } = this.given
    if (bytes[from] === 123) {
      const rows = new JsonRows()
      const known = rows.namesOf(bytes, from, to)
      this.#apply(known)
      if (known.length > 0) this.#checkDemands(known)
      return rows
    }
    if (names !== undefined) this.#know(names)
    return new SeparatedRows(separator, this.place, names)
  }

  #know(names: readonly string[]): void {
    this.#apply(names)
    this.#checkNames(names)
  }

  #apply(names: readonly string[]): void {
    this.#options = mappingFor(this.given, names)
    this.#skipsUnstarted = this.#options.neverStarted !== 'keep' && names.includes(this.#column('start'))
  }

  #spec(row: Row): JobSpec | undefined {
    const { defaults, time, where } = this.#options
    const text = (meaning: Meaning) => this.#text(row, meaning)
    if (where.some(([column, values]) => !values.includes(row(column)))) return this.#leave('where')
    if (text('submit') === '') return this.#leave('submit')
    const submit = this.#timeOf(row, 'submit')
    if (time.submit === undefined && submit >= AS_SECONDS_FAR_AHEAD) this.#inOtherUnit ??= text('submit')
    const tasks = text('tasks') === '' ? (defaults.tasks ?? 1) : wholeIn(text('tasks'), this.#column('tasks'), 0)
    const demand = tasks === 0 ? undefined : this.#demandOf(row, tasks)
    if (demand === undefined) return this.#leave('noDemand')
    const [duration, wait, whyNot] = this.#runOf(row, submit)
    if (duration === undefined) return this.#leave(whyNot)
    const minTasks = text('min_tasks') === '' ? undefined : wholeIn(text('min_tasks'), this.#column('min_tasks'), 1)
    if (minTasks !== undefined && minTasks > tasks) throw new BadLine(this.#column('min_tasks'), `found ${minTasks}, more than the ${tasks} tasks of the job.`)
    const gang = text('gang') === '' ? (minTasks === undefined ? defaults.gang : true) : yesIn(text('gang'), this.#column('gang'))
    const priority = text('priority') === '' ? defaults.priority : numberIn(text('priority'), this.#column('priority'))
    const estimate = this.#estimateOf(row)
    const recorded = this.#recordedOf(row, duration, wait)
    const constraints = this.#constraintsOf(row)
    return {
      id: text('id') === '' ? `job-${this.#count}` : text('id'),
      submit,
      ...this.#names(row),
      ...(priority !== undefined && { priority }),
      ...exclusiveIn(text('exclusive'), this.#column('exclusive')),
      ...(text('weight') !== '' && { weight: this.#weightOf(row) }),
      ...(estimate !== undefined && { estimate }),
      ...(text('deadline') !== '' && { deadline: this.#timeOf(row, 'deadline') }),
      ...(recorded !== undefined && { recorded }),
      stages: [{
        name: 'tasks', tasks, demand, duration, ...(gang === true && { gang }),
        ...(gang === true && minTasks !== undefined && { minTasks }), ...(constraints !== undefined && { constraints }),
      }],
    }
  }

  #leave(why: 'where' | 'submit' | 'noDemand' | NoRun): undefined {
    this.#leftOut[why]++
    return undefined
  }

  #timeOf(row: Row, meaning: 'submit' | 'start' | 'end' | 'deadline'): Seconds {
    const { submit: unit, dates } = this.#options.time
    return timeIn(this.#text(row, meaning), this.#column(meaning), unit, dates)
  }

  /**
   * Run time, which is `undefined` for a job that did not start or end; wait, if the start is known and not before the submission; and why there is no
   * run time, where there is none. Some tables have 0 s for the jobs that were cancelled while they waited, which have no start.
   */
  #runOf(row: Row, submit: Seconds): [Seconds | undefined, Seconds | undefined, NoRun] {
    const { defaults, time } = this.#options
    const at = (meaning: 'start' | 'end') => (this.#text(row, meaning) === '' ? NaN : this.#timeOf(row, meaning))
    const [start, end] = [at('start'), at('end')]
    const isStarted = start > 0 || (submit <= 0 && !Number.isNaN(start)) // tables of Slurm have 0 for an unknown time
    if (isStarted && start < submit) this.#startBeforeSubmit++
    const wait = isStarted && start >= submit ? start - submit : undefined
    const given = this.#text(row, 'duration')
    if (given !== '') {
      const seconds = spanIn(given, this.#column('duration'), time.duration)
      return [seconds === 0 && this.#skipsUnstarted && !isStarted ? undefined : seconds, wait, 'neverStarted']
    }
    return [isStarted && end >= start ? end - start : defaults.duration, wait, isStarted && end < start ? 'endBeforeStart' : 'unknownRuntime']
  }

  #estimateOf(row: Row): Seconds | undefined {
    const { time, zeroEstimate } = this.#options
    const text = this.#text(row, 'estimate')
    if (text === '') return undefined
    return zeroEstimate === 'keep' && Number(text) === 0 ? 0 : limitIn(text, this.#column('estimate'), time.estimate ?? time.duration)
  }

  #recordedOf(row: Row, duration: Seconds, wait: Seconds | undefined): JobSpec['recorded'] {
    const text = this.#text(row, 'recorded_runtime')
    const runtime = text === '' ? duration : spanIn(text, this.#column('recorded_runtime'), this.#options.time.duration)
    const status = this.#text(row, 'status')
    const [cpuTime, mem] = (['recorded_cpu_time', 'recorded_mem'] as const).map((meaning) => {
      const used = this.#text(row, meaning)
      return used === '' ? undefined : numberIn(used, this.#column(meaning), 0)
    })
    const use = { ...(cpuTime !== undefined && { cpuTime }), ...(mem !== undefined && { mem }) }
    if (wait === undefined && runtime === duration && status === '' && Object.keys(use).length === 0) return undefined
    return { ...(wait !== undefined && { wait }), ...(runtime !== duration && { runtime }), ...(status !== '' && { status: status.toLowerCase() }), ...use }
  }

  #names(row: Row): Partial<JobSpec> {
    const { defaults } = this.#options
    const named = (['user', 'queue', 'group', 'account', 'partition', 'qos', 'reservation', 'class', 'label', 'application'] as const).map((meaning) => {
      const text = this.#text(row, meaning)
      return [meaning, text === '' && (meaning === 'user' || meaning === 'queue') ? (defaults[meaning] ?? '') : text] as const
    })
    return Object.fromEntries(named.filter(([, text]) => text !== ''))
  }

  #weightOf(row: Row): number {
    const weight = numberIn(this.#text(row, 'weight'), this.#column('weight'), 0)
    if (weight === 0) throw new BadLine(this.#column('weight'), 'found 0, expected a number above 0.')
    return weight
  }

  /** Demand per task; `undefined` if the job asks for nothing. */
  #demandOf(row: Row, tasks: number): Demand | undefined {
    const { demands, defaults } = this.#options
    const demand: Record<string, number> = { ...defaults.demand }
    for (const [resource, asked] of Object.entries(demands)) {
      const { total, whole } = typeof asked === 'object' ? asked : { total: false, whole: false }
      const amount = amountIn(row, asked, total ? tasks : 1, whole)
      if (amount !== undefined) demand[resource] = amount
    }
    const key = JSON.stringify(demand)
    const known = this.#demands.get(key)
    if (known !== undefined) return known
    if (Object.values(demand).every((amount) => amount === 0)) return undefined
    this.#demands.set(key, demand)
    return demand
  }

  #constraintsOf(row: Row): Constraints | undefined {
    const require: Record<string, readonly string[]> = {}
    for (const [label, asked] of Object.entries(this.#options.require)) {
      const { column, split } = typeof asked === 'string' ? { column: asked, split: '|' } : asked
      const text = row(column)
      if (text !== '') require[label] = partsOf(text, split)
    }
    const tolerations = partsOf(this.#text(row, 'tolerations'), '|').map((each) => tolerationIn(each, this.#column('tolerations')))
    const constraints = { ...(Object.keys(require).length > 0 && { require }), ...(tolerations.length > 0 && { tolerations }) }
    return Object.keys(constraints).length === 0 ? undefined : constraints
  }

  #text(row: Row, meaning: Meaning): string {
    const text = row(this.#column(meaning))
    return !texts.has(meaning) && isUnknown(text) ? '' : text
  }

  #column(meaning: Meaning): string {
    return this.#options.columns[meaning] ?? meaning
  }

  /** Checks that the mapped columns exist: a column that does not is a mistake of the mapping, not of every row. Throws `BAD_INPUT`. */
  #checkNames(names: readonly string[]): void {
    const { columns, demands, require, defaults, where } = this.#options
    const missing = (column: string, field: string) => missingColumn(column, field, names, this.place)
    const named = Object.values(columns).filter((column) => column !== undefined)
    if (named.length > 1 && !named.some((column) => names.includes(column))) throw otherHeader(named, names, this.place)
    for (const [meaning, column] of Object.entries(columns)) if (column !== undefined && !names.includes(column)) throw missing(column, `columns.${meaning}`)
    const asked: Readonly<Record<string, Readonly<Record<string, string | { readonly column: string }>>>> = { demands, require }
    for (const [field, all] of Object.entries(asked))
      for (const [key, each] of Object.entries(all)) {
        const column = typeof each === 'string' ? each : each.column
        if (!names.includes(column)) throw missing(column, `${field}.${key}`)
      }
    for (const [column] of where) if (!names.includes(column)) throw missing(column, 'where')
    if (!names.includes(this.#column('submit'))) throw missing('submit', '')
    const hasRun = names.includes(this.#column('duration')) || (names.includes(this.#column('start')) && names.includes(this.#column('end')))
    if (!hasRun && defaults.duration === undefined) throw missing('duration', '')
    this.#checkDemands(names)
  }

  #checkDemands(names: readonly string[]): void {
    const { demands, defaults } = this.#options
    const asks = guessDemands(names)
    if (Object.keys(demands).length === 0 && defaults.demand === undefined)
      throw new SchedError(
        'BAD_OPTION',
        'nothing says what a job asks for.',
        { field: 'job-table.demands' },
        areResults(names)
          ? 'These are the jobs of a run as `--out` wrote them: the .swf beside has what they asked for (of rigid jobs), and so has the trace that was run.'
          : `${asks === undefined ? 'For example `demands: { cpu: cores }`' : `It may be \`${asks}\``}, or \`defaults: { demand: { cpu: 1 } }\`.`,
      )
  }
}

const partsOf = (text: string, separator: string): string[] => text.split(separator).map((each) => each.trim()).filter((each) => each !== '')

/** Whether a job has its nodes to itself, or shares them only with jobs of its user. Throws `BadLine`. */
const exclusiveIn = (text: string, field: string): Pick<JobSpec, 'exclusive'> =>
  (text === 'user' ? { exclusive: 'user' } : text !== '' && yesIn(text, field) ? { exclusive: true } : {})

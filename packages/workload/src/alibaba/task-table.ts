import type { JobSpec, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { wholeIn } from '../job-table/values.js'
import { splitCsv } from '../slurm/csv.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleReport, type RuleCount } from '../trace/facts.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'

/** Option for the status of the tasks to read. */
export const statusOption = z.array(z.string().min(1)).min(1).default(['Terminated']).describe('Which tasks to read, by their status: Terminated, Failed, Running, Waiting.')
/** Options for the tasks to read. */
export interface TaskOptions {
  readonly status: readonly string[]
  readonly outside?: 'skip' | 'keep'
}

/** Positions of the columns; `names` are their names in messages. */
export interface TaskColumns {
  readonly names: readonly string[]
  readonly start: number
  readonly end: number
  readonly job: number
  readonly task: number
  readonly instances: number
  readonly status: number
  /** Text for a time outside the trace. */
  readonly outside?: string
  readonly isHeader: (line: string) => boolean
  /** Whether fields look like a row; there are as many as columns. */
  readonly isRow: (fields: readonly string[]) => boolean
}

/** Whether a file with this beginning is the table, by its header or its first row. */
export function isTable({ names, isHeader, isRow }: TaskColumns, head: string): boolean {
  const [line = ''] = head.split('\n', 1)
  if (isHeader(line)) return true
  const fields = splitCsv(line.trim())
  return fields.length === names.length && isRow(fields)
}

/** Demand and constraints of the instances of a task, from its row. Throws `BadLine`. */
export interface TaskAsks {
  of(fields: readonly string[]): Pick<StageSpec, 'demand' | 'gang' | 'constraints'>
  rules(): readonly RuleCount[]
}

/** A task of a job, from its row. */
export interface TaskRow {
  readonly task: string
  readonly at: number
  readonly stage: StageSpec
}

/** Puts the tasks of a job in order and adds their dependencies; `undefined` for a job that cannot run. */
export interface TaskOrder {
  stages(rows: readonly TaskRow[]): StageSpec[] | undefined
  rules(): readonly RuleCount[]
}

interface Job {
  submit: number
  readonly line: number
  readonly rows: TaskRow[]
}

/** Reads tables of batch tasks of Alibaba's traces: the tasks of a job are its stages, submitted with the earliest of them. */
export class TaskTable implements LineParser {
  readonly #jobs = new Map<string, Job>()
  #held: HeldJobs | undefined
  readonly #counts = { status: 0, outside: 0, backwards: 0, later: 0 }

  constructor(
    private readonly columns: TaskColumns,
    private readonly order: TaskOrder,
    private readonly asks: TaskAsks,
    private readonly options: TaskOptions,
    private readonly place: LinePlace,
  ) {}

  line(bytes: Uint8Array, from: number, to: number): undefined {
    const line = lineText(bytes, from, to)
    if (this.columns.isHeader(line)) return
    const { names } = this.columns
    const fields = splitCsv(line).map((field) => field.trim())
    if (fields.length !== names.length)
      throw new BadLine(
        undefined,
        `found ${fields.length} columns, expected ${names.length}: ${names.join(', ')}.`,
        'Was the file cut short? Copy it again',
      )
    this.#task(fields)
  }

  end(): void {
    const held = new HeldJobs('first', { counted: this.place.counted })
    for (const [id, { submit, rows, line }] of this.#jobs) {
      const stages = this.order.stages(rows)
      if (stages === undefined) continue
      const free = new Set(stages.flatMap(({ name, after }) => (after === undefined ? [name] : [])))
      if (rows.some(({ at, stage }) => at > submit && free.has(stage.name))) this.#counts.later++
      held.add({ id, submit, stages }, line)
    }
    held.end()
    this.#held = held
  }

  more(): JobSpec | undefined {
    return this.#held?.more()
  }

  report() {
    const { status, outside, backwards, later } = this.#counts
    return ruleReport([
      { rule: 'status', jobs: status, text: `tasks of a status other than ${this.options.status.join(', ')}: left out` },
      {
        rule: 'outside',
        jobs: outside,
        text: `tasks with a start or end outside the trace (${this.columns.outside === '' ? 'no time' : `time ${this.columns.outside ?? ''}`}): left out`,
      },
      { rule: 'backwards', jobs: backwards, text: 'tasks with an end before the start: left out' },
      ...this.asks.rules(),
      { rule: 'later', jobs: later, text: 'with tasks created after the first: all submitted with it' },
      ...this.order.rules(),
    ])
  }

  #task(fields: readonly string[]): void {
    const { names, start, end, job, task, instances, status, outside } = this.columns
    const number = (column: number) => wholeIn(fields[column]!, names[column]!, -Infinity)
    const isOutside = (column: number) => (outside === '' ? fields[column] === '' : fields[column] !== '' && number(column) === Number(outside))
    if (!this.options.status.includes(fields[status]!)) return void this.#counts.status++
    const empty = [job, task].find((column) => fields[column] === '')
    if (empty !== undefined) throw new BadLine(names[empty], 'is empty.')
    if (outside !== undefined && this.options.outside !== 'keep' && (isOutside(start) || isOutside(end))) return void this.#counts.outside++
    const at = number(start)
    const duration = number(end) - at
    const tasks = wholeIn(fields[instances]!, names[instances]!, 1)
    if (duration < 0) return void this.#counts.backwards++
    const name = fields[task]!
    const row = { task: name, at, stage: { name: /^\d/.test(name) ? `task${name}` : name, tasks, ...this.asks.of(fields), duration } }
    const known = this.#jobs.get(fields[job]!)
    if (known === undefined) this.#jobs.set(fields[job]!, { submit: at, line: this.place.line, rows: [row] })
    else {
      known.submit = Math.min(known.submit, at)
      known.rows.push(row)
    }
  }
}

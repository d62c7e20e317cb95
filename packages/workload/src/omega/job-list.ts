import { SchedError, type Demand, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { splitCsv } from '../slurm/csv.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LineParser, type LinePlace, type TraceFormat } from '../trace/format.js'
import type { RunningGroup } from './prefill.js'

const known = ['id', 'submit', 'tasks', 'duration', 'class', 'user', 'queue', 'priority', 'node']
const needed = ['id', 'submit', 'tasks', 'duration']
/** Columns that mark a job table: they are not resources, and a job list does not have them. */
const ofTables = ['start', 'end', 'group', 'account', 'partition', 'qos', 'weight', 'estimate', 'deadline', 'gang', 'label', 'status']
const noOptions = z.strictObject({})

/**
 * An explicit list of jobs and of tasks that run before them, as CSV with a header. Columns: `id`; `submit` in seconds (empty: the row already runs
 * at time 0); `tasks`; `duration` in seconds of each task (for a running row the remaining seconds; empty: it never ends); and optionally `class`,
 * `user`, `queue`, `priority`, and `node`, the index of the node that a running row is on (empty: placed at random). Every other column is a
 * resource, with the whole amount that each task asks for.
 *
 * Jobs are read as a trace, running rows by `runningRows`.
 */
export const jobListFormat: TraceFormat<typeof noOptions> = {
  name: 'job-list',
  summary: 'job list with running tasks (CSV)',
  options: noOptions,
  detect(head) {
    const names = splitCsv(head.split('\n', 1)[0]!.trim())
    return needed.every((name) => names.includes(name)) && !names.some((name) => ofTables.includes(name))
  },
  create: (_, place) => new JobListParser(place),
}

/** The rows of a job list that run at time 0, for `placeRunning`. Throws `BAD_INPUT` with file and line. */
export function runningRows(text: string, file?: string): RunningGroup[] {
  const place = { file, line: 0, checked: false }
  let rows: Rows | undefined
  return text.replace(/^\uFEFF/, '').split('\n').flatMap((line, index) => {
    place.line = index + 1
    if (line.trim() === '') return []
    const fields = splitCsv(line.trim())
    if (rows === undefined) {
      rows = new Rows(fields, place)
      return []
    }
    try {
      const row = rows.read(fields)
      return row.text('submit') === '' ? [row.running(index + 1)] : []
    } catch (error) {
      if (error instanceof BadLine) throw new SchedError('BAD_INPUT', error.fact, { file, line: index + 1, field: error.field }, error.wayOut)
      throw error
    }
  })
}

class JobListParser implements LineParser {
  #rows: Rows | undefined
  #running = 0

  constructor(private readonly place: LinePlace) {}

  line(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    const fields = splitCsv(lineText(bytes, from, to).trim())
    if (this.#rows === undefined) {
      this.#rows = new Rows(fields, this.place)
      return undefined
    }
    const row = this.#rows.read(fields)
    if (row.text('submit') !== '') return row.job()
    row.running(this.place.line)
    this.#running++
    return undefined
  }

  report() {
    return this.#running === 0 ? {} : { notes: [`${this.#running} rows run at time 0 already (no submit time)`] }
  }
}

/** Rows of a job list, read by the names in its header. */
class Rows {
  readonly #names: readonly string[]
  readonly #resources: readonly string[]
  #fields: readonly string[] = []

  constructor(names: readonly string[], { file, line }: LinePlace) {
    this.#names = names
    this.#resources = names.filter((name) => !known.includes(name))
    const missing = needed.find((name) => !names.includes(name))
    if (missing !== undefined)
      throw new SchedError(
        'BAD_INPUT',
        `the header has no column "${missing}".`,
        { file, line, field: missing },
        `A job list has ${needed.join(', ')} and one column per resource.`,
      )
    if (this.#resources.length === 0) throw new SchedError('BAD_INPUT', 'the header names no resource.', { file, line }, 'Add for example columns cpu and mem.')
  }

  read(fields: readonly string[]): this {
    if (fields.length !== this.#names.length) throw new BadLine(undefined, `found ${fields.length} columns, the header has ${this.#names.length}.`)
    this.#fields = fields
    return this
  }

  text(name: string): string {
    return this.#fields[this.#names.indexOf(name)]?.trim() ?? ''
  }

  job(): JobSpec {
    const id = this.text('id')
    if (id === '') throw new BadLine('id', 'is empty.')
    const stage = { name: 'tasks', tasks: this.#tasks(), demand: this.#demand(), duration: this.#number('duration') }
    const words = (['class', 'user', 'queue'] as const).filter((name) => this.text(name) !== '')
    return {
      id,
      submit: this.#number('submit'),
      ...(Object.fromEntries(words.map((name) => [name, this.text(name)])) as Pick<JobSpec, 'class' | 'user' | 'queue'>),
      ...(this.text('priority') !== '' && { priority: this.#number('priority', -Infinity) }),
      stages: [stage],
    }
  }

  running(line: number): RunningGroup {
    const end = this.text('duration') === '' ? Infinity : this.#number('duration')
    return { tasks: this.#tasks(), demand: this.#demand(), end, line, ...(this.text('node') !== '' && { node: this.#whole('node', 0) }) }
  }

  #tasks(): number {
    return this.#whole('tasks', 1)
  }

  #demand(): Demand {
    const asked = this.#resources.map((name) => [name, this.text(name) === '' ? 0 : this.#whole(name, 0)] as const).filter(([, amount]) => amount > 0)
    if (asked.length === 0) throw new BadLine(undefined, 'a task asks for nothing.', 'Give an amount of at least one resource')
    return Object.fromEntries(asked)
  }

  #whole(name: string, least: number): number {
    const value = this.#number(name, least)
    if (Number.isSafeInteger(value)) return value
    throw new BadLine(name, `found "${this.text(name)}", expected a whole number.`)
  }

  #number(name: string, least = 0): number {
    const text = this.text(name)
    const value = Number(text)
    if (text === '' || !Number.isFinite(value))
      throw new BadLine(
        name,
        `found "${text}", expected a number.`,
        known.includes(name) ? '' : 'Leave out columns that are no resources, or read the table as a job-table',
      )
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new BadLine(name, `found "${text}", more than 2^53 - 1, above which numbers are not exact.`)
    if (value < least) throw new BadLine(name, `found "${text}", expected at least ${least}.`)
    return value
  }
}

import type { JobSpec, StageSpec } from '@sched/core'
import { numberIn } from '../job-table/values.js'
import type { Columns } from '../slurm/columns.js'
import { instant } from '../slurm/times.js'
import { HeaderRows } from '../table/header-rows.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleReport, type RuleCount } from '../trace/facts.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'
import { stagesInOrder } from './order.js'

/** A task in a row of a table, with its relatives by id. */
export interface TaskRow {
  readonly id: string
  /** Submit time in milliseconds. */
  readonly submit: number
  readonly parents: readonly string[]
  readonly children: readonly string[]
  readonly stage: StageSpec
  readonly job?: Pick<JobSpec, 'user' | 'group'>
}

/** Reads the rows of a table of tasks. */
export interface TaskReader {
  /** Columns that must exist; of a list of columns, at least one. */
  readonly needed: readonly (string | readonly string[])[]
  /** What to do if they do not. */
  readonly wayOut: string
  /** The task of a row. Throws `BadLine`. */
  task(columns: Columns): TaskRow
  /** The workflow that a task belongs to. Default: tasks that are related are one workflow. */
  workflow?(columns: Columns): string
  rules(): readonly RuleCount[]
  notes?(): readonly string[]
}

interface Workflow {
  readonly rows: TaskRow[]
  readonly line: number
  /** Position of each task in `rows`, by id. */
  readonly index: Map<string, number>
}

/**
 * A parser for tables of tasks. The tasks of a workflow are the stages of one job, which is submitted with the first of them; each stage waits for
 * its parents, including tasks that name it as a child. Relatives that do not exist are not waited for.
 */
export class TaskRows implements LineParser {
  readonly #table: HeaderRows
  readonly #workflows = new Map<string, Workflow>()
  readonly #counts = { missing: 0, circle: 0, later: 0 }
  #held: HeldJobs | undefined

  constructor(
    private readonly reader: TaskReader,
    private readonly place: LinePlace,
  ) {
    this.#table = new HeaderRows(place, reader.needed, reader.wayOut)
  }

  line(bytes: Uint8Array, from: number, to: number): undefined {
    const columns = this.#table.row(bytes, from, to)
    if (columns === undefined) return
    const row = this.reader.task(columns)
    const key = this.reader.workflow?.(columns) ?? ''
    let workflow = this.#workflows.get(key)
    if (workflow === undefined) this.#workflows.set(key, (workflow = { rows: [], line: this.place.line, index: new Map() }))
    if (workflow.index.has(row.id)) throw new BadLine('id', `task "${row.id}" was listed before.`, 'Give every task an id of its own')
    workflow.index.set(row.id, workflow.rows.push(row) - 1)
  }

  end(): void {
    const held = new HeldJobs('first', { perSecond: 1000, counted: this.place.counted })
    for (const [id, { rows, line, index }] of this.#workflows) {
      const before = this.#parents(rows, index)
      if (this.reader.workflow !== undefined) this.#add(held, id, rows, before, line)
      else for (const tasks of related(before)) this.#addSome(held, tasks, rows, before)
    }
    held.end()
    this.#held = held
  }

  more(): JobSpec | undefined {
    return this.#held?.more()
  }

  report() {
    const { missing, circle, later } = this.#counts
    return ruleReport([
      ...this.reader.rules(),
      { rule: 'missing', jobs: missing, text: 'tasks with relatives that are not there: not waited for' },
      { rule: 'circle', jobs: circle, text: 'whose tasks wait for each other in a circle: left out' },
      { rule: 'later', jobs: later, text: 'with tasks submitted after the first, and waiting for none: all submitted with it' },
      ...(this.#held?.rules() ?? []),
    ], this.reader.notes?.())
  }

  #parents(rows: readonly TaskRow[], index: ReadonlyMap<string, number>): number[][] {
    const before = rows.map(() => new Set<number>())
    rows.forEach(({ parents, children }, i) => {
      const [above, below] = [parents, children].map((ids) => ids.flatMap((id) => index.get(id) ?? [])) as [number[], number[]]
      if (above.length < parents.length || below.length < children.length) this.#counts.missing++
      for (const parent of above) before[i]!.add(parent)
      for (const child of below) before[child]!.add(i)
    })
    return before.map((each) => [...each].sort((a, b) => a - b))
  }

  #addSome(held: HeldJobs, tasks: readonly number[], rows: readonly TaskRow[], before: readonly (readonly number[])[]): void {
    const places = new Map(tasks.map((task, place) => [task, place]))
    this.#add(held, rows[tasks[0]!]!.id, tasks.map((task) => rows[task]!), tasks.map((task) => before[task]!.map((parent) => places.get(parent)!)), 0)
  }

  #add(held: HeldJobs, id: string, rows: readonly TaskRow[], before: readonly (readonly number[])[], line: number): void {
    const stages = stagesInOrder(rows.map(({ stage }) => stage), before)
    if (stages === undefined) return void this.#counts.circle++
    const submit = rows.reduce((first, row) => Math.min(first, row.submit), Infinity)
    if (rows.some((row, i) => row.submit > submit && before[i]!.length === 0)) this.#counts.later++
    held.add({ id, submit, ...rows[0]!.job, stages }, line)
  }
}

/** Groups of related tasks. Tasks of a group are in order, and groups are ordered by their first task. */
function related(before: readonly (readonly number[])[]): number[][] {
  const roots = before.map((_, i) => i)
  const root = (task: number): number => {
    while (roots[task] !== task) task = roots[task] = roots[roots[task]!]!
    return task
  }
  before.forEach((parents, i) => {
    for (const parent of parents) {
      const [one, other] = [root(i), root(parent)]
      roots[Math.max(one, other)] = Math.min(one, other)
    }
  })
  const groups = new Map<number, number[]>()
  before.forEach((_, i) => {
    const group = groups.get(root(i))
    if (group === undefined) groups.set(root(i), [i])
    else group.push(i)
  })
  return [...groups.values()]
}

/** Ids in a list in a field of a table: `[1,2]`, `["a","b"]`. Throws `BadLine`. */
export function idsIn(text: string, field: string): string[] {
  const bare = /^\[\s*((?:-?\w+\s*,\s*)*-?\w+)?\s*\]$/.exec(text)
  if (text === '' || (bare !== null && bare[1] === undefined)) return []
  if (bare !== null) return bare[1]!.split(',').map((id) => id.trim()).filter((id) => id !== 'null')
  const ids: unknown = text.startsWith('[') ? quoted(text) : undefined
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string' || typeof id === 'number')) return ids.map(String)
  throw new BadLine(field, `found ${JSON.stringify(text.slice(0, 40))}, expected a list of ids such as [1,2].`)
}

function quoted(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A point in time in milliseconds: a number of them, or a date. Throws `BadLine`. */
export function millisIn(columns: Columns, ...names: string[]): number {
  const text = columns.text(...names)
  const field = fieldOf(columns, names)
  if (/^-?\d+(\.\d+)?$/.test(text)) return numberIn(text, field)
  const time = instant(text)
  if (time !== undefined && !Number.isNaN(time)) return time * 1000
  throw new BadLine(field, text === '' ? 'is empty.' : `found ${JSON.stringify(text.slice(0, 40))}, expected a number of milliseconds or a date.`)
}

/** A number that must be present. Throws `BadLine`. */
export function amountIn(columns: Columns, names: readonly string[], least = 0): number {
  const text = columns.text(...names)
  if (text === '') throw new BadLine(fieldOf(columns, names), 'is empty.')
  return numberIn(text, fieldOf(columns, names), least)
}

/** The first of the columns that exists. */
export const fieldOf = (columns: Columns, names: readonly string[]): string => names.find((name) => columns.has(name)) ?? names[0]!

/** Text that must be present. Throws `BadLine`. */
export function textIn(columns: Columns, name: string): string {
  const text = columns.text(name)
  if (text === '') throw new BadLine(name, 'is empty.')
  return text
}

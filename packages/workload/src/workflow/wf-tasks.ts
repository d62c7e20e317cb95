import type { Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { instant } from '../slurm/times.js'
import type { BadLine } from '../trace/format.js'

/** A task of a workflow, with what is known about its run. */
export interface Task {
  readonly fields: Fields
  /** Unique name in the workflow. */
  readonly name: string
  /** Another name that its relatives may use. */
  readonly alias?: string | undefined
  readonly run: Fields | undefined
}

/** The tasks of version 1.5 and later: the specification describes them, the execution tells how they ran. Throws `BadLine`. */
export function tasksApart(specification: Fields, execution: Fields | undefined): Task[] {
  const runs = new Map<string, Fields>()
  for (const run of execution?.list('tasks') ?? []) {
    const id = needed(run, 'id')
    if (runs.has(id)) throw twice(run, 'id', id)
    runs.set(id, run)
  }
  const tasks = specification.list('tasks').map((fields): Task => {
    const name = needed(fields, 'id')
    return { fields, name, run: runs.get(name) }
  })
  const names = distinct(tasks, 'id')
  for (const [id, run] of runs) if (!names.has(id)) throw run.bad('id', `the specification has no task "${id}".`)
  return some(tasks, specification, 'tasks')
}

/** The tasks of versions up to 1.4, which are called jobs up to 1.2. Throws `BadLine`. */
export function tasksTogether(workflow: Fields): Task[] {
  const key = workflow.has('tasks') ? 'tasks' : 'jobs'
  const tasks = workflow.list(key).map((fields): Task => ({ fields, name: needed(fields, 'name'), alias: fields.text('id'), run: fields }))
  distinct(tasks, 'name')
  return some(tasks, workflow, key)
}

/** Which tasks each task waits for, by index: those that it names as parents, and those that name it as a child. Throws `BadLine`. */
export function parentsOf(tasks: readonly Task[]): number[][] {
  const index = new Map<string, number>()
  tasks.forEach(({ name }, i) => index.set(name, i))
  tasks.forEach(({ alias }, i) => void (alias !== undefined && !index.has(alias) && index.set(alias, i)))
  const before = tasks.map(() => new Set<number>())
  const relatives = (key: 'parents' | 'children', { fields, name }: Task) => fields.texts(key).map((each) => {
    const found = index.get(each)
    if (found === undefined) throw fields.bad(key, `task "${name}" names "${each}", which no task is called.`)
    return found
  })
  tasks.forEach((task, i) => {
    for (const parent of relatives('parents', task)) before[i]!.add(parent)
    for (const child of relatives('children', task)) before[child]!.add(i)
  })
  return before.map((each) => [...each].sort((a, b) => a - b))
}

/** Text that must be present. Throws `BadLine`. */
export function needed(fields: Fields, key: string): string {
  const text = fields.text(key)
  if (text === undefined) throw fields.bad(key, 'is missing.')
  return text
}

/** Seconds since 1970 of a date, also of `05-04-23T10:46:27Z` (May 4, 2023) in records of Pegasus; `undefined` for anything else. */
export function momentOf(text: string): Seconds | undefined {
  const time = /^[\d.]+$/.test(text) ? undefined : instant(text.replace(/^(\d\d)-(\d\d)-(\d\d)T/, '20$3-$1-$2T'))
  return time === undefined || Number.isNaN(time) ? undefined : time
}

function distinct(tasks: readonly Task[], key: string): Set<string> {
  const names = new Set<string>()
  for (const { fields, name } of tasks) if (names.size === names.add(name).size) throw twice(fields, key, name)
  return names
}

const twice = (fields: Fields, key: string, name: string): BadLine => fields.bad(key, `"${name}" is the ${key} of a task above, too.`, 'Give every task one of its own')

function some(tasks: Task[], around: Fields, key: string): Task[] {
  if (tasks.length === 0) throw around.bad(key, 'is missing or empty.')
  return tasks
}

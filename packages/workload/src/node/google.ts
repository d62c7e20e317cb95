import { SchedError, type Seconds } from '@sched/core'
import { EventReader, type TaskEvent } from '../google/events.js'
import { collectionEvent, instanceEvent, isJson, PRODUCTION_2019 } from '../google/events-2019.js'
import { googleTrace, type GoogleTrace } from '../google/google-trace.js'
import { TaskHistory } from '../google/history.js'
import { machineClasses, type MachineClasses } from '../google/machine-classes.js'
import { isMachineEvents, machineEvents } from '../google/machine-events.js'
import type { MachineTable } from '../table/machine-table.js'
import { jsonRows } from '../parquet/text.js'
import type { RuleCount } from '../trace/facts.js'
import { chunksOf, type NextChunk } from './chunks.js'
import { tableOfFile } from './parquet-file.js'
import { readBytes } from './read-bytes.js'

/** The files of the trace, and how to read them. */
export interface GoogleOptions {
  /** Parts of the task events table in order, plain or gzip. For 2019: of the instance events. */
  readonly taskEvents: readonly string[]
  /** Parts of the job events table, for the logical names of jobs; for 2019 of the collection events, which also name their users. */
  readonly jobEvents?: readonly string[]
  /** Seconds by which an event may be earlier than one above it. Default 0. */
  readonly maxDisorder?: number
  /** Whether disk requests count; machine classes have no disks. Default false. */
  readonly disk?: boolean
}

/**
 * Jobs and running tasks of Google's ClusterData 2011 (version 2), or of that of 2019 as BigQuery writes it in JSON or Parquet, whose events are held
 * and sorted. Files are read in chunks. Memory is 38 bytes and an entry in a map per task, because only the end of a task tells how long it ran.
 * Throws `IO`, `BAD_OPTION` without task events, and `BAD_INPUT` with file and line for a row with missing columns or an event that is out of order.
 */
export async function google({ taskEvents, jobEvents = [], maxDisorder, disk = false }: GoogleOptions): Promise<GoogleTrace> {
  if (taskEvents.length === 0) throw new SchedError('BAD_OPTION', 'no part of the task events table is given.', { field: 'taskEvents' }, 'Name its files in their order.')
  const names = new Map<string, string>()
  const users = new Map<string, string>()
  const jobReader = new EventReader({ maxDisorder })
  await eachRow(jobEvents, jobReader, (row) => {
    const { job, name, user } = isJson(row) ? collectionEvent(row, jobReader) : { ...jobReader.job(row), user: '' }
    names.set(job, name)
    if (user !== '') users.set(job, user)
  })
  const history = new TaskHistory(disk ? ['cpu', 'mem', 'disk'] : ['cpu', 'mem'])
  const taskReader = new EventReader({ maxDisorder })
  const held = new InstanceEvents()
  await eachRow(taskEvents, taskReader, (row) => (isJson(row) ? held.add(instanceEvent(row, taskReader)) : history.add(taskReader.task(row))))
  if (held.rows === 0) return googleTrace('google 2011', history, taskReader.latest, { names })
  for (const event of held.inOrder()) history.add(users.has(event.job) ? { ...event, user: users.get(event.job)! } : event)
  return googleTrace('google 2019', history, held.latest, { names, production: PRODUCTION_2019, rules: held.rules() })
}

/** Holds the events of ClusterData 2019, whose files are in no order, until the last was read. */
class InstanceEvents {
  rows = 0
  latest: Seconds = 0
  readonly #events: TaskEvent[] = []
  #alloc = 0

  add(event: TaskEvent | 'alloc' | undefined): void {
    this.rows++
    if (event === 'alloc') this.#alloc++
    if (event === undefined || event === 'alloc') return
    this.#events.push(event)
    if (event.time < Infinity) this.latest = Math.max(this.latest, event.time)
  }

  /** Sorts by time; at equal times the submission and the start of a task come before its end. */
  inOrder(): readonly TaskEvent[] {
    return this.#events.sort((a, b) => a.time - b.time || a.type - b.type)
  }

  rules(): RuleCount[] {
    return this.#alloc === 0 ? [] : [{ rule: 'allocSets', jobs: this.#alloc, text: 'events of instances of alloc sets, which are no tasks: left out' }]
  }
}

/** The cluster from the table of machine events, or from a summary of it by classes. Throws `IO`, `BAD_INPUT`. */
export async function googleMachines(path: string): Promise<MachineClasses | MachineTable> {
  const table = await tableOfFile(path)
  let text = table === undefined ? new TextDecoder().decode(readBytes(path)) : ''
  if (table !== undefined) for await (const row of jsonRows(table)) text += `${row}\n`
  return isMachineEvents(text) ? machineEvents(text, path) : machineClasses(text, path)
}

async function eachRow(paths: readonly string[], reader: EventReader, visit: (row: string) => void): Promise<void> {
  for (const path of paths) {
    reader.file = path
    reader.line = 0
    const table = await tableOfFile(path)
    reader.counted = table === undefined ? 'line' : 'row'
    if (table !== undefined) for await (const row of jsonRows(table)) visitLine(row, reader, visit)
    const next = table === undefined ? chunksOf(path) : nothing
    const utf8 = new TextDecoder()
    let rest = ''
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
      const lines = (rest + utf8.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() as string
      for (const line of lines) visitLine(line, reader, visit)
    }
    if (rest !== '') visitLine(rest, reader, visit)
    if (reader.line === 0) throw new SchedError('BAD_INPUT', 'is empty.', { file: path }, 'A part of an event table holds at least one event.')
  }
}

const nothing: NextChunk = () => Promise.resolve(undefined)

function visitLine(line: string, reader: EventReader, visit: (row: string) => void): void {
  reader.line++
  const row = line.endsWith('\r') ? line.slice(0, -1) : line
  if (row !== '') visit(row)
}

import { SchedError } from '@sched/core'
import { EventReader } from '../google/events.js'
import { googleTrace, type GoogleTrace } from '../google/google-trace.js'
import { TaskHistory } from '../google/history.js'
import { machineClasses, type MachineClasses } from '../google/machine-classes.js'
import { isMachineEvents, machineEvents } from '../google/machine-events.js'
import type { MachineTable } from '../table/machine-table.js'
import { chunksOf } from './chunks.js'
import { readBytes, statFile } from './read-bytes.js'

export interface GoogleOptions {
  /** Parts of the task events table in their order, plain or gzip. */
  readonly taskEvents: readonly string[]
  /** Parts of the job events table, for the logical names of jobs. */
  readonly jobEvents?: readonly string[]
  /** Seconds by which an event may be earlier than one above it; default 0. */
  readonly maxDisorder?: number
  /** Whether disk requests count; machine classes have no disks. Default false. */
  readonly disk?: boolean
}

/**
 * Jobs and running tasks of Google's ClusterData 2011 (version 2). The files are read in chunks; what is kept is 38 bytes
 * and its place in a map per task, because only the end of a task says how long it ran. Throws `IO`, and `BAD_INPUT` with
 * file and line for a row with missing columns or an event that is out of order.
 */
export async function google({ taskEvents, jobEvents = [], maxDisorder, disk = false }: GoogleOptions): Promise<GoogleTrace> {
  if (taskEvents.length === 0) throw new SchedError('BAD_OPTION', 'no part of the task events table is given.', { field: 'taskEvents' })
  const names = new Map<string, string>()
  const jobReader = new EventReader({ maxDisorder })
  await eachRow(jobEvents, jobReader, (row) => {
    const { job, name } = jobReader.job(row)
    names.set(job, name)
  })
  const history = new TaskHistory(disk ? ['cpu', 'mem', 'disk'] : ['cpu', 'mem'])
  const taskReader = new EventReader({ maxDisorder })
  await eachRow(taskEvents, taskReader, (row) => history.add(taskReader.task(row)))
  return googleTrace('google 2011', history, taskReader.latest, names)
}

/** The cluster of the table of machine events, or of a summary of it by classes. Throws `IO`, `BAD_INPUT`. */
export function googleMachines(path: string): MachineClasses | MachineTable {
  const text = new TextDecoder().decode(readBytes(path))
  return isMachineEvents(text) ? machineEvents(text, path) : machineClasses(text, path)
}

async function eachRow(paths: readonly string[], reader: EventReader, visit: (row: string) => void): Promise<void> {
  for (const path of paths) {
    statFile(path)
    reader.file = path
    reader.line = 0
    const next = chunksOf(path)
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

function visitLine(line: string, reader: EventReader, visit: (row: string) => void): void {
  reader.line++
  const row = line.endsWith('\r') ? line.slice(0, -1) : line
  if (row !== '') visit(row)
}

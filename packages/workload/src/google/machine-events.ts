import type { Seconds } from '@sched/core'
import { numberIn } from '../job-table/values.js'
import { eachTextLine } from '../table/header-rows.js'
import { OpenAbsences, type AbsenceTable, type OutageFormat } from '../outage/table.js'
import { grouped, type MachineTable } from '../table/machine-table.js'
import { asText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'
import { traceStart } from './events.js'
import { UNITS } from './history.js'

const columns = ['time', 'machine id', 'event type', 'platform id', 'CPUs', 'memory']
/** Event types: 0 ADD, 1 REMOVE, 2 UPDATE. */
const ADD = '0'
const REMOVE = '1'

/** Whether a text is the table of machine events: no header and six columns, of which the platform is a hash. */
export const isMachineEvents = (head: string): boolean => /^\d+,\d+,[012],[\w+/=]*,[\d.]*,[\d.]*\r?(\n|$)/.test(head) || isMachineEvents2019(head)

/** The same for 2019, in the JSON of BigQuery. */
const isMachineEvents2019 = (head: string): boolean => /^\{[^\n]*"machine_id"/.test(head)
  && /^\{[^\n]*"(capacity|switch_id|platform_id)"/.test(head)
  && !/^\{[^\n]*"collection_id"/.test(head)

/**
 * The machines of Google's ClusterData 2011 or 2019 (`machine_events`), each as it was first added or updated with both amounts: `cpu` and `mem` in
 * millionths of the largest machine. Removals, later rows and machines of unknown size are ignored, so machines do not come and go. Throws
 * `BAD_INPUT` with file and line.
 */
export function machineEvents(text: string, file?: string): MachineTable {
  const found = new Map<string, { readonly name: string; readonly resources: Record<string, number> }>()
  eachEvent(text, file, ([, machine, type, , cpus, memory]) => {
    if (type === REMOVE || cpus === '' || memory === '' || found.has(machine)) return
    const amount = (value: string, column: number) => Math.round(numberIn(value, columns[column]!, 0) * UNITS)
    found.set(machine, { name: machine, resources: { cpu: amount(cpus, 4), mem: amount(memory, 5) } })
  })
  return grouped('google 2011', found.values(), file)
}

/**
 * When machines of the same table were away: until they were first added, and from a removal until they were added again. Tasks on them are lost.
 * Times count from the start of the trace's window, like those of its jobs. Rows may be in any order.
 */
export const googleAbsences: OutageFormat = {
  title: 'machine_events of Google 2011 and 2019',
  detect: isMachineEvents,
  read(text, file): AbsenceTable {
    const events: { readonly machine: string; readonly isRemoval: boolean; readonly time: Seconds; readonly line: number }[] = []
    eachEvent(text, file, ([time, machine, type], line) => {
      if (type === ADD || type === REMOVE) events.push({ machine, isRemoval: type === REMOVE, time: (numberIn(time, columns[0]!, 0) - traceStart * 1e6) / 1e6, line })
    })
    events.sort((a, b) => a.time - b.time || Number(b.isRemoval) - Number(a.isRemoval)) // a machine that is replaced within an instant is there
    const open = new OpenAbsences(false)
    const seen = new Set<string>()
    for (const { machine, isRemoval, time, line } of events) {
      if (!isRemoval && !seen.has(machine)) open.begin(machine, -traceStart, line)
      seen.add(machine)
      if (isRemoval) open.begin(machine, time, line)
      else open.end(machine, time)
    }
    return { absences: open.close(), origin: 0, isOnClock: true }
  },
}

type Fields = readonly [time: string, machine: string, type: string, platform: string, cpus: string, memory: string]

function eachEvent(text: string, file: string | undefined, visit: (fields: Fields, line: number) => void): void {
  const place = { file, line: 0 }
  eachTextLine(text, place, (bytes, from, to) => {
    const line = asText(bytes, from, to)
    const fields = line.startsWith('{') ? fieldsOf2019(line) : line.split(',')
    if (fields.length !== columns.length) throw new BadLine(undefined, `found ${fields.length} columns, expected ${columns.length} (${columns.join(', ')}).`)
    visit(fields as unknown as Fields, place.line)
  })
}

interface MachineEvent2019 {
  readonly time?: string | number
  readonly machine_id?: string | number
  readonly type?: string | number
  readonly capacity?: { readonly cpus?: number; readonly memory?: number } | null
}

/** A row of 2019 in the columns of 2011. Types of 2019 are 1 ADD, 2 REMOVE, 3 UPDATE. */
function fieldsOf2019(line: string): string[] {
  let event: MachineEvent2019
  try {
    event = JSON.parse(line) as MachineEvent2019
  } catch {
    throw new BadLine(undefined, 'is not JSON.')
  }
  if (event.machine_id === undefined) throw new BadLine('machine_id', 'is absent.')
  return [String(event.time ?? ''), String(event.machine_id), String(Number(event.type) - 1), '', String(event.capacity?.cpus ?? ''), String(event.capacity?.memory ?? '')]
}

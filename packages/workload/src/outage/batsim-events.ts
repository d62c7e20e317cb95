import { eachTextLine } from '../table/header-rows.js'
import { asText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'
import { OpenAbsences, type AbsenceTable, type OutageFormat } from './table.js'

interface Event {
  readonly type: string
  readonly timestamp: number
  readonly hosts: readonly number[]
}

/**
 * External events of the simulator Batsim (`--events`), one JSON object per line, in any order: `machine_unavailable` and `machine_available`, also
 * as the data of a generic event (Batsim 5), and `machine_failure` and `machine_restore` of its first versions. Hosts are numbered. Batsim does not
 * kill running jobs, so these absences are drains. Other events are ignored.
 */
export const batsimEvents: OutageFormat = {
  title: 'external events of Batsim, JSON Lines',
  detect: (head) => /^\s*\{[^\n]*"timestamp"/.test(head) && /^\s*\{[^\n]*"type"\s*:\s*"/.test(head),
  read(text, file): AbsenceTable {
    const events: (Event & { readonly line: number })[] = []
    let others = 0
    const place = { file, line: 0 }
    eachTextLine(text, place, (bytes, from, to) => {
      const row = asText(bytes, from, to).trim()
      if (row === '') return
      const event = eventOf(row)
      if (isBack(event.type) || isAway(event.type)) events.push({ ...event, line: place.line })
      else others++
    })
    events.sort((a, b) => a.timestamp - b.timestamp)
    const open = new OpenAbsences(true)
    for (const { type, timestamp, hosts, line } of events)
      for (const host of hosts) {
        if (isBack(type)) open.end(host, timestamp)
        else open.begin(host, timestamp, line)
      }
    return {
      absences: open.close(),
      origin: 0,
      notes: others === 0 ? [] : [`${others} ${others === 1 ? 'event is' : 'events are'} of no host that goes or comes back: passed over`],
    }
  },
}

const isAway = (type: string): boolean => type === 'machine_unavailable' || type === 'machine_failure'
const isBack = (type: string): boolean => type === 'machine_available' || type === 'machine_restore'

function eventOf(row: string): Event {
  const { type, timestamp, resources, data } = parsed(row)
  if (typeof timestamp !== 'number' || !(timestamp >= 0 && timestamp < Infinity))
    throw new BadLine('timestamp', `found ${JSON.stringify(timestamp)}, expected a number of at least 0.`)
  if (typeof type !== 'string') throw new BadLine('type', `found ${JSON.stringify(type)}, expected the name of a kind of event.`)
  if (type === 'generic' && typeof data === 'string' && data.startsWith('{')) return eventOf(JSON.stringify({ ...parsed(data), timestamp }))
  return { type, timestamp, hosts: isAway(type) || isBack(type) ? hostsOf(resources) : [] }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // reported below
  }
  throw new BadLine(undefined, `found ${JSON.stringify(text.slice(0, 40))}, expected a JSON object.`, 'An event of Batsim is an object on one line')
}

/** Most hosts in one range, as a guard against nonsense. */
const MOST = 1_000_000

function hostsOf(resources: unknown): number[] {
  if (typeof resources !== 'string' || !/^\s*\d+(-\d+)?([\s,]+\d+(-\d+)?)*\s*$/.test(resources))
    throw new BadLine('resources', `found ${JSON.stringify(resources)}, expected numbers of hosts such as "0-3 5".`)
  const hosts: number[] = []
  for (const part of resources.trim().split(/[\s,]+/)) {
    const [first, last = first] = part.split('-').map(Number) as [number, number?]
    if (last - first >= MOST) throw new BadLine('resources', `found ${part}, more than ${MOST} hosts.`)
    for (let host = first; host <= last; host++) hosts.push(host)
  }
  return hosts
}

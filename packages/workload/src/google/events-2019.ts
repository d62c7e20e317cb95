import type { Seconds } from '@sched/core'
import { EventType, traceStart, type EventReader, type TaskEvent } from './events.js'

/** Types of events of ClusterData 2019, in terms of 2011. QUEUE and ENABLE change nothing that is read here. */
const types: readonly (number | undefined)[] = [
  EventType.Submit, undefined, undefined, EventType.Schedule, EventType.Evict, EventType.Fail, EventType.Finish, EventType.Kill, EventType.Lost, EventType.UpdatePending, EventType.UpdateRunning,
]
/** Lowest priority of the production tier in 2019. Source: Tirmazi et al., "Borg: the next generation", EuroSys 2020. */
export const PRODUCTION_2019 = 120
const ALLOC_SET = '1'
const afterEnd = '9223372036854775807'

type At = Pick<EventReader, 'bad'>
type Fields = Readonly<Record<string, unknown>>

/** Whether a row is of the trace of 2019, in JSON. */
export const isJson = (row: string): boolean => row.startsWith('{')

/**
 * The event in a row of `instance_events` of Google's ClusterData 2019, in terms of 2011. Rows are in the JSON of BigQuery, in which whole numbers
 * are strings and unknown values are absent. `undefined` for events that change nothing; `alloc` for instances of alloc sets, which are reservations,
 * not tasks.
 *
 * Source: Wilkes et al., "Google cluster-usage traces v3", 2020.
 */
export function instanceEvent(row: string, at: At): TaskEvent | 'alloc' | undefined {
  const fields = parsed(row, at)
  const type = whole(fields, 'type', at)
  if (type >= types.length) throw at.bad(`found ${type}, expected 0 to 10.`, 'type')
  if (textOf(fields['collection_type']) === ALLOC_SET) return 'alloc'
  if (types[type] === undefined) return undefined
  const asked = (fields['resource_request'] ?? {}) as Fields
  return {
    time: timeOf(fields, at),
    before: textOf(fields['time']) === '0',
    job: String(idOf(fields, at)),
    index: whole(fields, 'instance_index', at),
    type: types[type],
    user: textOf(fields['user']),
    schedulingClass: whole(fields, 'scheduling_class', at, 0),
    priority: whole(fields, 'priority', at, 0),
    cpu: amount(asked, 'cpus', at),
    mem: amount(asked, 'memory', at),
    disk: NaN,
    distinctNodes: false,
  }
}

/** Id, logical name and user of the job in a row of `collection_events`. */
export function collectionEvent(row: string, at: At): { readonly job: string; readonly name: string; readonly user: string } {
  const fields = parsed(row, at)
  return { job: idOf(fields, at), name: textOf(fields['collection_logical_name'] ?? fields['collection_name']), user: textOf(fields['user']) }
}

function parsed(row: string, at: At): Fields {
  try {
    return JSON.parse(row) as Fields
  } catch {
    throw at.bad('is not JSON.', undefined, 'Was the file cut short? Copy it again, or export the table from BigQuery as JSON with one object a line.')
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function idOf(fields: Fields, at: At): string {
  const text = textOf(fields['collection_id'])
  if (/^\d+$/.test(text)) return text
  throw at.bad(`found ${JSON.stringify(text)}, expected an id in digits.`, 'collection_id')
}

function whole(fields: Fields, name: string, at: At, absent?: number): number {
  const text = textOf(fields[name])
  if (text === '' && absent !== undefined) return absent
  const value = Number(text)
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value
  throw at.bad(`found ${JSON.stringify(text)}, expected a whole number.`, name)
}

function amount(asked: Fields, name: string, at: At): number {
  const text = textOf(asked[name])
  const value = text === '' ? NaN : Number(text)
  if (text === '' || value >= 0) return value
  throw at.bad(`found ${JSON.stringify(text)}, expected a fraction of the largest machine.`, `resource_request.${name}`)
}

function timeOf(fields: Fields, at: At): Seconds {
  if (textOf(fields['time']) === afterEnd) return Infinity
  return Math.max(0, whole(fields, 'time', at) / 1e6 - traceStart)
}

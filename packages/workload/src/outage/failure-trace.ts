import { eachTextLine } from '../table/header-rows.js'
import { lineText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'
import type { Absence, AbsenceTable, OutageFormat } from './table.js'

const columns = ['event_id', 'component_id', 'node_id', 'platform_id', 'node_name', 'event_type', 'event_start_time', 'event_stop_time', 'event_end_reason']
const NODE = 2
const TYPE = 5
const START = 6
const STOP = 7
const DOWN = '0'
const UP = '1'

/**
 * Table `event_trace` of the Failure Trace Archive (`event_trace.tab`): nine tab-separated columns, times in seconds since 1970, event type 0
 * unavailable and 1 available. The run begins with the earliest event of the trace. Its nodes, by ascending number, are the nodes of the cluster in
 * order, so that any machine can be given the failures of another. Types of single traces (2 and more) are ignored.
 */
export const failureTrace: OutageFormat = {
  title: 'event_trace.tab of the Failure Trace Archive',
  detect: (head) => /^#?\s*event_id\s+component_id\b/i.test(head) || /^(\d+\t){4}[^\t\n]*\t\d+\t[\d.]+\t([\d.]+|null)(\t|\r?\n|$)/i.test(head),
  read(text, file): AbsenceTable {
    const down: (Omit<Absence, 'node'> & { readonly id: number })[] = []
    const ids = new Set<number>()
    const place = { file, line: 0 }
    let first = Infinity
    let others = 0
    eachTextLine(text, place, (bytes, from, to) => {
      const line = lineText(bytes, from, to)
      if (/^#|^event_id\b/i.test(line)) return
      const fields = line.split('\t')
      if (fields.length <= STOP) throw new BadLine(undefined, `found ${fields.length} columns, expected ${columns.length} (${columns.join(', ')}).`)
      const id = number(fields, NODE)
      const start = number(fields, START)
      const stop = /^(null|\\n|)$/i.test(fields[STOP]!.trim()) ? Infinity : number(fields, STOP)
      if (stop < start) throw new BadLine(columns[STOP], `found ${stop}, which is before ${start}.`)
      ids.add(id)
      first = Math.min(first, start)
      const type = fields[TYPE]!.trim()
      if (type === DOWN && start < stop) down.push({ id, from: start, to: stop, drain: false, line: place.line })
      else if (type !== DOWN && type !== UP) others++
    })
    const order = new Map([...ids].sort((a, b) => a - b).map((id, index) => [id, index]))
    const absences = down.map(({ id, ...rest }) => ({ node: order.get(id)!, ...rest }))
    return { absences, origin: first, notes: others === 0 ? [] : [`${others} ${others === 1 ? 'event is' : 'events are'} of a type other than 0 and 1: passed over`] }
  },
}

function number(fields: readonly string[], column: number): number {
  const text = fields[column]!.trim()
  const value = /^\d{1,15}(\.\d+)?(e\+?\d+)?$/i.test(text) ? Number(text) : NaN
  if (!(value <= Number.MAX_SAFE_INTEGER)) throw new BadLine(columns[column], `found ${JSON.stringify(text.slice(0, 40))}, expected a number of at least 0.`)
  return value
}

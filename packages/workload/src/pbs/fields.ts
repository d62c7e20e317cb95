import { Names } from '../accounting/names.js'
import { BadLine } from '../trace/format.js'
import { timeSpan } from '../slurm/times.js'

/** What is read of a record; all other attributes are passed over. */
const wanted = [
  'user', 'group', 'account', 'project', 'queue', 'resvID', 'ctime', 'qtime', 'etime', 'start', 'end', 'exec_host', 'exec_gpus',
  'Exit_status', 'run_count', 'Resource_List.ncpus', 'Resource_List.procs', 'Resource_List.nodect', 'Resource_List.nodes',
  'Resource_List.select', 'Resource_List.walltime', 'Resource_List.mem', 'Resource_List.pmem', 'Resource_List.ngpus', 'resources_used.walltime',
  'Resource_List.mppwidth', 'Resource_List.mppdepth', 'Resource_List.mppnppn', 'Resource_List.mppnodect', 'Resource_List.mppmem',
] as const
export type PbsField = (typeof wanted)[number]
const slots = new Map<string, number>(wanted.map((name, slot) => [name, slot]))

/**
 * The attributes of one record, `name=value` with blanks between them. A value with blanks stands in quotes, `"` or where it has
 * such itself `'` (`cpy_quote_value` of the server); Torque quotes none, so words without = belong to the value before them.
 */
export class PbsFields {
  readonly #values: string[] = wanted.map(() => '')
  readonly #names = new Names()

  /** Takes those from `at` on. */
  read(text: string, at: number): void {
    this.#values.fill('')
    for (let from = at; from < text.length; ) {
      const equals = text.indexOf('=', from)
      if (equals === -1) return
      const to = endOfValue(text, equals + 1)
      const slot = slots.get(text.slice(Math.max(from, text.lastIndexOf(' ', equals) + 1), equals))
      if (slot !== undefined) this.#values[slot] = unquoted(text, equals + 1, to)
      from = to + 1
    }
  }

  /** '' where it is absent. */
  text(name: PbsField): string {
    return this.#values[slots.get(name)!]!
  }

  /** The same of something that many jobs have. */
  name(name: PbsField): string {
    return this.#names.of(this.text(name))
  }

  /** A whole number, below 0 too; NaN where it is absent. Throws `BadLine`. */
  number(name: PbsField): number {
    const text = this.text(name)
    if (text === '') return NaN
    if (!/^-?\d{1,15}$/.test(text)) throw bad(name, text, 'a whole number')
    return Number(text)
  }

  /** Seconds since 1970; NaN where it is absent or 0, which is how the server writes a time that has not come. Throws `BadLine`. */
  time(name: PbsField): number {
    const value = this.number(name)
    return value > 0 ? value : NaN
  }

  /** Seconds of `HH:MM:SS` or a number of them; NaN where it is absent. Throws `BadLine`. */
  span(name: PbsField): number {
    const text = this.text(name)
    const value = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : timeSpan(text)
    if (value === undefined) throw bad(name, text, 'a span of time such as 12:00:00')
    return value
  }
}

export const bad = (name: PbsField, text: string, expected: string): BadLine =>
  new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected ${expected}.`)

/** Where the value that starts at `from` ends (exclusive), its closing quote within it. */
function endOfValue(text: string, from: number): number {
  const quote = text[from]
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(`${quote} `, from + 1)
    return close === -1 ? text.length : close + 1
  }
  const blank = text.indexOf(' ', from)
  return blank === -1 ? text.length : blank
}

function unquoted(text: string, from: number, to: number): string {
  const quote = text[from]
  const isQuoted = (quote === '"' || quote === "'") && to - from > 1 && text[to - 1] === quote
  return isQuoted ? text.slice(from + 1, to - 1) : text.slice(from, to)
}

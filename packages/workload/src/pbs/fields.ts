import { Names } from '../accounting/names.js'
import { BadLine } from '../trace/format.js'
import { timeSpan } from '../slurm/times.js'

/** The attributes that are read; all others are skipped. */
const wanted = [
  'user', 'group', 'account', 'project', 'queue', 'resvID', 'ctime', 'qtime', 'etime', 'start', 'end', 'exec_host', 'exec_gpus',
  'Exit_status', 'run_count', 'Resource_List.ncpus', 'Resource_List.procs', 'Resource_List.nodect', 'Resource_List.nodes',
  'Resource_List.select', 'Resource_List.walltime', 'Resource_List.min_walltime', 'Resource_List.max_walltime', 'Resource_List.mem', 'Resource_List.pmem', 'Resource_List.ngpus', 'Resource_List.gpus', 'Resource_List.gpu', 'resources_used.walltime',
  'Resource_List.mppwidth', 'Resource_List.mppdepth', 'Resource_List.mppnppn', 'Resource_List.mppnodect', 'Resource_List.mppmem',
] as const
/** An attribute that is read. */
export type PbsField = (typeof wanted)[number]
const slots = new Map<string, number>(wanted.map((name, slot) => [name, slot]))

/**
 * The attributes of a record: `name=value`, separated by blanks. A value with blanks is in double quotes, or in single quotes if it contains double
 * quotes (`cpy_quote_value` of the server). Torque does not quote values: of such a value only the first word is read.
 */
export class PbsFields {
  readonly #values: string[] = wanted.map(() => '')
  readonly #names = new Names()

  /** Reads the attributes from position `at` on. */
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

  /** The value of an attribute; '' if absent. */
  text(name: PbsField): string {
    return this.#values[slots.get(name)!]!
  }

  /** The same for a value that many jobs share; it is kept once. */
  name(name: PbsField): string {
    return this.#names.of(this.text(name))
  }

  /** A whole number, which may be negative; NaN if absent. Throws `BadLine`. */
  number(name: PbsField): number {
    const text = this.text(name)
    if (text === '') return NaN
    if (!/^-?\d{1,15}$/.test(text)) throw bad(name, text, 'a whole number')
    return Number(text)
  }

  /** Seconds since 1970, with a fraction in logs of Cobalt; NaN if absent or 0, the server's value for a time that has not come. Throws `BadLine`. */
  time(name: PbsField): number {
    const text = this.text(name)
    if (text === '') return NaN
    if (!/^-?\d{1,15}(\.\d{1,9})?$/.test(text)) throw bad(name, text, 'a number of seconds')
    const value = Number(text)
    return value > 0 ? value : NaN
  }

  /** Seconds, from `HH:MM:SS` or a number of seconds; NaN if absent. Throws `BadLine`. */
  span(name: PbsField): number {
    const text = this.text(name)
    const value = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : timeSpan(text)
    if (value === undefined) throw bad(name, text, 'a span of time such as 12:00:00')
    return value
  }
}

/** The error for an attribute with another value than expected. */
export const bad = (name: PbsField, text: string, expected: string): BadLine =>
  new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected ${expected}.`)

/** End (exclusive) of the value that starts at `from`, including its closing quote. */
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

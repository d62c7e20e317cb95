import { SchedError } from '@sched/core'
import { BadLine, type LinePlace } from '../trace/format.js'
import { instant, timeSpan } from './times.js'

/** The columns of a table with a header line, and the fields of the line taken last, by column name. Upper and lower case do not matter. */
export class Columns {
  readonly #at = new Map<string, number>()
  readonly #names: readonly string[]
  /** `sacct --parsable` ends every line with a separator, including the header. */
  readonly #endsInSeparator: boolean
  #fields: readonly string[] = []

  constructor(names: readonly string[]) {
    this.#endsInSeparator = names.at(-1) === ''
    this.#names = this.#endsInSeparator ? names.slice(0, -1) : names
    for (const [i, name] of this.#names.entries()) this.#at.set(name.trim().toLowerCase(), i)
  }

  has(...names: string[]): boolean {
    return names.some((name) => this.#at.has(name.toLowerCase()))
  }

  /** Throws `BAD_INPUT` if none of the columns exists. */
  require(place: Pick<LinePlace, 'file' | 'line'>, wayOut: string, ...names: string[]): void {
    if (!this.has(...names)) throw new SchedError('BAD_INPUT', `column ${names.join(' or ')} is missing.`, { file: place.file, line: place.line }, wayOut)
  }

  /** Takes the fields of a line. Throws `BadLine` if their number differs from that of the header. */
  take(fields: readonly string[], wayOut = ''): void {
    const found = this.#endsInSeparator && fields.length === this.#names.length + 1 && fields.at(-1) === '' ? fields.length - 1 : fields.length
    if (found !== this.#names.length) throw new BadLine(undefined, `found ${found} column${found === 1 ? '' : 's'}, the header has ${this.#names.length}.`, wayOut)
    this.#fields = fields
  }

  /** Text of the first of these columns that exists and is not empty; '' if there is none. */
  text(...names: string[]): string {
    for (const name of names) {
      const at = this.#at.get(name) ?? this.#at.get(name.toLowerCase())
      const field = at === undefined ? '' : this.#fields[at]!.trim()
      if (field !== '') return field
    }
    return ''
  }

  /** A time in seconds since 1970; NaN if unknown. Throws `BadLine`. */
  instant(name: string): number {
    return known(name, this.text(name), instant(this.text(name)), 'a time such as 2024-01-31T10:00:00')
  }

  /** A span of time in seconds. Throws `BadLine`. */
  timeSpan(name: string): number {
    return known(name, this.text(name), timeSpan(this.text(name)), 'a span of time such as 1-12:00:00')
  }

  /** A number of at least 0; NaN if empty. Throws `BadLine`. */
  number(...names: string[]): number {
    const text = this.text(...names)
    const value = text === '' ? NaN : /^\d{1,15}(\.\d+)?(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined
    if (value !== undefined && value > Number.MAX_SAFE_INTEGER) throw new BadLine(names[0], `found ${JSON.stringify(text)}, more than 2^53 - 1, above which numbers are not exact.`)
    return known(names[0]!, text, value, 'a number of at least 0')
  }
}

function known(name: string, text: string, value: number | undefined, expected: string): number {
  if (value === undefined) throw new BadLine(name, `found ${JSON.stringify(text.slice(0, 40))}, expected ${expected}.`)
  return value
}

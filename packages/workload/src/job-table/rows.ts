import { SchedError, suggest } from '@sched/core'
import { separatorIn, splitLine } from '../table/separators.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** The text of a row's field by column name; '' if the field is empty or absent. */
export type Row = (column: string) => string

/** Reads the lines of a table: separated fields with a header line, or JSON Lines. */
export interface Rows {
  readonly names: readonly string[] | undefined
  /** The row of a line; `undefined` for the header. Throws `BadLine`. */
  row(bytes: Uint8Array, from: number, to: number): Row | undefined
}

/** The error for a column that the table does not have; `field` is the part of the mapping that names it, or '' for a default. */
export const missingColumn = (column: string, field: string, names: readonly string[], { file, line }: Pick<LinePlace, 'file' | 'line'>): SchedError =>
  new SchedError('BAD_INPUT', `the table has no column "${column}"${field === '' ? '' : `, which ${field} names`}.`, { file, line }, suggest(column, names))

/** The error if the table has none of the columns that a mapping names: there may be lines above the header, or no header. */
export const otherHeader = (columns: readonly string[], names: readonly string[], { file, line }: Pick<LinePlace, 'file' | 'line'>): SchedError =>
  new SchedError(
    'BAD_INPUT',
    `the table has none of the columns ${columns.join(', ')}, which \`columns\` names.`,
    { file, line },
    `${suggest(columns[0] as string, names)} The first line is taken for their names: leave out what stands above it, or give them where the table has none (\`names: [...]\`).`,
  )

/** Rows whose fields are separated by a comma or another separator. */
export class SeparatedRows implements Rows {
  names: readonly string[] | undefined
  readonly #at = new Map<string, number>()
  #separator: string | undefined
  #fields: readonly string[] = []
  readonly #row: Row = (column) => this.#fields[this.#at.get(column) as number]?.trim() ?? ''

  /** `names`: names of the columns, for a table without a header. */
  constructor(
    separator: string | undefined,
    private readonly place: LinePlace,
    names?: readonly string[],
  ) {
    this.#separator = separator
    if (names !== undefined) this.#name(names)
  }

  row(bytes: Uint8Array, from: number, to: number): Row | undefined {
    const line = lineText(bytes, from, to)
    this.#separator ??= separatorIn(line)
    const fields = splitLine(line, this.#separator)
    if (this.names === undefined) {
      this.#name(fields.map((field) => field.trim()))
      return undefined
    }
    if (fields.length !== this.names.length)
      throw new BadLine(undefined, `found ${fields.length} column${fields.length === 1 ? '' : 's'}, the header has ${this.names.length}.`, 'Was the file cut short? Copy it again')
    this.#fields = fields
    return this.#row
  }

  #name(names: readonly string[]): void {
    this.names = names
    for (const [i, column] of names.entries()) {
      if (this.#at.has(column) && column !== '')
        throw new SchedError(
          'BAD_INPUT',
          `two columns are called "${column}".`,
          { file: this.place.file, line: this.place.line },
          'Name them differently.',
        )
      this.#at.set(column, i)
    }
  }
}

/** Rows that are one JSON object per line. A dot reaches into nested objects: `resources.cpu`. */
export class JsonRows implements Rows {
  readonly names = undefined
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })

  /** The keys of a line; none if it is not an object. */
  namesOf(bytes: Uint8Array, from: number, to: number): string[] {
    try {
      return Object.keys(JSON.parse(this.#utf8.decode(bytes.subarray(from, to))) as object)
    } catch {
      return []
    }
  }

  row(bytes: Uint8Array, from: number, to: number): Row {
    let value: unknown
    try {
      value = JSON.parse(this.#utf8.decode(bytes.subarray(from, to)))
    } catch {
      throw new BadLine(undefined, 'is not JSON.', 'Was the file cut short? Copy it again')
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadLine(undefined, 'is no JSON object.')
    return (column) => {
      const found = Object.hasOwn(value, column) ? (value as Record<string, unknown>)[column] : inside(value, column)
      if (found === undefined || found === null) return ''
      if (typeof found === 'object') throw new BadLine(column, `found ${JSON.stringify(found).slice(0, 40)}, expected a number or text.`)
      return `${found as string}`.trim()
    }
  }
}

function inside(value: object, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined), value)
}

import { SchedError } from '@sched/core'
import { Columns } from '../slurm/columns.js'
import { splitCsv } from '../slurm/csv.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** The rows of a CSV table with a header line. */
export class HeaderRows {
  #columns: Columns | undefined

  constructor(
    private readonly place: LinePlace,
    /** Columns that must exist; of a list of columns, at least one. */
    private readonly needed: readonly (string | readonly string[])[],
    private readonly wayOut: string,
  ) {}

  /** The columns at this row; `undefined` for the header. Throws `BadLine`, and `BAD_INPUT` for a header that lacks a column. */
  row(bytes: Uint8Array, from: number, to: number): Columns | undefined {
    const fields = splitCsv(lineText(bytes, from, to))
    if (this.#columns !== undefined) {
      this.#columns.take(fields, 'Was the file cut short? Copy it again')
      return this.#columns
    }
    this.#columns = new Columns(fields)
    for (const names of this.needed) this.#columns.require(this.place, this.wayOut, ...[names].flat())
    return undefined
  }
}

/** A whole number from 0 to `most`. Throws `BadLine`. */
export function wholeOf(columns: Columns, name: string, most = 2 ** 31 - 1): number {
  const value = columns.number(name)
  if (Number.isInteger(value) && value <= most) return value
  throw new BadLine(name, `found ${JSON.stringify(columns.text(name))}, expected a whole number from 0 to ${most}.`)
}

/** Names in the first line of a text. */
export const headerOf = (head: string): string[] => splitCsv(head.split('\n', 1)[0]!.trim()).map((name) => name.trim())

/** Calls `visit` for each row of a small table with a header line. Throws `BAD_INPUT` with file and line for any mistake. */
export function eachRow(text: string, needed: readonly string[], wayOut: string, file: string | undefined, visit: (columns: Columns, line: number) => void): void {
  const place = { file, line: 0, checked: false }
  const rows = new HeaderRows(place, needed, wayOut)
  eachTextLine(text, place, (bytes, from, to) => {
    const columns = rows.row(bytes, from, to)
    if (columns !== undefined) visit(columns, place.line)
  })
}

/**
 * Calls `visit` for each line of a small text that is not empty, and `end` after the last. Throws `BAD_INPUT` with file and line for a `BadLine` of
 * either.
 */
export function eachTextLine(
  text: string,
  place: { readonly file: string | undefined; line: number },
  visit: (bytes: Uint8Array, from: number, to: number) => void,
  end?: () => void,
): void {
  const bytes = new TextEncoder().encode(text.replace(/^\uFEFF/, ''))
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(10, from)
    const next = found === -1 ? bytes.length : found
    const to = next > from && bytes[next - 1] === 13 ? next - 1 : next
    const start = from
    place.line++
    if (to > start) atLine(place, () => visit(bytes, start, to))
    from = next + 1
  }
  if (end !== undefined) atLine(place, end)
}

function atLine({ file, line }: { readonly file: string | undefined; readonly line: number }, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof BadLine)) throw error
    throw new SchedError('BAD_INPUT', error.fact, { file, line, field: error.field }, error.wayOut === '' ? 'Correct the line.' : `${error.wayOut}.`)
  }
}

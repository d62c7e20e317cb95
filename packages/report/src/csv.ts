import { cellText, type Cell } from './table.js'

/**
 * Comma-separated values with a header line: fields with a comma, a quote, a line break or outer spaces are quoted, quotes
 * doubled. Numbers are written as short as reads back to the same value, NaN as an empty field.
 *
 * Source: RFC 4180. Deviation: lines end in a line feed alone, which every reader takes and Unix tools expect.
 */
export const csv = (titles: readonly string[], rows: readonly (readonly Cell[])[]): string => [titles, ...rows].map(csvLine).join('')

/** One line, for writing row by row. */
export const csvLine = (row: readonly Cell[]): string => `${row.map(field).join(',')}\n`

function field(cell: Cell): string {
  const text = cellText(cell)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

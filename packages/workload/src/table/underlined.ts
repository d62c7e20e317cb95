import { asText } from '../trace/fields.js'

/** The bytes of a line in which each column stands, from `from` to `to` (exclusive). */
export type ColumnBytes = readonly (readonly [from: number, to: number])[]

const UNDERLINE = /^-+(?: +-+)* *$/

/** Places of the columns, from the line of dashes below their names that Slurm's commands print; `undefined` for any other line. */
export const underlined = (line: string): ColumnBytes | undefined =>
  UNDERLINE.test(line) ? [...line.matchAll(/-+/g)].map(({ 0: dashes, index }) => [index, index + dashes.length] as const) : undefined

/**
 * The fields of a line in columns of fixed width. Widths count bytes, as in printf, so letters of several bytes do not shift the columns; a letter
 * that is cut through becomes a replacement character.
 */
export const cutInColumns = (bytes: Uint8Array, from: number, to: number, columns: ColumnBytes): string[] =>
  columns.map(([start, end]) => (from + start < to ? asText(bytes, from + start, Math.min(from + end, to)).trim() : ''))

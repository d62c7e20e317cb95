import { asText } from '../trace/fields.js'

/** From which byte of a line on, and to which, each column stands. */
export type ColumnBytes = readonly (readonly [from: number, to: number])[]

const UNDERLINE = /^-+(?: +-+)* *$/

/** Where columns stand, by the line of dashes below their names, as Slurm's commands print it; `undefined` for any other line. */
export const underlined = (line: string): ColumnBytes | undefined =>
  UNDERLINE.test(line) ? [...line.matchAll(/-+/g)].map(({ 0: dashes, index }) => [index, index + dashes.length] as const) : undefined

/** The fields of a line in such columns: widths count bytes, as printf does, so that letters of several move nothing; one that is cut through becomes a mark. */
export const cutInColumns = (bytes: Uint8Array, from: number, to: number, columns: ColumnBytes): string[] =>
  columns.map(([start, end]) => (from + start < to ? asText(bytes, from + start, Math.min(from + end, to)).trim() : ''))

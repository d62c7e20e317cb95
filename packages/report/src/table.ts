import stringWidth from 'string-width'

/** Text, a truth value, or a number that is written in its shortest form; absent and NaN cells stay empty. */
export type Cell = string | number | boolean | undefined

export interface Column {
  readonly title: string
  /** Default: right where every cell begins with a number, left otherwise. */
  readonly align?: 'left' | 'right'
}

export interface TableOptions {
  /** Bold headers, by ANSI escapes. Default false: the caller knows the terminal and NO_COLOR. */
  readonly color?: boolean
}

/** A plain-text table: aligned columns two spaces apart, a rule under the headers, no spaces at line ends. Ends with a line feed. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], { color = false }: TableOptions = {}): string {
  const { texts, widths, pads } = layout(columns, rows)
  const line = (cells: readonly string[]) => cells.map((text, c) => (pads[c] as Pad)(text, widths[c] as number)).join('  ').trimEnd()
  const header = line(columns.map(({ title }) => flat(title)))
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [color ? `\u001B[1m${header}\u001B[22m` : header, rule, ...texts.map(line)].map((each) => `${each}\n`).join('')
}

/** A GitHub-flavoured Markdown table, padded so that it is readable as text. Ends with a line feed. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const escape = (text: string) => text.replace(/[\\|]/g, (special) => `\\${special}`)
  const titles = columns.map(({ title, ...rest }) => ({ title: escape(title), ...rest }))
  const cells = rows.map((row) => columns.map((_, c) => escape(cellText(row[c]))))
  const { texts, widths, pads, right } = layout(titles, cells, 3)
  const line = (texts: readonly string[]) => `| ${texts.map((text, c) => (pads[c] as Pad)(text, widths[c] as number)).join(' | ')} |\n`
  const rule = widths.map((width, c) => `${'-'.repeat(width - 1)}${right[c] === true ? ':' : '-'}`)
  return line(titles.map(({ title }) => flat(title))) + line(rule) + texts.map(line).join('')
}

/** A cell as text, as short as reads back to the same number. */
export function cellText(cell: Cell): string {
  if (cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))) return ''
  return Object.is(cell, -0) ? '0' : String(cell)
}

type Pad = (text: string, width: number) => string

function layout(columns: readonly Column[], rows: readonly (readonly Cell[])[], least = 0) {
  const texts = rows.map((row) => columns.map((_, c) => flat(cellText(row[c]))))
  const widths = columns.map(({ title }, c) =>
    texts.reduce((most, row) => Math.max(most, stringWidth(row[c] as string)), Math.max(least, stringWidth(flat(title)))),
  )
  const right = columns.map(({ align }, c) => (align === undefined ? isNumeric(texts.map((row) => row[c] as string)) : align === 'right'))
  return { texts, widths, right, pads: right.map((each): Pad => (each ? padStart : padEnd)) }
}

const padStart: Pad = (text, width) => ' '.repeat(width - stringWidth(text)) + text
const padEnd: Pad = (text, width) => text + ' '.repeat(width - stringWidth(text))

/** One line: a break inside a cell would break the table, an escape sequence the terminal. */
const flat = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')

const isNumeric = (texts: readonly string[]): boolean =>
  texts.some((text) => /\d/.test(text)) && texts.every((text) => text === '' || text === '-' || /^[-+]?(\d|\.\d|inf)/.test(text))

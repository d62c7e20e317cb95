import stringWidth from 'string-width'
import { oneLine } from './one-line.js'

/** Text, a truth value, or a number that is written in its shortest form; absent and NaN cells stay empty. */
export type Cell = string | number | boolean | undefined

/** A column of a table. */
export interface Column {
  /** What stands above it. */
  readonly title: string
  /** Default: right where every cell begins with a number, left otherwise. */
  readonly align?: 'left' | 'right'
  /** A longer title goes over several lines of at most so many characters, or as many as the widest cell has. Default: one line. */
  readonly wrap?: number
}

/** How a table is drawn. */
export interface TableOptions {
  /** Bold headers, by ANSI escapes. Default false: the caller knows the terminal and NO_COLOR. */
  readonly color?: boolean
  /** Most characters of a line, as far as single columns allow: what does not fit beside the first column comes below, after that column again. Default: no limit. */
  readonly width?: number | undefined
  /** How many columns at the left come again. Default 1. */
  readonly keep?: number
}

/** A plain-text table: aligned columns two spaces apart, a rule under the headers, no spaces at line ends. Ends with a line feed. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], { color = false, width = Infinity, keep = 1 }: TableOptions = {}): string {
  const wrapped = columns.map(({ title, wrap = Infinity }, c) => wrapTitle(oneLine(title), Math.max(wrap, ...rows.map((row) => stringWidth(oneLine(cellText(row[c])))))))
  const { texts, widths, pads } = layout(columns, rows, 0, wrapped)
  const line = (cells: readonly string[], shown: readonly number[]) => shown.map((c) => (pads[c] as Pad)(cells[c] as string, widths[c] as number)).join('  ').trimEnd()
  const header = (shown: readonly number[]) => {
    const height = Math.max(1, ...shown.map((c) => wrapped[c]?.length ?? 0))
    return Array.from({ length: height }, (_, at) => wrapped.map((lines) => lines[at - height + lines.length] ?? ''))
  }
  const bold = (text: string) => (color ? `\u001B[1m${text}\u001B[22m` : text)
  const part = (shown: readonly number[]) => {
    const rule = shown.map((c) => '-'.repeat(widths[c] as number)).join('  ')
    return [...header(shown).map((cells) => bold(line(cells, shown))), rule, ...texts.map((cells) => line(cells, shown))].map((each) => `${each}\n`).join('')
  }
  return parts(widths, keep, width).map(part).join('\n')
}

/** The columns of each part of a table that may be so wide: the first ones, and as many others as fit, at least one. */
function parts(widths: readonly number[], keep: number, most: number): number[][] {
  const kept = widths.slice(0, keep).map((_, c) => c)
  const least = kept.reduce((sum, c) => sum + (widths[c] as number) + 2, -2)
  const all: number[][] = []
  let used = Infinity
  for (const [c, width] of widths.entries()) {
    if (c < keep) continue
    used += width + 2
    if (used > most || all.length === 0) {
      all.push([...kept])
      used = least + width + 2
    }
    all.at(-1)?.push(c)
  }
  return all.length === 0 ? [kept] : all
}

/** A title in lines of at most so many characters: broken after spaces and signs, and in words that are longer. */
function wrapTitle(title: string, most: number): string[] {
  if (stringWidth(title) <= most) return [title]
  const lines: string[] = []
  let line = ''
  for (const piece of title.match(/[^\s,;:=(){}[\]/-]*(?:[,;:=(){}[\]/-]+\s*|\s+|$)/g) ?? [])
    for (const part of stringWidth(piece.trimEnd()) <= most ? [piece] : piece) {
      if (line !== '' && stringWidth((line + part).trimEnd()) > most) {
        lines.push(line.trimEnd())
        line = ''
      }
      line += part
    }
  return [...lines, line.trimEnd()].filter((each) => each !== '')
}

/** A GitHub-flavoured Markdown table, padded so that it is readable as text. Ends with a line feed. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const escape = (text: string) => text.replace(/[\\|]/g, (special) => `\\${special}`)
  const titles = columns.map(({ title, ...rest }) => ({ title: escape(title), ...rest }))
  const cells = rows.map((row) => columns.map((_, c) => escape(cellText(row[c]))))
  const { texts, widths, pads, right } = layout(titles, cells, 3)
  const line = (texts: readonly string[]) => `| ${texts.map((text, c) => (pads[c] as Pad)(text, widths[c] as number)).join(' | ')} |\n`
  const rule = widths.map((width, c) => `${'-'.repeat(width - 1)}${right[c] === true ? ':' : '-'}`)
  return line(titles.map(({ title }) => oneLine(title))) + line(rule) + texts.map(line).join('')
}

/** A cell as text, as short as reads back to the same number. */
export function cellText(cell: Cell): string {
  if (cell === undefined || (typeof cell === 'number' && Number.isNaN(cell))) return ''
  return Object.is(cell, -0) ? '0' : String(cell)
}

type Pad = (text: string, width: number) => string

function layout(columns: readonly Column[], rows: readonly (readonly Cell[])[], least: number, titles = columns.map(({ title }) => [oneLine(title)])) {
  const texts = rows.map((row) => columns.map((_, c) => oneLine(cellText(row[c]))))
  const widths = titles.map((lines, c) => texts.reduce((most, row) => Math.max(most, stringWidth(row[c] as string)), Math.max(least, ...lines.map((line) => stringWidth(line)))))
  const right = columns.map(({ align }, c) => (align === undefined ? isNumeric(texts.map((row) => row[c] as string)) : align === 'right'))
  return { texts, widths, right, pads: right.map((each): Pad => (each ? padStart : padEnd)) }
}

const padStart: Pad = (text, width) => ' '.repeat(width - stringWidth(text)) + text
const padEnd: Pad = (text, width) => text + ' '.repeat(width - stringWidth(text))

const isNumeric = (texts: readonly string[]): boolean =>
  texts.some((text) => /\d/.test(text)) && texts.every((text) => text === '' || text === '-' || /^[-+]?(\d|\.\d|inf)/.test(text))

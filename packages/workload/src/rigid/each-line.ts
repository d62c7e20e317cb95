import { SchedError } from '@sched/core'
import { unreadableKind } from '../trace/looks-like.js'

/** Handles the lines of a text. */
export interface LineVisitor {
  /** Called for every line that is not empty, with its bounds, which do not include the line end. */
  visit(line: number, from: number, to: number): void
  /** Called first, to save the search for the line end. Returns the start of the next line if it has handled this one, otherwise 0. */
  quick?(line: number, from: number): number
}

/** Throws `BAD_INPUT` for a file that does not begin like text. */
export function checkText(bytes: Uint8Array, file: string | undefined): void {
  const kind = unreadableKind(bytes)
  if (kind !== undefined) throw new SchedError('BAD_INPUT', `looks like ${kind.what}, not like text.`, { file }, kind.wayOut)
}

/**
 * Calls the visitor for every line that is not empty, and returns the number of lines, including empty ones. Lines end in LF or CR LF; a byte order
 * mark is skipped.
 */
export function eachLine(bytes: Uint8Array, visitor: LineVisitor): number {
  let line = 0
  for (let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; from < bytes.length; ) {
    const next = visitor.quick?.(line + 1, from) ?? 0
    if (next > 0) {
      from = next
      line++
      continue
    }
    const end = bytes.indexOf(10, from)
    const to = end === -1 ? bytes.length : end
    const last = to > from && bytes[to - 1] === 13 ? to - 1 : to
    line++
    if (last > from) visitor.visit(line, from, last)
    from = to + 1
  }
  return line
}

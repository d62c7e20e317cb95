import { asText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'
import { fieldNames, unknownBeyond, wholeFields } from './fields.js'

/**
 * Reads the 18 numbers of a line, separated by blanks and tabs, from the bytes into `row`. Lines that `parsePlain` does not accept are read in a
 * slower way. `mayHaveMore`: fields after the 18th are skipped. Throws `BadLine` with the field.
 */
export function parseRow(bytes: Uint8Array, from: number, to: number, row: Float64Array, mayHaveMore = false): void {
  if (parsePlain(bytes, from, row) !== to) parseOdd(asText(bytes, from, to), row, mayHaveMore)
}

/**
 * The fast way to read a line, about 200 ns: it accepts blanks, -1, digits, and digits with a fraction in fields that allow one. Returns the end of
 * the line (position of its LF or CR LF); -1 for anything else, also if the bytes end without a line end. The byte after the line stops every loop,
 * so the loops do not check positions.
 */
export function parsePlain(bytes: Uint8Array, from: number, row: Float64Array): number {
  let at = from
  let byte = bytes[at]!
  for (let field = 0; field < 18; field++) {
    while (byte === 32) byte = bytes[++at]!
    if (byte === 45 && bytes[at + 1] === 49 && bytes[at + 2]! <= 32) { // -1
      row[field] = -1
      byte = bytes[(at += 2)]!
      continue
    }
    const first = at
    let value = 0
    let digit = byte - 48
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digit = bytes[++at]! - 48
    }
    if (digit === -2 && !wholeFields[field]) { // decimal point
      const point = at
      digit = bytes[++at]! - 48
      while (digit >= 0 && digit <= 9) {
        value = value * 10 + digit
        digit = bytes[++at]! - 48
      }
      if (at - first === 1) return -1 // no digit on either side
      value /= powersOfTen[at - point - 1]! // a whole number divided by a power of ten, both exact, so rounding happens once, as in `Number`
    }
    byte = digit + 48
    if (at === first || at - first > 15 || (byte > 13 && byte !== 32)) return -1 // 16 digits may exceed 2^53 - 1
    row[field] = value
  }
  while (byte === 32) byte = bytes[++at]!
  return byte === 10 || (byte === 13 && bytes[at + 1] === 10) ? at : -1
}

const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

function parseOdd(line: string, row: Float64Array, mayHaveMore: boolean): void {
  const fields = line.trim().split(/[ \t]+/)
  if (fields.length < row.length || (fields.length > row.length && !mayHaveMore))
    throw new BadLine(undefined, `found ${fields.length} field${fields.length === 1 ? '' : 's'}, expected 18 (${fieldNames[0]}, ${fieldNames[1]}, ..., ${fieldNames[17]}).`,
      fields.length > row.length ? 'Correct the line, pass over what a simulator wrote after the 18 with the option moreFields=ignore' : '')
  for (const i of row.keys()) row[i] = numberOf(fields[i]!, i)
}

function numberOf(text: string, field: number): number {
  const value = Number(text)
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
  const isBeyond = Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (isNumber && isBeyond && unknownBeyond[field]) return -1
  const fact = !isNumber ? 'expected a number.'
    : isBeyond ? 'more than 2^53 - 1, above which numbers are not exact.'
    : wholeFields[field] && !Number.isInteger(value) ? 'expected a whole number.' : undefined
  if (fact === undefined) return value
  throw new BadLine(fieldNames[field], `found ${JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 37)}...`)}, ${fact}`)
}

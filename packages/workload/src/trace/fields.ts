import { BadLine } from './format.js'

/* Reads fields from bytes; numbers are read without making strings, so that a row of a few columns takes about 100 ns. */

/**
 * Writes the end of each field (exclusive) to `ends` and returns the number of fields. Fields that do not fit in `ends` are counted but not written.
 */
export function splitFields(bytes: Uint8Array, from: number, to: number, separator: number, ends: Int32Array): number {
  let fields = 0
  for (let i = from; i < to; i++) if (bytes[i] === separator) ends[fields++] = i
  ends[fields++] = to
  return fields
}

/** The value of plain decimal digits, at most 2^53 - 1; -1 for anything else. */
export function wholeNumber(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return -1
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = bytes[i]! - 48
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1
}

/** The value of digits with an optional fraction, at most 2^53 - 1; -1 for anything else. */
export function plainNumber(bytes: Uint8Array, from: number, to: number): number {
  const whole = wholeNumber(bytes, from, to)
  if (whole !== -1) return whole
  const text = asText(bytes, from, to)
  if (!/^\d+\.\d+$/.test(text)) return -1
  const value = Number(text)
  return value <= Number.MAX_SAFE_INTEGER ? value : -1
}

/** Why `plainNumber` or `wholeNumber` refused a field, as a sentence: what was found and what was expected. */
export function numberFact(bytes: Uint8Array, from: number, to: number, whole: boolean): string {
  const text = asText(bytes, from, to)
  const found = text.length <= 40 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 37))}...`
  const value = Number(text)
  if (text.trim() === '') return `found ${found}, expected a number.`
  if (value < 0) return `found ${found}, expected no negative number.`
  if (value > Number.MAX_SAFE_INTEGER) return `found ${found}, more than 2^53 - 1, above which numbers are not exact.`
  return `found ${found}, expected ${whole && value >= 0 ? 'a whole number in plain digits' : 'a number in plain digits'}.`
}

const utf8 = new TextDecoder('utf-8')
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** A field that is a name. Throws `BadLine` if it is empty or not UTF-8. */
export function textField(bytes: Uint8Array, from: number, to: number, field: string): string {
  if (from === to) throw new BadLine(field, 'is empty.')
  const text = ascii(bytes, from, to)
  if (text !== undefined) return text
  try {
    return strictUtf8.decode(bytes.subarray(from, to))
  } catch {
    throw new BadLine(field, 'is not UTF-8.', 'Save the file as UTF-8')
  }
}

/** The text of a line. Throws `BadLine` if it is not UTF-8. */
export function lineText(bytes: Uint8Array, from: number, to: number): string {
  try {
    return ascii(bytes, from, to) ?? strictUtf8.decode(bytes.subarray(from, to))
  } catch {
    throw new BadLine(undefined, 'is not UTF-8.', 'Save the file as UTF-8')
  }
}

/** Bytes as text; bytes that are not UTF-8 become replacement characters. */
export function asText(bytes: Uint8Array, from: number, to: number): string {
  return ascii(bytes, from, to) ?? utf8.decode(bytes.subarray(from, to))
}

/** ASCII text of up to 24 bytes, without the cost of a decoder; `undefined` for anything else. */
function ascii(bytes: Uint8Array, from: number, to: number): string | undefined {
  if (to - from > 24) return undefined
  let text = ''
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    if (byte > 127) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}

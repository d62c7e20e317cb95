import { isTimeZone } from '@sched/core'
import type { HeaderFields, TraceFacts } from '../trace/facts.js'
import { asText } from '../trace/fields.js'

const [semicolon, hash] = [59, 35] as const

/**
 * Whether a line is a comment or blank. A comment begins with a semicolon, or # as some tools write; blanks before it do not matter. A line with only
 * the end-of-file mark of DOS is blank.
 */
export function isComment(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at < to && bytes[at]! <= 32) at++
  return at === to || bytes[at] === semicolon || bytes[at] === hash
}

/** Whether a line names the fields of the lines below, as some tools write it: the third one is the wait. */
export function namesFields(line: string): boolean {
  const words = line.trim().split(/[ \t]+/)
  return words.length >= 15 && /wait/i.test(words[2]!) && words.every((word) => /^"?[a-z][\w.#-]*"?$/i.test(word))
}

/**
 * The header comments of a log, `; Name: value`, in order. A comment without a name continues the value above it: `Note:` and `Information:` often
 * have several lines. A number that stands alone behind the name of a field with one, `; MaxProcs 128`, is taken for its value.
 */
export class SwfHeader {
  readonly fields: [name: string, value: string][] = []

  add(bytes: Uint8Array, from: number, to: number): void {
    const text = asText(bytes, from, to).replace(/^\s*[;#]+/, '').trimEnd()
    const named = /^\s*([A-Z][A-Za-z]*|maxprocs|maxnodes) *:(?:\s+(.*)|(\d.*))?$/.exec(text) ?? /^\s*(Max(?:Procs|Nodes|Jobs|Records)|UnixStartTime)(?:\s*=\s*|\s+)(\d+)$/i.exec(text)
    const last = this.fields.at(-1)
    if (named !== null) this.fields.push([named[1]!, named[2] ?? named[3] ?? ''])
    else if (last !== undefined && text.trim() !== '') last[1] += `\n${text.trim()}`
  }

  /** The first value of a field; `undefined` if absent. */
  text(name: string): string | undefined {
    return fieldText(this.fields, name)
  }

  /** The number at the start of a field's first value: see `fieldNumber`. */
  number(name: string): number | undefined {
    return fieldNumber(this.fields, name)
  }
}

function fieldText(fields: HeaderFields, name: string): string | undefined {
  return fieldTexts(fields, name)[0]
}

/** All values of a field, in order. */
export function fieldTexts(fields: HeaderFields, name: string): string[] {
  return fields.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, text]) => text)
}

/**
 * The number at the start of a field's first value: 338 for `338 (batch partition; 512 total)`. `undefined` for other text, and for `1,024`,
 * `128+64`, `2 x 64` or `1e3`.
 */
export function fieldNumber(fields: HeaderFields, name: string): number | undefined {
  const digits = /^-?\d+(\.\d+)?(?!\d|,\d|\s*\+|\s*[x*]\s*\d|e[+-]?\d)/i.exec(fieldText(fields, name) ?? '')
  return digits === null ? undefined : Number(digits[0])
}

/** The header at the start of a file's content. */
export function headerOf(head: Uint8Array): SwfHeader {
  const header = new SwfHeader()
  for (let from = head[0] === 0xef ? 3 : 0; from < head.length; ) { // skips a byte order mark
    const end = head.indexOf(10, from)
    const to = end === -1 ? head.length : end
    if (!isComment(head, from, to) && head.subarray(from, to).some((byte) => byte > 32 && byte < 127)) break
    if (end !== -1) header.add(head, from, to) // a line that is cut off is ignored
    from = to + 1
  }
  return header
}

/** What time 0 of the log is, if its header says so, and the time zone that it names. A start of 0 means unknown in some logs. */
export function startOf(header: HeaderFields): Pick<TraceFacts, 'start' | 'timeZone'> {
  const start = fieldNumber(header, 'UnixStartTime')
  if (start === undefined || start <= 0) return {}
  const timeZone = fieldText(header, 'TimeZoneString')?.trim() ?? ''
  return { start, ...(isTimeZone(timeZone) && { timeZone }) }
}

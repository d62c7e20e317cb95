/** What went wrong, as a stable code for programs; the message is for people. */
export type ErrorCode =
  /** What a file or a description says cannot be used. */
  | 'BAD_INPUT'
  /** An option of a part, of a command or of a call is none, or not possible there. */
  | 'BAD_OPTION'
  /** Nothing is called so. */
  | 'UNKNOWN_NAME'
  /** Something else is called so. */
  | 'TAKEN_NAME'
  /** A plug-in, or a caller of the library, has done what the interface forbids. */
  | 'BROKEN_CONTRACT'
  /** A round was used after it had been closed. */
  | 'ROUND_CLOSED'
  /** A job asks for more than there can ever be, or waits for ever. */
  | 'INFEASIBLE'
  /** A count or an amount is not what it must be: a fault of this program. */
  | 'INVARIANT'
  /** The system cannot read or write a file. */
  | 'IO'

/** Where a fact was found: file, 1-based line and column, or row of a table that has no lines, field or option path. */
export interface Place {
  /** Name of the file. */
  readonly file?: string | undefined
  /** Line of the file, 1-based. */
  readonly line?: number | undefined
  /** Row of a table that has no lines, 1-based. */
  readonly row?: number | undefined
  /** Column of the line, 1-based. */
  readonly column?: number | undefined
  /** Path of a field or an option. */
  readonly field?: string | undefined
}

/**
 * A broken contract or bad input: the fact, the place and the way out in one message.
 *
 * `Trace "a.swf" line 120: run time -1. Use { onUnknown: 'skip' } to drop such jobs.`
 */
export class SchedError extends Error {
  /** Tells such errors apart, also those of another copy of this package. */
  override readonly name = 'SchedError'
  /** Which kind of error it is, for programs. */
  readonly code: ErrorCode
  /** Where the fact was found; empty where there is no place. */
  readonly place: Place
  /** What is so, a sentence that goes on after the place. */
  readonly fact: string
  /** What to do about it; empty where nobody can say. */
  readonly wayOut: string

  constructor(code: ErrorCode, fact: string, place: Place = {}, wayOut = '') {
    super(`${describePlace(place)}${legible(wayOut === '' ? fact : `${sentence(fact)} ${wayOut}`)}`)
    this.code = code
    this.place = place
    this.fact = fact
    this.wayOut = wayOut
  }

  /** Those of another copy of this package, as plug-ins with dependencies of their own have, are such errors, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'SchedError'
  }

  /** The same error by somebody who knows more of its place, for example the file that an option came from. */
  at(place: Place): SchedError {
    return placed(this, place)
  }
}

/** Outside of the class, whose name the build would change to _SchedError if it named itself: Node prints that of an error that nobody catches. */
const placed = ({ code, fact, place, wayOut }: SchedError, more: Place) => new SchedError(code, fact, { ...place, ...more }, wayOut)

const sentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`)

function describePlace({ file, line, row, column, field }: Place): string {
  const where = line === undefined ? (row === undefined ? '' : `row ${row}`) : `line ${line}${column === undefined ? '' : ` column ${column}`}`
  const parts = [file === undefined ? '' : `"${escaped(file)}"`, where, legible(field ?? '')]
  const text = parts.filter((part) => part !== '').join(' ')
  return text === '' ? '' : `${text}: `
}

const MOST = 10_000
/** What input says may be of any length, and of characters that move the cursor or turn the direction of writing: a message is one line that can be read. */
const legible = (text: string) => escaped(text.length > MOST ? `${text.slice(0, MOST)}...` : text).replace(/\S{400,}/g, (word) => `${word.slice(0, 200)}...`)
const escaped = (text: string) => text.replace(unprinted, (character) => (character < ' ' ? JSON.stringify(character).slice(1, -1) : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`))
// eslint-disable-next-line no-control-regex -- control characters, marks of direction and of byte order, line and paragraph separators
const unprinted = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** The known name closest to a mistyped one (at most a third of its letters wrong, missing, too many or swapped), for "did you mean". */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue // so many letters are missing or too many
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** ` Did you mean "x"? Known: a, b, x.` for the end of a message about an unknown name; each known one once. */
export function suggest(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  const hint = close === undefined ? '' : `Did you mean "${close}"? `
  return `${hint}Known: ${known.length === 0 ? 'none' : [...new Set(known)].join(', ')}.`
}

/** Letters changed, left out, added, or swapped with the next one (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

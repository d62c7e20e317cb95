/** What went wrong, as a stable code for programs; the message is for people. */
export type ErrorCode =
  /** A file or a description holds something that cannot be used. */
  | 'BAD_INPUT'
  /** An option of a part, a command or a call does not exist, or its value is not possible. */
  | 'BAD_OPTION'
  /** Nothing has this name. */
  | 'UNKNOWN_NAME'
  /** Something else has this name already. */
  | 'TAKEN_NAME'
  /** A plug-in, or a caller of the library, did what the interface forbids. */
  | 'BROKEN_CONTRACT'
  /** A round was used after it had been closed. */
  | 'ROUND_CLOSED'
  /** A job asks for more than there can ever be, or waits for ever. */
  | 'INFEASIBLE'
  /** A count or an amount is wrong: a bug in this program. */
  | 'INVARIANT'
  /** The system cannot read or write a file. */
  | 'IO'

/** Where a fact was found: file, line and column (or row, for a table without lines), and path of a field or option. */
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
 * A broken contract or bad input. The message holds the place, the fact and the way out.
 *
 * `Trace "a.swf" line 120: run time -1. Use { onUnknown: 'skip' } to drop such jobs.`
 */
export class SchedError extends Error {
  /** Identifies these errors, also those of another copy of this package. */
  override readonly name = 'SchedError'
  /** Kind of error, for programs. */
  readonly code: ErrorCode
  /** Where the fact was found; empty where there is no place. */
  readonly place: Place
  /** What is wrong, as a sentence that follows the place. */
  readonly fact: string
  /** What to do about it; empty where there is no advice. */
  readonly wayOut: string

  constructor(code: ErrorCode, fact: string, place: Place = {}, wayOut = '') {
    super(`${describePlace(place)}${legible(wayOut === '' ? fact : `${sentence(fact)} ${wayOut}`)}`)
    this.code = code
    this.place = place
    this.fact = fact
    this.wayOut = wayOut
  }

  /** Errors of another copy of this package count, too: a plug-in with its own dependencies throws such. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'SchedError'
  }

  /** The same error with more of its place filled in, for example the file that an option came from. */
  at(place: Place): SchedError {
    return placed(this, place)
  }
}

/**
 * Outside the class, because the build would rename a class that refers to itself to _SchedError, and Node prints that name for an uncaught error.
 */
const placed = ({ code, fact, place, wayOut }: SchedError, more: Place) => new SchedError(code, fact, { ...place, ...more }, wayOut)

const sentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`)

function describePlace({ file, line, row, column, field }: Place): string {
  const where = line === undefined ? (row === undefined ? '' : `row ${row}`) : `line ${line}${column === undefined ? '' : ` column ${column}`}`
  const parts = [file === undefined ? '' : `"${escaped(file)}"`, where, legible(field ?? '')]
  const text = parts.filter((part) => part !== '').join(' ')
  return text === '' ? '' : `${text}: `
}

const MOST = 10_000
/**
 * Makes text from input safe to print: a message is one readable line. Input may be of any length, and may hold characters that move the cursor or
 * change the direction of writing.
 */
const legible = (text: string) => escaped(text.length > MOST ? `${text.slice(0, MOST)}...` : text).replace(/\S{400,}/g, (word) => `${word.slice(0, 200)}...`)
const escaped = (text: string) => text.replace(unprinted, (character) => (character < ' ' ? JSON.stringify(character).slice(1, -1) : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`))
// eslint-disable-next-line no-control-regex -- control characters, marks of direction and of byte order, line and paragraph separators
const unprinted = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * The known name closest to a mistyped one, for "did you mean"; `undefined` if more than a third of its letters (at least one) are wrong, missing,
 * surplus or swapped.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue // the lengths differ by too much
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** ` Did you mean "x"? Known: a, b, x.` for the end of a message about an unknown name; each known name is listed once. */
export function suggest(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  const hint = close === undefined ? '' : `Did you mean "${close}"? `
  return `${hint}Known: ${known.length === 0 ? 'none' : [...new Set(known)].join(', ')}.`
}

/** What to write in place of a word where a message has listed the known ones: the nearest, or one of them. */
export function adviseWord(found: unknown, known: readonly string[]): string {
  const close = typeof found === 'string' ? nearest(found, known) : undefined
  return close === undefined ? 'Write one of these.' : `Did you mean "${close}"?`
}

/** Number of letters changed, left out, added, or swapped with the next one (optimal string alignment). */
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

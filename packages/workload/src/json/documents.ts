import { asText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** A JSON object in a file, with the line on which it begins. */
export interface Found {
  readonly value: unknown
  readonly line: number
}

const quote = 34
const backslash = 92

/**
 * Finds JSON objects in lines: alone, one after another with or without separators, as elements of a list, or as elements of a list inside another
 * object. `list` is the key of that list and `deep` its nesting depth: 1 if it is directly in the outer object. Objects are cut out by counting
 * braces, so that memory holds one object and not the file.
 */
export class Documents {
  #depth = 0
  /** Nesting depth between objects: 0, or `deep` + 1 inside the list of an outer object. */
  #floor = 0
  /** Whether the position is in the outer object, behind the list. */
  #isRest = false
  #outer = 0
  #isText = false
  #isEscaped = false
  #textFrom = 0
  /** Whether the latest string was the key of the list. */
  #isKey = false
  /** Earlier lines of an object that began on one of them. */
  #parts: Uint8Array[] = []
  #begin = 0
  #file: string | undefined
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(
    private readonly place: LinePlace,
    private readonly list?: string,
    private readonly deep = 1,
  ) {}

  /** Reads a line and calls `visit` for each object that ends on it. Throws the first `BadLine` after the whole line has been read. */
  line(bytes: Uint8Array, from: number, to: number, visit: (found: Found) => void): void {
    let bad: unknown = this.place.file === this.#file ? undefined : this.#startFile()
    let start = from
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number
      if (this.#isText) this.#inText(bytes, at)
      else if (this.#depth === this.#floor) {
        if (byte === 123) {
          this.#depth++
          this.#begin = this.place.line
          start = at
        } else if (byte === 93 && this.#floor > 0) this.#leaveList()
        else if (!isBetween(byte)) bad ??= strange(bytes, at, to)
      } else if (byte === quote) {
        this.#isText = true
        this.#textFrom = at + 1
      } else if (byte === 91 && this.#isKey && this.#depth === this.deep && !this.#isRest) this.#enterList()
      else if (byte === 123 || byte === 91) this.#depth++
      else if ((byte === 125 || byte === 93) && --this.#depth === this.#floor) {
        try {
          if (!this.#isRest) visit({ value: this.#parse(bytes.slice(start, at + 1)), line: this.#begin })
        } catch (error) {
          bad ??= error
        }
        this.#isRest = false
      }
    }
    if (this.#depth > this.#floor && !this.#isRest) this.#parts.push(bytes.slice(start, to), LINE_END)
    if (bad !== undefined) throw bad as BadLine
  }

  /** Called after the last line. Throws `BadLine` if an object has no end. */
  end(): void {
    const cut = this.#cut()
    if (cut !== undefined) throw cut
  }

  #cut(of = ''): BadLine | undefined {
    if (this.#depth === 0) return undefined
    const begin = this.#depth > this.#floor && !this.#isRest ? this.#begin : this.#outer
    return new BadLine(undefined, `the object that begins on line ${begin}${of} has no end.`, 'Was the file cut short? Copy it again')
  }

  /** Begins another file. An object that the file before has left open is dropped, and returned as an error. */
  #startFile(): BadLine | undefined {
    const cut = this.#cut(` of ${JSON.stringify(this.#file)}`)
    this.#file = this.place.file
    this.#depth = this.#floor = 0
    this.#isText = this.#isEscaped = this.#isKey = this.#isRest = false
    this.#parts = []
    return cut
  }

  #inText(bytes: Uint8Array, at: number): void {
    const byte = bytes[at]
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      this.#isText = false
      if (this.#depth === this.deep && this.list !== undefined) this.#isKey = asText(bytes, this.#textFrom, at) === this.list
    }
  }

  /** Enters the list: the object that was read so far is the outer one, and is not needed. */
  #enterList(): void {
    this.#floor = this.#depth = this.deep + 1
    this.#outer = this.#begin
    this.#parts = []
  }

  #leaveList(): void {
    this.#floor = 0
    this.#depth = this.deep
    this.#isRest = true
  }

  /** Parses an object, from its earlier lines and the last part. Throws `BadLine`. */
  #parse(last: Uint8Array): unknown {
    const parts = [...this.#parts.splice(0), last]
    const where = this.#begin === this.place.line ? '' : `the object that begins on line ${this.#begin} `
    let text: string
    try {
      text = this.#utf8.decode(parts.length === 1 ? parts[0] : joined(parts))
    } catch {
      throw new BadLine(undefined, `${where}is not UTF-8.`, 'Save the file as UTF-8')
    }
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new BadLine(undefined, `${where}is not JSON${mistakeIn(text, this.#begin, error)}.`)
    }
  }
}

/** An error in an object; if the object begins on another line than the one being read, the message names that line. */
export function inObject(error: unknown, begin: number, place: LinePlace): unknown {
  if (!(error instanceof BadLine) || begin === place.line) return error
  return new BadLine(error.field, `in the object that begins on line ${begin}: ${error.fact}`, error.wayOut)
}

function strange(bytes: Uint8Array, at: number, to: number): BadLine {
  const found = new TextDecoder().decode(bytes.subarray(at, Math.min(to, at + 20)))
  return new BadLine(undefined, `found ${JSON.stringify(found)} between two objects.`)
}

const LINE_END = Uint8Array.of(10)
/** Whether a byte is a blank, or separates the elements of a list. */
const isBetween = (byte: number) => byte === 32 || byte === 9 || byte === 13 || byte === 44 || byte === 91 || byte === 93

/** Where the JSON parser stopped, if its message tells. */
function mistakeIn(text: string, begin: number, error: unknown): string {
  const at = /at position (\d+)/.exec(String(error))?.[1]
  if (at === undefined) return ''
  const before = text.slice(0, Number(at))
  const found = JSON.stringify(text.slice(Number(at), Number(at) + 12))
  return `: found ${found} on line ${begin + before.split('\n').length - 1}`
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

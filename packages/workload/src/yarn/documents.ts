import { asText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** A JSON object that stands in a file, with the line on which it begins. */
export interface Found {
  readonly value: unknown
  readonly line: number
}

const quote = 34
const backslash = 92

/**
 * JSON objects one after another, with or without anything between them, alone, as the elements of one list, or of the list
 * that an object around them has under the key `list`: cut by counting braces, so that memory holds one object and not the file.
 */
export class Documents {
  #depth = 0
  /** Nesting between objects: 0, or 2 in the list of an object around them. */
  #floor = 0
  /** Behind that list, in the object around it. */
  #isRest = false
  #outer = 0
  #isText = false
  #isEscaped = false
  #textFrom = 0
  /** The latest text was the key of the list. */
  #isKey = false
  /** Objects that began on an earlier line. */
  #parts: Uint8Array[] = []
  #begin = 0
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })

  constructor(
    private readonly place: LinePlace,
    private readonly list?: string,
  ) {}

  /** Calls `visit` for each object that ends on the line. Throws the first `BadLine` when all of the line has been read. */
  line(bytes: Uint8Array, from: number, to: number, visit: (found: Found) => void): void {
    let bad: unknown
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
      } else if (byte === 91 && this.#isKey && this.#depth === 1 && !this.#isRest) this.#enterList()
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

  /** Throws `BadLine` where the last object has no end. */
  end(): void {
    if (this.#depth === 0) return
    const begin = this.#depth > this.#floor && !this.#isRest ? this.#begin : this.#outer
    throw new BadLine(undefined, `the object that begins on line ${begin} has no end.`, 'Was the file cut short? Copy it again')
  }

  #inText(bytes: Uint8Array, at: number): void {
    const byte = bytes[at]
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      this.#isText = false
      if (this.#depth === 1 && this.list !== undefined) this.#isKey = asText(bytes, this.#textFrom, at) === this.list
    }
  }

  /** What was read of the object so far is around those that are asked for. */
  #enterList(): void {
    this.#floor = this.#depth = 2
    this.#outer = this.#begin
    this.#parts = []
  }

  #leaveList(): void {
    this.#floor = 0
    this.#depth = 1
    this.#isRest = true
  }

  /** Throws `BadLine`. */
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

/** What is wrong with an object, told with the line on which it begins where that is another one. */
export function inObject(error: unknown, begin: number, place: LinePlace): unknown {
  if (!(error instanceof BadLine) || begin === place.line) return error
  return new BadLine(error.field, `in the object that begins on line ${begin}: ${error.fact}`, error.wayOut)
}

function strange(bytes: Uint8Array, at: number, to: number): BadLine {
  const found = new TextDecoder().decode(bytes.subarray(at, Math.min(to, at + 20)))
  return new BadLine(undefined, `found ${JSON.stringify(found)} between two objects.`)
}

const LINE_END = Uint8Array.of(10)
/** Blanks, and what separates the elements of a list. */
const isBetween = (byte: number) => byte === 32 || byte === 9 || byte === 13 || byte === 44 || byte === 91 || byte === 93

/** Where the parser stopped, as far as its message says. */
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

/** A field of an object in a file, checked. Throws `BadLine` with the field. */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>

  constructor(
    value: unknown,
    private readonly path = '',
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadLine(path === '' ? undefined : path.slice(0, -1), `found ${shown(value)}, expected an object.`)
    this.#object = value as Readonly<Record<string, unknown>>
  }

  get isEmpty(): boolean {
    return Object.keys(this.#object).length === 0
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key) && this.#object[key] !== null && this.#object[key] !== undefined
  }

  /** What a field holds, unchecked. */
  value(key: string): unknown {
    return this.has(key) ? this.#object[key] : undefined
  }

  /** Text, also a number as text; `undefined` where it is absent or empty. */
  text(key: string): string | undefined {
    if (!this.has(key)) return undefined
    const value = this.#object[key]
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') throw new BadLine(this.path + key, `found ${shown(value)}, expected text.`)
    return value === '' ? undefined : value
  }

  /** A number of at least `least`, also written as text; `undefined` where it is absent. */
  number(key: string, least = 0): number | undefined {
    if (!this.has(key)) return undefined
    const given = this.#object[key]
    const value = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given
    if (typeof value === 'number' && value >= least && value <= Number.MAX_SAFE_INTEGER) return value
    const range = typeof value === 'number' && value > Number.MAX_SAFE_INTEGER ? `at most ${Number.MAX_SAFE_INTEGER}` : `a number of at least ${least}`
    throw new BadLine(this.path + key, `found ${shown(given)}, expected ${range}.`)
  }

  whole(key: string, least = 0): number | undefined {
    const value = this.number(key, least)
    if (value === undefined || Number.isInteger(value)) return value
    throw new BadLine(this.path + key, `found ${value}, expected a whole number.`)
  }

  /** The elements of a list of objects; none where it is absent. */
  list(key: string): Fields[] {
    if (!this.has(key)) return []
    const value = this.#object[key]
    if (!Array.isArray(value)) throw new BadLine(this.path + key, `found ${shown(value)}, expected a list.`)
    return value.map((each, i) => new Fields(each, `${this.path}${key}[${i}].`))
  }

  /** An object inside; `undefined` where it is absent. */
  object(key: string): Fields | undefined {
    return this.has(key) ? new Fields(this.#object[key], `${this.path}${key}.`) : undefined
  }

  /** The elements of a list of texts or numbers. */
  texts(key: string): string[] {
    return Array.from({ length: this.size(key) }, (_, i) => {
      const element = new Fields({ [i]: (this.#object[key] as unknown[])[i] }, `${this.path}${key}.`).text(String(i))
      if (element === undefined) throw this.bad(key, `element ${i} is empty.`)
      return element
    })
  }

  /** A number, or the largest of a list of numbers; 0 where it is absent. */
  most(key: string): number {
    if (!Array.isArray(this.#object[key])) return this.number(key) ?? 0
    const list = this.#object[key] as unknown[]
    return list.reduce<number>((most, _, i) => Math.max(most, new Fields({ [i]: list[i] }, `${this.path}${key}.`).number(String(i)) ?? 0), 0)
  }

  /** Whole numbers above 0 under keys that start with a prefix, by the rest of the key; `except` are something else. */
  amounts(prefix: string, except: ReadonlySet<string>): Record<string, number> {
    const amounts: Record<string, number> = {}
    for (const key of Object.keys(this.#object)) {
      const name = key.slice(prefix.length)
      if (!key.startsWith(prefix) || except.has(name)) continue
      const amount = this.whole(key) ?? 0
      if (amount > 0) amounts[name] = amount
    }
    return amounts
  }

  /** The number of elements of a list; 0 where it is absent. */
  size(key: string): number {
    const value = this.#object[key] ?? []
    if (Array.isArray(value)) return value.length
    throw new BadLine(this.path + key, `found ${shown(value)}, expected a list.`)
  }

  bad(key: string, fact: string, wayOut = ''): BadLine {
    return new BadLine(this.path + key, fact, wayOut)
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`
}

import { BadLine } from '../trace/format.js'

const QUOTE = '"'

/** The fields of a record of LSF, separated by blanks: numbers, and text in quotes, in which quotes are doubled. */
export class LsfFields {
  readonly #raw: string[] = []

  /** Reads the fields of a record. Throws `BadLine` for a quote that is not closed, or not followed by a blank. */
  read(text: string): void {
    const raw = this.#raw
    raw.length = 0
    for (let from = 0; from < text.length; ) {
      if (text[from] === ' ') {
        from++
        continue
      }
      const to = text[from] === QUOTE ? endOfText(text, from) : endOfNumber(text, from)
      if (to === -1) throw new BadLine(undefined, 'ends within a text in quotes.', 'Was the file cut short? Copy it again')
      if (to < text.length && text[to] !== ' ') throw new BadLine(undefined, `field ${raw.length + 1} continues after its closing quote.`)
      raw.push(text.slice(from, to))
      from = to
    }
  }

  get length(): number {
    return this.#raw.length
  }

  /** Whether the field exists and is in quotes. */
  isText(at: number): boolean {
    return this.#raw[at]?.startsWith(QUOTE) === true
  }

  /** The field as text; '' if absent. */
  text(at: number): string {
    const raw = this.#raw[at] ?? ''
    return raw.startsWith(QUOTE) ? raw.slice(1, -1).replaceAll('""', QUOTE) : raw
  }

  /** The field as a number; NaN if absent. Throws `BadLine`. */
  number(at: number, name: string): number {
    const raw = this.#raw[at]
    if (raw === undefined) return NaN
    if (!/^-?\d{1,15}(\.\d+)?$/.test(raw)) throw new BadLine(name, `found ${raw.slice(0, 40)}, expected a number.`, 'Was the file cut short? Copy it again')
    return Number(raw)
  }

  /** The field as a whole number of at least 0. Throws `BadLine`, also if it is absent. */
  whole(at: number, name: string): number {
    const value = this.number(at, name)
    if (Number.isNaN(value)) throw new BadLine(name, `is missing: the record has ${this.#raw.length} fields.`, 'Was the file cut short? Copy it again')
    if (!Number.isSafeInteger(value) || value < 0) throw new BadLine(name, `found ${this.#raw[at]}, expected a whole number of at least 0.`)
    return value
  }
}

function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf(QUOTE, at)
    if (at === -1 || text[at + 1] !== QUOTE) return at === -1 ? -1 : at + 1
  }
}

function endOfNumber(text: string, from: number): number {
  const blank = text.indexOf(' ', from)
  return blank === -1 ? text.length : blank
}

import { asText, lineText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** What a line says: the name of an attribute in small letters, and its expression. */
const ATTRIBUTE = /^\s*([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/
/** What stands between ads: the end of one in a history file, and what `condor_q` prints above those of a queue. */
const BETWEEN = /^\s*(\*\*\*|-- )/
const EQUALS = 61

/**
 * ClassAds in the old syntax, an attribute a line (`RequestCpus = 4`): each ends with a blank line, as `condor_history -long` prints it, with a line
 * `*** Offset = ...`, as in the history file, or with the file. Of its attributes those of `names` (small letters) are kept, the last of a name.
 *
 * Source: HTCondor manual, condor_history, ClassAd mechanism.
 */
export class Ads {
  #ad = new Map<string, string>()
  #begin = 0
  #isOpen = false
  #file: string | undefined
  #line = 0

  constructor(
    private readonly place: LinePlace,
    private readonly names: ReadonlySet<string>,
  ) {}

  /** Calls `visit` for an ad that has ended, with the line on which it begins. Throws `BadLine`, also what `visit` throws. */
  line(bytes: Uint8Array, from: number, to: number, visit: (ad: Ad, begin: number) => void): void {
    const bad = this.#follows() ? undefined : this.#ended(visit)
    this.#file = this.place.file
    this.#line = this.place.line
    this.#read(bytes, from, to, visit)
    if (bad !== undefined) throw bad as Error
  }

  /** Whether the line before is the one above in the file: blank ones are told to nobody. */
  #follows(): boolean {
    return this.place.file === this.#file && this.place.line === this.#line + 1
  }

  /** What is wrong with the ad that ends, since the line that is read now is of another one. */
  #ended(visit: (ad: Ad, begin: number) => void): unknown {
    try {
      this.end(visit)
      return undefined
    } catch (error) {
      return error
    }
  }

  #read(bytes: Uint8Array, from: number, to: number, visit: (ad: Ad, begin: number) => void): void {
    const equals = bytes.indexOf(EQUALS, from)
    const name = equals === -1 || equals >= to ? '' : asText(bytes, from, equals).trim().toLowerCase()
    if (this.names.has(name)) this.#set(name, lineText(bytes, from, to))
    else if (!/^[a-z_][\w.]*$/.test(name)) this.#other(asText(bytes, from, Math.min(to, from + 80)), visit)
    else this.#open()
  }

  /** After the last line. */
  end(visit: (ad: Ad, begin: number) => void): void {
    if (!this.#isOpen) return
    const ad = new Ad(this.#ad)
    this.#ad = new Map()
    this.#isOpen = false
    visit(ad, this.#begin)
  }

  #open(): void {
    if (!this.#isOpen) this.#begin = this.place.line
    this.#isOpen = true
  }

  #set(name: string, line: string): void {
    this.#open()
    this.#ad.set(name, ATTRIBUTE.exec(line)?.[2] ?? '')
  }

  #other(text: string, visit: (ad: Ad, begin: number) => void): void {
    if (text.trim() !== '' && !BETWEEN.test(text))
      throw new BadLine(undefined, `found ${JSON.stringify(text.slice(0, 40))}, expected an attribute: ClusterId = 1234.`, 'Print whole ads, with `condor_history -long`')
    this.end(visit)
  }
}

/** The attributes of one job, as expressions, by their names in small letters. */
export class Ad {
  constructor(private readonly attributes: ReadonlyMap<string, string>) {}

  /** As `-json` prints one: an object in which expressions are texts, `/Expr(RequestCpus * 2)/`. Throws `BadLine` for anything else. */
  static ofJson(value: unknown): Ad {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadLine(undefined, 'found no object, expected an ad.', 'Print whole ads, with `condor_history -json`')
    return new Ad(new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), /^\\?\/Expr\(/.test(String(each)) ? '' : JSON.stringify(each)])))
  }

  /** A number of at least `least`; NaN where there is none, or an expression that only a machine makes one. Throws `BadLine` for text or a smaller number. */
  number(name: string, least = 0): number {
    const text = this.attributes.get(name.toLowerCase()) ?? ''
    if (/^-?\d{1,18}(\.\d*)?(e[-+]?\d+)?$/i.test(text)) {
      const value = Number(text)
      if (value >= least && value <= Number.MAX_SAFE_INTEGER) return value
    } else if (!text.startsWith('"')) return NaN
    throw new BadLine(name, `found ${text.slice(0, 40)}, expected a number of at least ${least}.`)
  }

  /** The first of the attributes that is above 0, -1 if none is. Throws `BadLine` for one that is no whole number. */
  amount(...names: string[]): number {
    for (const name of names) {
      const value = this.number(name)
      if (value > 0 && !Number.isInteger(value)) throw new BadLine(name, `found ${value}, expected a whole number.`)
      if (value > 0) return value
    }
    return -1
  }

  /** '' where it is absent or no text. */
  text(name: string): string {
    const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(this.attributes.get(name.toLowerCase()) ?? '') ?? []
    return quoted?.replace(/\\(.)/g, '$1') ?? ''
  }

  isTrue(name: string): boolean {
    return /^true$/i.test(this.attributes.get(name.toLowerCase()) ?? '')
  }
}

import { asText, lineText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'

/** A line: the name of an attribute, and its expression. */
const ATTRIBUTE = /^\s*([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/
/** Lines between ads: the end of an ad in a history file, and what `condor_q` prints above the ads of a queue. */
const BETWEEN = /^\s*(\*\*\*|-- )/
const EQUALS = 61

/**
 * Reads ClassAds in the old syntax, one attribute per line (`RequestCpus = 4`). An ad ends with an empty line, as `condor_history -long` prints it,
 * with a line `*** Offset = ...`, as in the history file, or with the file. Only the attributes in `names` (lower case) are kept; if a name occurs
 * twice, the last counts.
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

  /**
   * Reads a line, and calls `visit` for an ad that has ended, with the line on which the ad begins. Throws `BadLine`, including what `visit` throws.
   */
  line(bytes: Uint8Array, from: number, to: number, visit: (ad: Ad, begin: number) => void): void {
    const bad = this.#follows() ? undefined : this.#ended(visit)
    this.#file = this.place.file
    this.#line = this.place.line
    this.#read(bytes, from, to, visit)
    if (bad !== undefined) throw bad as Error
  }

  /** Whether this line directly follows the line read last. Empty lines are not passed to this reader, so a gap means that an ad has ended. */
  #follows(): boolean {
    return this.place.file === this.#file && this.place.line === this.#line + 1
  }

  /** Ends an ad and returns the error about it, if any, so that the line read now, which belongs to another ad, is read first. */
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

  /** Ends the ad, if one is open. Called after the last line, too. */
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

/** The attributes of one job, as expressions, by their names in lower case. */
export class Ad {
  constructor(private readonly attributes: ReadonlyMap<string, string>) {}

  /** An ad from JSON (`-json`): an object in which expressions are strings such as `/Expr(RequestCpus * 2)/`. Throws `BadLine` for anything else. */
  static ofJson(value: unknown): Ad {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadLine(undefined, 'found no object, expected an ad.', 'Print whole ads, with `condor_history -json`')
    return new Ad(new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), /^\\?\/Expr\(/.test(String(each)) ? '' : JSON.stringify(each)])))
  }

  /**
   * A number of at least `least`; NaN if it is absent or an expression that only a machine can evaluate. Throws `BadLine` for text or a smaller
   * number.
   */
  number(name: string, least = 0): number {
    const text = this.attributes.get(name.toLowerCase()) ?? ''
    if (/^-?\d{1,18}(\.\d*)?(e[-+]?\d+)?$/i.test(text)) {
      const value = Number(text)
      if (value >= least && value <= Number.MAX_SAFE_INTEGER) return value
    } else if (!text.startsWith('"')) return NaN
    throw new BadLine(name, `found ${text.slice(0, 40)}, expected a number of at least ${least}.`)
  }

  /** The first of these attributes that is above 0; -1 if none is. Throws `BadLine` if it is not a whole number. */
  amount(...names: string[]): number {
    for (const name of names) {
      const value = this.number(name)
      if (value > 0 && !Number.isInteger(value)) throw new BadLine(name, `found ${value}, expected a whole number.`)
      if (value > 0) return value
    }
    return -1
  }

  /** The same of an amount that may have a fraction, rounded up. */
  roundedUp(...names: string[]): number {
    return Math.ceil(names.map((name) => this.number(name)).find((value) => value > 0) ?? -1)
  }

  /** The text of an attribute; '' if it is absent or not a string. */
  text(name: string): string {
    const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(this.attributes.get(name.toLowerCase()) ?? '') ?? []
    return quoted?.replace(/\\(.)/g, '$1') ?? ''
  }

  isTrue(name: string): boolean {
    return /^true$/i.test(this.attributes.get(name.toLowerCase()) ?? '')
  }
}

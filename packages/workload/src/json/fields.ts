import { BadLine } from '../trace/format.js'

/** The fields of an object in a file; each is checked when it is read. Throws `BadLine` with the field. */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>

  constructor(
    value: unknown,
    private readonly path = '',
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new BadLine(path === '' ? undefined : path.slice(0, -1), `found ${shown(value)}, expected an object.`)
    this.#object = value as Readonly<Record<string, unknown>>
  }

  get isEmpty(): boolean {
    return Object.keys(this.#object).length === 0
  }

  keys(): string[] {
    return Object.keys(this.#object)
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key) && this.#object[key] !== null && this.#object[key] !== undefined
  }

  /** The value of a field, unchecked; `undefined` if absent. */
  value(key: string): unknown {
    return this.has(key) ? this.#object[key] : undefined
  }

  /** Text, or a number as text; `undefined` if absent or empty. */
  text(key: string): string | undefined {
    if (!this.has(key)) return undefined
    const value = this.#object[key]
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') throw new BadLine(this.path + key, `found ${shown(value)}, expected text.`)
    return value === '' ? undefined : value
  }

  /** A number of at least `least`, which may be written as a string; `undefined` if absent. */
  number(key: string, least = 0): number | undefined {
    if (!this.has(key)) return undefined
    const given = this.#object[key]
    const value = typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given
    if (typeof value === 'number' && value >= least && value <= Number.MAX_SAFE_INTEGER) return value
    const range = typeof value === 'number' && value > Number.MAX_SAFE_INTEGER
      ? `at most ${Number.MAX_SAFE_INTEGER}`
      : least === -Infinity
        ? 'a number'
        : `a number of at least ${least}`
    throw new BadLine(this.path + key, `found ${shown(given)}, expected ${range}.`)
  }

  /** A whole number of at least `least`; `undefined` if absent. */
  whole(key: string, least = 0): number | undefined {
    const value = this.number(key, least)
    if (value === undefined || Number.isInteger(value)) return value
    throw new BadLine(this.path + key, `found ${value}, expected a whole number.`)
  }

  /** The elements of a list of objects; none if absent. */
  list(key: string): Fields[] {
    if (!this.has(key)) return []
    const value = this.#object[key]
    if (!Array.isArray(value)) throw new BadLine(this.path + key, `found ${shown(value)}, expected a list.`)
    return value.map((each, i) => new Fields(each, `${this.path}${key}[${i}].`))
  }

  /** A nested object; `undefined` if absent. */
  object(key: string): Fields | undefined {
    return this.has(key) ? new Fields(this.#object[key], `${this.path}${key}.`) : undefined
  }

  /** The elements of a list of strings or numbers. */
  texts(key: string): string[] {
    return Array.from({ length: this.size(key) }, (_, i) => {
      const element = new Fields({ [i]: (this.#object[key] as unknown[])[i] }, `${this.path}${key}.`).text(String(i))
      if (element === undefined) throw this.bad(key, `element ${i} is empty.`)
      return element
    })
  }

  /** A number, or the largest of a list of numbers; 0 if absent. */
  most(key: string): number {
    if (!Array.isArray(this.#object[key])) return this.number(key) ?? 0
    const list = this.#object[key] as unknown[]
    return list.reduce<number>((most, _, i) => Math.max(most, new Fields({ [i]: list[i] }, `${this.path}${key}.`).number(String(i)) ?? 0), 0)
  }

  /** Whole numbers above 0 under keys that start with a prefix, by the rest of the key, except for the keys in `except`. */
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

  /** Number of elements of a list; 0 if absent. */
  size(key: string): number {
    const value = this.#object[key] ?? []
    if (Array.isArray(value)) return value.length
    throw new BadLine(this.path + key, `found ${shown(value)}, expected a list.`)
  }

  /** The error for a field of the object. */
  bad(key: string, fact: string, wayOut = ''): BadLine {
    return new BadLine(this.path + key, fact, wayOut)
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`
}

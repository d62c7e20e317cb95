import { SchedError } from '@sched/core'

/** A schema of Avro in JSON: the name of a type, a list of types for a union, or a type with its parts. */
type Schema = string | readonly Schema[] | {
  readonly type: Schema
  readonly name?: string
  readonly namespace?: string
  readonly fields?: readonly { readonly name: string; readonly type: Schema }[]
  readonly symbols?: readonly string[]
  readonly items?: Schema
  readonly values?: Schema
  readonly size?: number
}

const MAGIC = 'Avro-Binary\n'
const magicBytes = new TextEncoder().encode(MAGIC)

/** Whether a job history of Hadoop is in Avro's binary encoding, by its first characters. */
export const isAvroBinary = (head: string): boolean => head.startsWith(MAGIC)

/**
 * Converts job histories in Avro's binary encoding, one or several after another, to the lines of the text form: `Avro-Json`, the schema, and each
 * event in Avro's JSON encoding, in which a value of a union is under the name of its type. Throws `BAD_INPUT` if they are damaged.
 *
 * Source: Apache Avro 1.11, specification, binary and JSON encoding; Apache Hadoop, `EventWriter`.
 */
export function avroAsJson(bytes: Uint8Array, file?: string): Uint8Array {
  const reader = new BinaryReader(bytes)
  const lines: string[] = []
  let types = new Types('"null"')
  try {
    while (!reader.isEnd) {
      if (reader.isStart) {
        reader.line()
        const schema = reader.line()
        types = new Types(schema)
        lines.push('Avro-Json', schema)
      }
      if (reader.isEnd) break
      const { left } = reader
      lines.push(JSON.stringify(types.read(types.root, reader)))
      if (reader.left === left) throw new RangeError('events without end')
    }
  } catch {
    throw new SchedError('BAD_INPUT', `is a job history of Hadoop that cannot be read beyond event ${Math.max(0, lines.length - 2)}.`, { file }, 'Was it cut short? Copy it again.')
  }
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

class BinaryReader {
  #at = 0
  readonly #utf8 = new TextDecoder()

  constructor(private readonly bytes: Uint8Array) {}

  get isEnd(): boolean {
    return this.left <= 0
  }

  /** Number of bytes that have not been read. */
  get left(): number {
    return this.bytes.length - this.#at
  }

  /** Whether another file begins here. No event begins like this, since its type would be negative. */
  get isStart(): boolean {
    return magicBytes.every((byte, i) => this.bytes[this.#at + i] === byte)
  }

  line(): string {
    const end = this.bytes.indexOf(10, this.#at)
    return this.text((end === -1 ? this.bytes.length : end) - this.#at, 1)
  }

  text(length: number, skip = 0): string {
    const text = this.#utf8.decode(this.take(length))
    this.#at += skip
    return text
  }

  take(length: number): Uint8Array {
    const from = this.#at
    this.#at += length
    if (!(length >= 0) || this.#at > this.bytes.length) throw new RangeError('beyond the end')
    return this.bytes.subarray(from, this.#at)
  }

  /** A whole number; it is not exact above 2^53. */
  whole(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.take(1)[0]!
      value += (byte & 127) * scale
      if (byte < 128) break
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  float(size: 4 | 8): number {
    const view = new DataView(this.take(size).slice().buffer)
    return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true)
  }
}

/** The types of a schema; named types can be looked up by name. */
class Types {
  readonly root: Schema
  readonly #named = new Map<string, Schema>()

  constructor(json: string) {
    this.root = JSON.parse(json) as Schema
    this.#name(this.root, '')
  }

  read(schema: Schema, from: BinaryReader): unknown {
    if (typeof schema === 'string') return this.#plain(schema, from)
    if (Array.isArray(schema)) return this.#oneOf(schema as readonly Schema[], from)
    const { type, fields, symbols, items, values, size } = schema as Exclude<Schema, string | readonly Schema[]>
    if (type === 'record') return Object.fromEntries(fields!.map((field) => [field.name, this.read(field.type, from)]))
    if (type === 'enum') return symbolOf(symbols!, from.whole())
    if (type === 'array') return this.#blocks(from, () => this.read(items!, from))
    if (type === 'map') return Object.fromEntries(this.#blocks(from, () => [from.text(from.whole()), this.read(values!, from)] as const))
    if (type === 'fixed') return from.text(size!)
    return this.read(type, from)
  }

  #plain(type: string, from: BinaryReader): unknown {
    if (type === 'null') return null
    if (type === 'boolean') return from.take(1)[0] === 1
    if (type === 'int' || type === 'long') return from.whole()
    if (type === 'string' || type === 'bytes') return from.text(from.whole())
    if (type === 'float' || type === 'double') return from.float(type === 'float' ? 4 : 8)
    const named = this.#named.get(type)
    if (named === undefined) throw new RangeError(`no type ${type}`)
    return this.read(named, from)
  }

  #oneOf(types: readonly Schema[], from: BinaryReader): unknown {
    const type = types[from.whole()]
    if (type === undefined) throw new RangeError('no such type')
    const value = this.read(type, from)
    return value === null ? null : { [typeof type === 'string' ? type : ((type as { readonly name?: string }).name ?? 'value')]: value }
  }

  /** The elements of an array or a map, which are stored in blocks after their number. A negative number is followed by the size in bytes. */
  #blocks<T>(from: BinaryReader, read: () => T): T[] {
    const all: T[] = []
    for (let count = from.whole(); count !== 0; count = from.whole()) {
      if (count < 0) from.whole()
      if (Math.abs(count) > from.left) throw new RangeError('more elements than bytes')
      for (let i = 0; i < Math.abs(count); i++) all.push(read())
    }
    return all
  }

  #name(schema: Schema, space: string): void {
    if (typeof schema === 'string') return
    if (Array.isArray(schema)) return schema.forEach((each: Schema) => this.#name(each, space))
    const { name, namespace = space, type, fields = [], items, values } = schema as Exclude<Schema, string | readonly Schema[]>
    if (name !== undefined) for (const known of [name, `${namespace}.${name}`]) this.#named.set(known, schema)
    for (const part of [type, ...fields.map((field) => field.type), items, values]) if (part !== undefined) this.#name(part, namespace)
  }
}

function symbolOf(symbols: readonly string[], index: number): string {
  const symbol = symbols[index]
  if (symbol === undefined) throw new RangeError('no such symbol')
  return symbol
}

import type { SchemaElement, SchemaTree } from 'hyparquet'
import { clockText, dateText, momentText } from './time-text.js'

/** A column of plain values, with the conversion of a value to its text in a CSV of the table. */
export interface Column {
  /** Name as in JSON Lines: fields of structs after a dot. */
  readonly name: string
  readonly path: readonly string[]
  /** Text of a value that is not null. */
  readonly text: (value: unknown) => string
}

/** A column that a text table cannot express. */
export interface LeftOut {
  readonly name: string
  readonly what: string
}

type Cell = Column['text']
const plain: Cell = (value) => String(value)

/**
 * The columns of a schema. Columns whose values the decoder would make inexact, or refuse (decimals, intervals), lose their types in the schema here,
 * so that the decoder returns raw values.
 */
export function columnsOf(root: SchemaTree): { readonly columns: Column[]; readonly leftOut: LeftOut[] } {
  const columns: Column[] = []
  const leftOut: LeftOut[] = []
  const visit = ({ element, children, path }: SchemaTree): void => {
    const name = path.join('.')
    const list = relatives.test(name) ? listOf(element, children) : undefined
    const nested = list === undefined ? nestedKind(element) : undefined
    const cell = list ?? (nested === undefined && children.length === 0 ? cellOf(element) : undefined)
    if (nested !== undefined) leftOut.push({ name, what: nested })
    else if (cell !== undefined) columns.push({ name, path, text: cell })
    else if (children.length === 0) leftOut.push({ name, what: 'bytes' })
    else children.forEach(visit)
  }
  root.children.forEach(visit)
  return { columns, leftOut }
}

/** Names of lists that readers know, those of workflows; other lists, for example samples of power, would be large and unused. */
const relatives = /^(parents|children)$/

/** Text of a list of whole numbers or strings as in JSON: `[1,2]`. */
function listOf({ converted_type: converted }: SchemaElement, [repeated, ...others]: readonly SchemaTree[]): Cell | undefined {
  if (converted !== 'LIST' || repeated?.element.repetition_type !== 'REPEATED' || others.length > 0 || repeated.children.length > 1) return undefined
  const { element, children } = repeated.children[0] ?? repeated
  if (children.length > 0 || (element !== repeated.element && element.repetition_type === 'REPEATED')) return undefined
  const text = isText(element) ? (value: unknown) => JSON.stringify(value) : isWhole(element) ? plain : undefined
  return text && ((values) => `[${Array.from(values as Iterable<unknown>, (value) => (value === null || value === undefined ? 'null' : text(value))).join()}]`)
}

const isText = ({ type, converted_type: converted, logical_type: logical }: SchemaElement): boolean => type === 'BYTE_ARRAY' && (converted === 'UTF8' || logical?.type === 'STRING')

const isWhole = ({ type, converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  (type === 'INT32' || type === 'INT64') && (logical === undefined ? converted === undefined || /^U?INT_/.test(converted) : logical.type === 'INTEGER')

function nestedKind({ repetition_type: repetition, converted_type: converted, logical_type: logical }: SchemaElement): string | undefined {
  if (converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.type === 'MAP') return 'a map'
  if (repetition === 'REPEATED' || converted === 'LIST' || logical?.type === 'LIST') return 'a list'
  return logical?.type === 'VARIANT' ? 'of mixed types' : undefined
}

function cellOf(element: SchemaElement): Cell | undefined {
  const { type, converted_type: converted, logical_type: logical } = element
  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') return decimal(element)
  if (logical?.type === 'TIME') return clock(logical.unit)
  if (converted === 'TIME_MILLIS') return clock('MILLIS')
  if (converted === 'TIME_MICROS') return clock('MICROS')
  if (logical?.type === 'TIMESTAMP') return moment(logical.unit)
  if (converted === 'TIMESTAMP_MILLIS') return moment('MILLIS')
  if (converted === 'TIMESTAMP_MICROS') return moment('MICROS')
  if (type === 'INT96') return moment('NANOS')
  if (logical?.type === 'DATE' || converted === 'DATE') return (value) => dateText(Number(value))
  if (converted === 'INTERVAL') return interval(element)
  if (logical?.type === 'GEOMETRY' || logical?.type === 'GEOGRAPHY' || converted === 'BSON') return undefined
  if (type === 'FIXED_LEN_BYTE_ARRAY') return logical?.type === 'UUID' || logical?.type === 'FLOAT16' ? plain : undefined
  return type === 'FLOAT' ? float : plain
}

const asItIs = <T>(value: T): T => value
/** Conversions by the decoder. Times stay numbers, because it may decode more rows than requested. */
export const parsers = {
  timestampFromMilliseconds: asItIs,
  timestampFromMicroseconds: asItIs,
  timestampFromNanoseconds: asItIs,
  dateFromDays: asItIs,
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
}
const utf8 = new TextDecoder()

const perSecond = { MILLIS: 1000, MICROS: 1_000_000, NANOS: 1_000_000_000 } as const
const clock = (unit: keyof typeof perSecond): Cell => (value) => clockText(value as number | bigint, perSecond[unit])
const moment = (unit: keyof typeof perSecond): Cell => (value) => momentText(value as number | bigint, perSecond[unit])

/** The fewest digits that give the same number in single precision. */
const float: Cell = (value) => {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number((value as number).toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return plain(value)
}

/** A decimal: a whole number of 10^-scale, stored as a number or as bytes, most significant byte first. */
function decimal(element: SchemaElement): Cell {
  const { scale = element.logical_type?.type === 'DECIMAL' ? element.logical_type.scale : 0 } = element
  untyped(element)
  return (value) => {
    const whole = value instanceof Uint8Array ? signed(value) : BigInt(value as number | bigint)
    const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0')
    const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`
    return `${whole < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction}`
  }
}

function signed(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}

/** A span of months (of 30 days), days and milliseconds in Slurm's form: `1-02:03:04`. */
function interval(element: SchemaElement): Cell {
  untyped(element)
  return (value) => {
    const { buffer, byteOffset } = value as Uint8Array
    const parts = new DataView(buffer, byteOffset, 12)
    const days = parts.getUint32(0, true) * 30 + parts.getUint32(4, true)
    const millis = parts.getUint32(8, true)
    return `${days + Math.floor(millis / 86_400_000)}-${clockText(millis % 86_400_000, 1000)}`
  }
}

function untyped(element: SchemaElement): void {
  delete element.converted_type
  delete element.logical_type
}

import { SchedError } from '@sched/core'
import type { AsyncBuffer } from 'hyparquet'
import { columnsOf, parsers, type Column, type LeftOut } from './cells.js'

/**
 * Most values read at once, of 8 bytes each, plus texts: a row group of pandas (1 Mi rows) with 16 columns. Each part of a row group must be located
 * from the start of the group, so parts should be few.
 */
const cellsAtOnce = 1 << 24

/** A table in Parquet: the columns that have a text in each row, and the rows in batches. */
export interface ParquetTable {
  readonly columns: readonly Column[]
  readonly leftOut: readonly LeftOut[]
  readonly rows: number
  /** The key-value metadata of the file. */
  readonly facts: ReadonlyMap<string, string>
  /** Reads the rows in batches: at most one row group at once, or a part of a large one. Throws `BAD_INPUT`. */
  readonly batches: (mostRows?: number) => AsyncGenerator<Batch, void, undefined>
}

/** Rows that have been read. */
interface Batch {
  readonly rows: number
  /** The texts of rows `from` to `to` (exclusive) of the batch, by column; '' for a missing value. */
  readonly texts: (from: number, to: number) => readonly (readonly string[])[]
}

/** Whether a file is Parquet, by its first bytes (`PAR1`). */
export const isParquet = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x41 && head[2] === 0x52 && head[3] === 0x31

/** Bytes in memory, in the form that the decoder takes. */
export const bufferOf = (bytes: Uint8Array): AsyncBuffer => ({
  byteLength: bytes.length,
  slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer, // a copy, even of a Buffer
})

/**
 * The table in a Parquet file. The decoder is loaded when it is called. Throws `BAD_INPUT` for a damaged or truncated file, and what reading the file
 * throws.
 */
export async function parquetTable(file: AsyncBuffer, name?: string): Promise<ParquetTable> {
  await checkEnd(file, name)
  const [{ parquetMetadataAsync, parquetScan, parquetSchema }, { compressors }] = await Promise.all([import('hyparquet'), import('hyparquet-compressors')])
  const { metadata, columns, leftOut } = await reading(name, async () => {
    const metadata = await parquetMetadataAsync(file, { geoparquet: false })
    return { metadata, ...columnsOf(parquetSchema(metadata)) }
  })
  const tops = [...new Set(columns.map(({ path }) => path[0]!))]
  const most = Math.ceil(cellsAtOnce / Math.max(columns.length, 1))

  async function* batches(mostRows = most): AsyncGenerator<Batch, void, undefined> {
    const scan = await reading(name, () => parquetScan({ file, metadata, columns: tops, compressors, parsers, geoparquet: false }))
    for (const { rowStart, rowEnd } of scan.ranges)
      for (let from = rowStart; from < rowEnd; from += mostRows) {
        const to = Math.min(from + mostRows, rowEnd)
        const read = new Map<string, ArrayLike<unknown>>()
        for (const top of tops) {
          const values = await reading(name, () => scan.readColumn({ column: top, rowStart: from, rowEnd: to }))
          if (values.length !== to - from) throw damaged(name, `column "${top}" has ${values.length} of ${to - from} values`)
          read.set(top, values)
        }
        yield { rows: to - from, texts: (start, end) => columns.map((column) => textsOf(read.get(column.path[0]!)!, column, start, end)) }
      }
  }
  const facts = new Map(metadata.key_value_metadata?.map(({ key, value = '' }) => [key, value]))
  return { columns, leftOut, rows: Number(metadata.num_rows), facts, batches }
}

function textsOf(values: ArrayLike<unknown>, { path, text }: Column, from: number, to: number): string[] {
  const texts = new Array<string>(to - from)
  for (let row = from; row < to; row++) {
    let value = values[row]
    for (let depth = 1; depth < path.length && value !== null && value !== undefined; depth++) value = (value as Record<string, unknown>)[path[depth]!]
    texts[row - from] = value === null || value === undefined ? '' : typeof value === 'string' ? value : text(value)
  }
  return texts
}

/** Throws `BAD_INPUT` if a file does not end like Parquet, whose index is at the end. */
async function checkEnd(file: AsyncBuffer, name: string | undefined): Promise<void> {
  const end = new Uint8Array(await file.slice(Math.max(0, file.byteLength - 4), file.byteLength))
  if (file.byteLength < 12 || !isParquet(end)) throw damaged(name, 'its end is missing')
}

const damaged = (file: string | undefined, why: string) => new SchedError(
  'BAD_INPUT',
  `is a Parquet file that cannot be read: ${why}.`,
  { file },
  'Was it cut short? Copy it again.',
)

/** Runs the decoder; any error that it throws is reported as a damaged file. */
async function reading<T>(file: string | undefined, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SchedError) throw error
    throw damaged(file, error instanceof Error ? error.message.replace(/^parquet /, '').replace(/\.$/, '') : String(error))
  }
}

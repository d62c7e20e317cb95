import { SchedError } from '@sched/core'
import type { AsyncBuffer } from 'hyparquet'
import { columnsOf, parsers, type Column, type LeftOut } from './cells.js'

/** Values at once, of 8 bytes each and of texts more: a row group of pandas (1 Mi rows) of 16 columns. Each further part of a row group is found from its start. */
const cellsAtOnce = 1 << 24

/** A table in Parquet: the columns that have a text each row, and the rows in batches. */
export interface ParquetTable {
  readonly columns: readonly Column[]
  readonly leftOut: readonly LeftOut[]
  readonly rows: number
  /** What the file says of itself, by name: the key-value metadata. */
  readonly facts: ReadonlyMap<string, string>
  /** At most one row group is read at once, and of a large one a part. Throws `BAD_INPUT`. */
  readonly batches: (mostRows?: number) => AsyncGenerator<Batch, void, undefined>
}

/** Rows that have been read. */
interface Batch {
  readonly rows: number
  /** The texts of each column of some of them, '' where there is no value. */
  readonly texts: (from: number, to: number) => readonly (readonly string[])[]
}

/** Whether a content is Parquet, by its first bytes (`PAR1`). */
export const isParquet = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x41 && head[2] === 0x52 && head[3] === 0x31

/** Bytes in memory as the decoder takes them. */
export const bufferOf = (bytes: Uint8Array): AsyncBuffer => ({
  byteLength: bytes.length,
  slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer, // a copy, of a Buffer too
})

/** The table of a content; the decoder is loaded now. Throws `BAD_INPUT` for one that is damaged or cut short, and what reading it throws. */
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

/** The index of a Parquet file stands at its end. */
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

/** Whatever the decoder makes of damaged data is an error of the file. */
async function reading<T>(file: string | undefined, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SchedError) throw error
    throw damaged(file, error instanceof Error ? error.message.replace(/^parquet /, '').replace(/\.$/, '') : String(error))
  }
}

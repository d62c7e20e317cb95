import { SchedError } from '@sched/core'
import { ioError } from '@sched/workload/node'
import type { Writer } from 'hyparquet-writer'
import { createReadStream } from 'node:fs'
import { version } from '../version.js'

/** The type of a column; a value that is null has none. */
type ColumnType = 'INT64' | 'INT32' | 'DOUBLE' | 'BOOLEAN' | 'STRING'
export type Columns = Readonly<Record<string, ColumnType>>

const rowsAtOnce = 100_000 // a row group; of a job's ten columns some 30 MB

/** A row as a line of JSON, of which many become a table: a number that is none, and an empty text, are null. */
export const jsonLine = (row: readonly unknown[]): string => `${JSON.stringify(row.map((cell) => (cell === '' ? null : cell)))}\n`

/**
 * A table in Parquet of rows that stand in files as lines of JSON. `facts` become its metadata. Throws `IO` about `directory`.
 */
export async function writeParquet(path: string, columns: Columns, files: readonly string[], facts: Readonly<Record<string, string>>, directory: string): Promise<void> {
  const { fileWriter } = await import('hyparquet-writer')
  try {
    await write(fileWriter(path), columns, rowsIn(files), facts)
  } catch (error) {
    throw error instanceof SchedError ? error : ioError(directory, 'write', error)
  }
}

/** The same of rows, in memory. */
export async function parquetOf(columns: Columns, rows: AsyncIterable<readonly unknown[]>, facts: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const { ByteWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  await write(bytes, columns, rows, facts)
  return bytes.getBytes()
}

/** Some rows at once are in memory; compressed with snappy, words as dictionaries. The same rows give the same bytes. */
async function write(to: Writer, columns: Columns, rows: AsyncIterable<readonly unknown[]>, facts: Readonly<Record<string, string>>): Promise<void> {
  const { ParquetWriter } = await import('hyparquet-writer')
  const schema = [{ name: 'schema', num_children: Object.keys(columns).length }, ...Object.entries(columns).map(([name, type]) => element(name, type))]
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key: `sched.${key}`, value }))
  const writer = new ParquetWriter({ writer: to, schema, kvMetadata, createdBy: `sched version ${version}` })
  let group: (readonly unknown[])[] = []
  const flush = async () => {
    const columnData = Object.entries(columns).map(([name, type], at) => ({ name, data: group.map((row) => valueOf(row[at], type)) }))
    await writer.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  for await (const row of rows) if (group.push(row) === rowsAtOnce) await flush()
  if (group.length > 0) await flush()
  await writer.finish()
}

const element = (name: string, type: ColumnType) => ({
  name,
  repetition_type: 'OPTIONAL' as const,
  ...(type === 'STRING' ? { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const, logical_type: { type: 'STRING' as const } } : { type }),
})

const valueOf = (value: unknown, type: ColumnType): unknown => (value === null ? undefined : type === 'INT64' ? BigInt(value as number) : value)

async function* rowsIn(files: readonly string[]): AsyncGenerator<unknown[], void, undefined> {
  for (const file of files) {
    let rest = ''
    for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() as string
      for (const line of lines) yield JSON.parse(line) as unknown[]
    }
  }
}

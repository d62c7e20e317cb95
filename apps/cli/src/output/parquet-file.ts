import { SchedError } from '@sched/core'
import { ioError } from '@sched/workload/node'
import { createReadStream } from 'node:fs'
import { version } from '../version.js'

/** The type of a column; a value that is null has none. */
type ColumnType = 'INT64' | 'INT32' | 'DOUBLE' | 'STRING'
export type Columns = Readonly<Record<string, ColumnType>>

const rowsAtOnce = 100_000 // a row group; of a job's ten columns some 30 MB

/** A row as a line of JSON, of which many become a table: a number that is none, and an empty text, are null. */
export const jsonLine = (row: readonly unknown[]): string => `${JSON.stringify(row.map((cell) => (cell === '' ? null : cell)))}\n`

/**
 * A table in Parquet of rows that stand in files as lines of JSON, some at once in memory; compressed with snappy, words as dictionaries. The same rows give the same bytes.
 * `facts` become its metadata. The writer is loaded now. Throws `IO` about `directory`.
 */
export async function writeParquet(path: string, columns: Columns, files: readonly string[], facts: Readonly<Record<string, string>>, directory: string): Promise<void> {
  const { fileWriter, ParquetWriter } = await import('hyparquet-writer')
  try {
    const schema = [{ name: 'schema', num_children: Object.keys(columns).length }, ...Object.entries(columns).map(([name, type]) => element(name, type))]
    const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key: `sched.${key}`, value }))
    const writer = new ParquetWriter({ writer: fileWriter(path), schema, kvMetadata, createdBy: `sched version ${version}` })
    for await (const rows of batches(files)) {
      const columnData = Object.entries(columns).map(([name, type], at) => ({ name, data: rows.map((row) => valueOf(row[at], type)) }))
      await writer.write({ columnData, rowGroupSize: rows.length })
    }
    await writer.finish()
  } catch (error) {
    throw error instanceof SchedError ? error : ioError(directory, 'write', error)
  }
}

const element = (name: string, type: ColumnType) => ({ name, repetition_type: 'OPTIONAL' as const, ...(type === 'STRING' ? { type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const, logical_type: { type: 'STRING' as const } } : { type }) })

const valueOf = (value: unknown, type: ColumnType): unknown => (value === null ? undefined : type === 'INT64' ? BigInt(value as number) : value)

async function* batches(files: readonly string[]): AsyncGenerator<unknown[][], void, undefined> {
  let rows: unknown[][] = []
  for (const file of files) {
    let rest = ''
    for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() as string
      for (const line of lines) {
        rows.push(JSON.parse(line) as unknown[])
        if (rows.length < rowsAtOnce) continue
        yield rows
        rows = []
      }
    }
  }
  if (rows.length > 0) yield rows
}

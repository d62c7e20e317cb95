import { SchedError } from '@sched/core'
import type { AsyncBuffer } from 'hyparquet'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { bufferOf, isParquet, parquetTable, type ParquetTable } from '../parquet/table.js'
import { csvRows, headerLine } from '../parquet/text.js'
import { entriesOf, isDirectory } from './history-files.js'
import { ioError } from './io-error.js'
import { isPacked, readBytes, readHead, statFile } from './read-bytes.js'

/**
 * The table in a Parquet file, which may be packed with gzip, or in a directory of part files (`part-00000.parquet`, ...), which are one table in the
 * order of their names. `undefined` for anything else, including other directories. Pipes are not read. Throws `IO`, and `BAD_INPUT` for a damaged
 * file and for parts with different columns.
 */
export async function tableOfFile(path: string): Promise<ParquetTable | undefined> {
  const parts = partsOf(path)
  if (parts === undefined) return isParquetFile(path) ? opened(path) : undefined
  const tables: ParquetTable[] = []
  for (const part of parts) {
    const table = await opened(part)
    if (headerLine(table) !== headerLine(tables[0] ?? table)) throw new SchedError('BAD_INPUT', `has other columns than ${parts[0]!}.`, { file: part }, 'Give files of one table.')
    tables.push(table)
  }
  return {
    ...tables[0]!,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    batches: async function* (mostRows) {
      for (const table of tables) yield* table.batches(mostRows)
    },
  }
}

/** A Parquet table converted to CSV, for lists of machines and the like; `undefined` for any other file. Throws what `tableOfFile` throws. */
export async function parquetAsText(path: string): Promise<string | undefined> {
  const table = await tableOfFile(path)
  if (table === undefined) return undefined
  let text = headerLine(table)
  for await (const rows of csvRows(table)) text += rows
  return text
}

const opened = (path: string): Promise<ParquetTable> => parquetTable(isPacked(path) ? bufferOf(readBytes(path)) : fileBuffer(path), path)

const isParquetFile = (path: string): boolean => !isDirectory(path) && statFile(path).isFile() && isParquet(readHead(path))

/**
 * The part files in a directory of Parquet files as Spark and others write it, without marks and hidden files. If the directory holds a trace of
 * several tables (of the Workflow Trace Archive, or of OpenDC), the file or files of its tasks.
 */
function partsOf(path: string): string[] | undefined {
  if (!isDirectory(path)) return undefined
  const names = entriesOf(path).map(({ name }) => name)
  const files = names.filter((name) => /\.(parquet|parq|pq)$/.test(name))
  const tasks = files.find((name) => /^(tasks|meta)\.parquet$/.test(name))
  if (files.length > 0) return (tasks === undefined ? files : [tasks]).map((name) => join(path, name))
  const folder = names.find((name) => name === 'tasks' || /^schema-\d/.test(name))
  return folder === undefined ? undefined : partsOf(join(path, folder))
}

/** Ranges of a file, which is open only while one is read. */
function fileBuffer(path: string): AsyncBuffer {
  const { size } = statFile(path)
  return {
    byteLength: size,
    async slice(start, end = size) {
      try {
        const file = await open(path, 'r')
        try {
          const bytes = new Uint8Array(Math.max(0, end - start))
          const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
          return bytes.buffer.slice(0, bytesRead)
        } finally {
          await file.close()
        }
      } catch (error) {
        throw ioError(path, 'read', error)
      }
    },
  }
}

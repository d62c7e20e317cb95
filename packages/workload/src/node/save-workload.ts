import { SchedError, type Workload } from '@sched/core'
import { createWriteStream, type Stats } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { writeWorkloadStream } from '../native/write.js'
import { ioError } from './io-error.js'

/** How to save a file. */
export interface SaveOptions {
  /** Whether to replace an existing file. Default: it is an error. */
  readonly force?: boolean | undefined
}

/** Writes a workload as a native file. Throws what `saveLines` and `writeWorkload` throw. */
export async function saveWorkload(workload: Workload, path: string, options: SaveOptions = {}): Promise<void> {
  return saveLines(writeWorkloadStream(workload), path, options)
}

/**
 * Writes lines to a file, packed with gzip if the name ends in `.gz`. The file is either complete or absent: it is written in the same directory
 * under another name and renamed at the end. Throws `IO`, and what making the lines throws.
 */
export async function saveLines(lines: Iterable<string> | AsyncIterable<string>, path: string, { force = false }: SaveOptions = {}): Promise<void> {
  const target = await place(path, force)
  const part = join(dirname(target), `.${basename(target)}.${process.pid}-${++saves}.part`)
  try {
    const gzip = path.endsWith('.gz') ? [createGzip()] : []
    await pipeline([Readable.from(joined(lines)), ...gzip, createWriteStream(part, { flags: 'wx', flush: true })])
    await place(path, force) // the file may have appeared meanwhile
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw ioError(path, 'write', error)
  }
}

let saves = 0 // tells saves of one process apart

/** The path to write to; for a link, the file that it leads to. Throws `IO` for what must not be replaced. */
async function place(path: string, force: boolean): Promise<string> {
  const facts = await factsOf(path)
  if (facts === undefined) return path
  if (facts.isDirectory()) throw ioError(path, 'write', Object.assign(new Error('is a directory'), { code: 'EISDIR' }))
  if (!facts.isFile()) throw new SchedError('IO', 'is not a regular file.', { file: path }, 'Give the path of a file.')
  if (!force) throw new SchedError('IO', 'exists already.', { file: path }, 'Choose another name, or replace it with force.')
  return realpath(path)
}

async function factsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw ioError(path, 'write', error)
  }
}

/** Joins lines to pieces of about 64 KiB, because a write per line costs more than making the line. */
async function* joined(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < 65_536) continue
    yield piece
    piece = ''
  }
  yield piece
}

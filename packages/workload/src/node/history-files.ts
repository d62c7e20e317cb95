import { readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { asText } from '../trace/fields.js'
import { avroAsJson, isAvroBinary } from '../yarn/avro.js'
import { chunksOf, type NextChunk } from './chunks.js'
import { ioError } from './io-error.js'
import { readBytes, readHead } from './read-bytes.js'

/**
 * Files beside histories that are skipped: hidden files and marks, configurations and summaries of Hadoop's jobs, states of Spark's applications,
 * descriptions.
 */
const passedOver = /^([._]|appstatus_)|\.(xml|crc|summary|md)$/

/** Whether there is a directory with this path. Throws `IO` if that cannot be determined, for example because links lead to each other. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (error) {
    throw ioError(path, 'read', error)
  }
}

/**
 * The files of a directory and of the directories in it, found as they are requested. They are sorted by name, with numbers in names compared as
 * numbers. Throws `IO`.
 */
export function* historyFiles(path: string): Generator<string, void, undefined> {
  for (const entry of entriesOf(path)) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) yield* historyFiles(inside)
    else if (entry.isFile()) yield inside
  }
}

/** The entries of a directory without skipped files, sorted in the same way. Throws `IO`. */
export function entriesOf(path: string): Dirent[] {
  const key = ({ name }: Dirent) => name.replace(/\d+/g, (digits) => digits.padStart(20, '0'))
  try {
    return readdirSync(path, { withFileTypes: true }).filter(({ name }) => !passedOver.test(name)).sort((a, b) => (key(a) < key(b) ? -1 : 1))
  } catch (error) {
    throw ioError(path, 'read', error)
  }
}

/** The content of files one after another, each beginning on a new line. `onFile` is called for each file. */
export function chunksOfAll(files: Iterator<string, void>, onFile: (file: string) => void): NextChunk {
  let next: NextChunk | undefined
  return async () => {
    if (next === undefined) {
      const { value: file } = files.next()
      if (file === undefined) return undefined
      onFile(file)
      next = isAvroBinary(asText(readHead(file), 0, 16)) ? once(() => avroAsJson(readBytes(file), file)) : chunksOf(file)
    }
    const chunk = await next()
    if (chunk === undefined) next = undefined
    return chunk ?? lineEnd
  }
}

const lineEnd = Uint8Array.of(10)

function once(make: () => Uint8Array): NextChunk {
  let isDone = false
  return () => {
    const chunk = isDone ? undefined : make()
    isDone = true
    return Promise.resolve(chunk)
  }
}

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asText } from '../trace/fields.js'
import { avroAsJson, isAvroBinary } from '../yarn/avro.js'
import { chunksOf, type NextChunk } from './chunks.js'
import { readBytes, readHead } from './read-bytes.js'

/** What lies beside histories: hidden files and marks, configurations and summaries of Hadoop's jobs, states of Spark's applications. */
const passedOver = /^([._]|appstatus_)|\.(xml|crc|summary)$/

/** The files of a directory and those in it, in the order of their names, of which numbers count as such; `undefined` where it is none, or holds none. */
export function historyFiles(path: string): string[] | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !passedOver.test(entry.name))
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  const key = (name: string) => name.replace(/\d+/g, (digits) => digits.padStart(20, '0'))
  return paths.length === 0 ? undefined : paths.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** The content of files one after another, each beginning on a line of its own; `onFile` is told of each. */
export function chunksOfAll(files: readonly string[], onFile: (file: string) => void): NextChunk {
  let at = 0
  let next: NextChunk | undefined
  return async () => {
    if (next === undefined) {
      const file = files[at++]
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

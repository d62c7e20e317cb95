import { asText } from '../trace/fields.js'
import { decoderFor } from '../trace/parse-trace.js'
import type { OpenOptions } from './open-trace.js'
import { readBytes } from './read-bytes.js'

/**
 * The line, from 1, of a text file from which a job was read, for messages about the job. `undefined` if that line does not contain the job's id, as
 * in formats that make one job of many lines, or if the file cannot be read in this way.
 */
export function lineOfJob(path: string, { stream: _, ...options }: OpenOptions, id: string): number | undefined {
  try {
    const bytes = readBytes(path)
    const reading = decoderFor(bytes, { ...options, file: path, onBadLine: 'skip' }).start()
    reading.push(bytes)
    reading.end()
    for (let job = reading.next(); job !== undefined; job = reading.next()) if (job.id === id) return hasText(bytes, reading.line, id) ? reading.line : undefined
  } catch {
    // too large for memory or not text: the message omits the line
  }
  return undefined
}

function hasText(bytes: Uint8Array, line: number, text: string): boolean {
  let from = 0
  for (let left = line - 1; left > 0; left--) from = bytes.indexOf(10, from) + 1
  const end = bytes.indexOf(10, from)
  return asText(bytes, from, end < 0 ? bytes.length : end).includes(text)
}

import { asText } from '../trace/fields.js'
import { decoderFor } from '../trace/parse-trace.js'
import type { OpenOptions } from './open-trace.js'
import { readBytes } from './read-bytes.js'

/**
 * The line, from 1, of a file of text that a job was read from, for messages about it: of a job whose line has its id. `undefined` where there is none,
 * as in formats that make one job of many lines, or the file cannot be read so.
 */
export function lineOfJob(path: string, { stream: _, ...options }: OpenOptions, id: string): number | undefined {
  try {
    const bytes = readBytes(path)
    const reading = decoderFor(bytes, { ...options, file: path, onBadLine: 'skip' }).start()
    reading.push(bytes)
    reading.end()
    for (let job = reading.next(); job !== undefined; job = reading.next()) if (job.id === id) return hasText(bytes, reading.line, id) ? reading.line : undefined
  } catch {
    // too large to be held, or no text: the message does without
  }
  return undefined
}

function hasText(bytes: Uint8Array, line: number, text: string): boolean {
  let from = 0
  for (let left = line - 1; left > 0; left--) from = bytes.indexOf(10, from) + 1
  const end = bytes.indexOf(10, from)
  return asText(bytes, from, end < 0 ? bytes.length : end).includes(text)
}

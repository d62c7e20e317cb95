import { readFileSync } from 'node:fs'
import { SchedError } from '@sched/core'
import { ioError } from './io-error.js'
import { mostHeld, readStart } from './read-bytes.js'

/** Whether bytes begin like data packed with zstd, as Spark and others pack their logs. */
export const isZstd = (bytes: Uint8Array): boolean => bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd

/**
 * The content of a file that is packed with zstd; `undefined` for any other file. The decompressor is loaded only when needed. Throws `IO`, and
 * `BAD_INPUT` for damaged data.
 */
export async function unpackedZstd(path: string): Promise<Uint8Array | undefined> {
  try {
    return isZstd(readStart(path)) ? await unzstd(readFileSync(path), path) : undefined
  } catch (error) {
    throw ioError(path, 'read', error)
  }
}

/** Unpacks zstd data of one or more frames. Throws `BAD_INPUT` for damaged data. */
export async function unzstd(bytes: Uint8Array, path: string): Promise<Uint8Array> {
  const { decompressZstd } = await import('hyparquet-compressors')
  let content: Uint8Array
  try {
    content = decompressZstd(new Uint8Array(bytes))
  } catch {
    throw new SchedError('BAD_INPUT', 'the zstd data is damaged or cut short.', { file: path }, 'Copy the file again.')
  }
  if (content.length > mostHeld) throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' })
  return content
}

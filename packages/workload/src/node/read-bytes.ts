import { closeSync, openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, gunzip, gunzipSync, type ZlibOptions } from 'node:zlib'
import { headBytes } from '../trace/formats.js'
import { ioError } from './io-error.js'

// 512 MiB unpacked; a small packed file may contain far more than fits in memory
export const mostHeld = 1 << 29

/** Facts about a file. Throws `IO` for a directory and a missing file. */
export function statFile(path: string): Stats {
  return reading(path, () => {
    const facts = statSync(path)
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    return facts
  })
}

/** The whole content of a file, unpacked if it is gzip, whatever its name. Throws `IO`. */
export function readBytes(path: string): Uint8Array {
  return reading(path, () => unpacked(readFileSync(path)))
}

/** As `readBytes`, on another thread. Throws `IO`. */
export async function readBytesAside(path: string): Promise<Uint8Array> {
  try {
    const bytes = await readFile(path)
    return isGzip(bytes) ? await unpackedAside(bytes, { maxOutputLength: mostHeld, chunkSize: 2 ** 22 }) : bytes
  } catch (error) {
    throw ioError(path, 'read', error)
  }
}

const unpackedAside = promisify<Uint8Array, ZlibOptions, Uint8Array>(gunzip)

const unpacked = (bytes: Uint8Array): Uint8Array => (isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: mostHeld }) : bytes)

/** Path of standard input. */
export const standardInput = '/dev/stdin'

/**
 * As `readBytes`, for standard input. Signals are handled meanwhile, and it also works for a socket, which programs may pass instead of a pipe and
 * which has no path to open. Throws `IO`.
 */
export async function readStandardInput(): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of process.stdin as AsyncIterable<Buffer>) pieces.push(piece)
  } catch (error) {
    throw ioError(standardInput, 'read', error)
  }
  return reading(standardInput, () => unpacked(Buffer.concat(pieces)))
}

/** The content of the file's first 64 KiB, unpacked as far as possible if it is gzip. Throws `IO`. */
export function readHead(path: string): Uint8Array {
  return reading(path, () => {
    const bytes = readStart(path)
    return isGzip(bytes) ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes
  })
}

/** Whether a file is packed with gzip. Throws `IO`. */
export const isPacked = (path: string): boolean => reading(path, () => isGzip(readStart(path)))

/** Whether bytes begin like gzip data. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** The first 64 KiB of a file as they are. */
export function readStart(path: string): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(headBytes)
    return bytes.subarray(0, readSync(file, bytes, 0, headBytes, 0))
  } finally {
    closeSync(file)
  }
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw ioError(path, 'read', error)
  }
}

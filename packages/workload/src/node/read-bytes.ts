import { closeSync, openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, gunzip, gunzipSync, type ZlibOptions } from 'node:zlib'
import { headBytes } from '../trace/formats.js'
import { ioError } from './io-error.js'

export const mostHeld = 1 << 29 // 512 MiB unpacked; a small packed file may hold far more than memory does

/** Facts about a file; a directory and a missing file throw `IO`. */
export function statFile(path: string): Stats {
  return reading(path, () => {
    const facts = statSync(path)
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    return facts
  })
}

/** The whole content, unpacked if it is gzip, whatever its name. Throws `IO`. */
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

export const standardInput = '/dev/stdin'

/** As `readBytes`, of what standard input has: signals are heard meanwhile, and a socket, which programs may give for a pipe, has no path to open. Throws `IO`. */
export async function readStandardInput(): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of process.stdin as AsyncIterable<Buffer>) pieces.push(piece)
  } catch (error) {
    throw ioError(standardInput, 'read', error)
  }
  return reading(standardInput, () => unpacked(Buffer.concat(pieces)))
}

/** The first bytes of the content, unpacked as far as they go. Throws `IO`. */
export function readHead(path: string): Uint8Array {
  return reading(path, () => {
    const bytes = readStart(path)
    return isGzip(bytes) ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes
  })
}

/** Whether a file is packed with gzip. Throws `IO`. */
export const isPacked = (path: string): boolean => reading(path, () => isGzip(readStart(path)))

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

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

import { open } from 'node:fs/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import { ioError } from './io-error.js'
import { isGzip } from './read-bytes.js'
import { isZstd, unzstd } from './zstd.js'

// with chunks of this size 124 MB of rows are read within 69 MB of memory, with chunks of 1 MiB within 131 MB; the speed is the same
const chunkBytes = 1 << 18

const LINE_FEED = 10

/** The next bytes of a file's content; `undefined` at the end. */
export type NextChunk = () => Promise<Uint8Array | undefined>

/**
 * The content of a file in chunks, unpacked if it is gzip or zstd. The file is open only while a chunk is read, so an abandoned reading leaves
 * nothing open. With `isShared`, chunks share their memory, and each is valid until the next is requested. Throws `IO`.
 */
export function chunksOf(path: string, size = chunkBytes, isShared = false): NextChunk {
  let next: NextChunk | undefined
  return async () => {
    try {
      if (next === undefined) next = await unpacked(rawChunks(path, size, isShared), path)
      return await next()
    } catch (error) {
      throw ioError(path, 'read', error)
    }
  }
}

/**
 * The content of a file in pieces that end where lines end. Each is valid until the next is requested: the pieces share their memory, because
 * otherwise the garbage collector would scan all jobs dozens of times during a gigabyte of records.
 */
export async function* piecesOf(path: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const next = chunksOf(path, size, true)
  let rest: Uint8Array = new Uint8Array(0)
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    const last = chunk.lastIndexOf(LINE_FEED) + 1
    const first = last === 0 ? chunk.length : rest.length === 0 ? 0 : chunk.indexOf(LINE_FEED) + 1
    const joined = first === 0 ? rest : Buffer.concat([rest, chunk.subarray(0, first)])
    if (last > 0 && joined.length > 0) yield joined
    if (last > first) yield chunk.subarray(first, last)
    rest = last === 0 ? joined : new Uint8Array(chunk.subarray(last))
  }
  if (rest.length > 0) yield rest
}

function rawChunks(path: string, size: number, isShared: boolean): NextChunk {
  const shared = isShared ? new Uint8Array(size) : undefined
  let position = 0
  return async () => {
    const file = await open(path, 'r')
    try {
      const { bytesRead, buffer } = await file.read(shared ?? new Uint8Array(size), 0, size, position)
      position += bytesRead
      return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }
}

/** The chunks themselves or, if the first one begins like packed data, unpacked ones. */
async function unpacked(raw: NextChunk, path: string): Promise<NextChunk> {
  const first = await raw()
  let pending: Uint8Array | undefined = first
  const again: NextChunk = async () => {
    const chunk = pending ?? (await raw())
    pending = undefined
    return chunk
  }
  if (first !== undefined && isZstd(first)) return whole(again, path)
  return first !== undefined && isGzip(first) ? gunzipped(again) : again
}

/** The content of zstd data, unpacked in one chunk. */
function whole(raw: NextChunk, path: string): NextChunk {
  let isDone = false
  return async () => {
    if (isDone) return undefined
    isDone = true
    const packed: Uint8Array[] = []
    for (let chunk = await raw(); chunk !== undefined; chunk = await raw()) packed.push(new Uint8Array(chunk))
    return unzstd(Buffer.concat(packed), path)
  }
}

function gunzipped(raw: NextChunk): NextChunk {
  const ready: Uint8Array[] = []
  const gunzip = createGunzip({ chunkSize: 1 << 18 }).on('data', (bytes: Uint8Array) => ready.push(bytes))
  let failure: Error | undefined
  gunzip.on('error', (error) => (failure = error)) // kept, because the error may come before or after the end of a write
  let ended = false
  return async () => {
    while (ready.length === 0 && !ended) {
      const chunk = await raw()
      ended = chunk === undefined
      await (chunk === undefined ? finish(gunzip) : feed(gunzip, chunk))
      if (failure !== undefined) throw failure
    }
    return ready.shift()
  }
}

/** Resolves when the chunk is unpacked. Damaged data close the stream without calling the callback of the write. */
function feed(gunzip: Gunzip, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    gunzip.once('close', resolve)
    gunzip.write(chunk, () => {
      gunzip.off('close', resolve)
      resolve()
    })
  })
}

function finish(gunzip: Gunzip): Promise<void> {
  return new Promise((resolve) => gunzip.once('close', resolve).end())
}

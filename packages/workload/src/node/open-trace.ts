import { SchedError, type JobSource } from '@sched/core'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { bufferOf, isParquet, parquetTable, type ParquetTable } from '../parquet/table.js'
import { csvRows, headerLine } from '../parquet/text.js'
import type { PartsReading, Trace } from '../trace/format.js'
import { decoderFor, parseTrace, parseTraceInTurns, reportOf, type ParseOptions, type ReadyDecoder } from '../trace/parse-trace.js'
import { asText } from '../trace/fields.js'
import { detectFormatOf, headBytes, traceFormats } from '../trace/formats.js'
import { isAvroBinary } from '../yarn/avro.js'
import type { LineDecoder } from '../trace/line-decoder.js'
import { chunksOf, piecesOf, type NextChunk } from './chunks.js'
import { ioError } from './io-error.js'
import { chunksOfAll, historyFiles, isDirectory } from './history-files.js'
import { tableOfFile } from './parquet-file.js'
import { unpackedZstd } from './zstd.js'
import { isPacked, mostHeld, readBytes, readBytesAside, readHead, readStandardInput, standardInput, statFile } from './read-bytes.js'

const MIB = 2 ** 20
const pieceBytes = 4 * MIB

/** How to read a trace file. */
export interface OpenOptions extends Omit<ParseOptions, 'file' | 'counted'> {
  /**
   * True: read the file in chunks while jobs are taken from it (`JobSource.more`), in constant memory. False: hold it in memory and check all of it
   * before the first job. Default: streamed from 64 MiB on (packed: 8 MiB). Logs and tables that are sorted in memory, or whose jobs together tell
   * what machine they are of, are streamed from 512 MiB on (packed: 32 MiB). For Parquet, the size as CSV counts, estimated at 10 bytes per value.
   */
  readonly stream?: boolean | undefined
}

/**
 * A trace from a text file, plain or gzip, which is detected from its content. Throws `IO` for a file that cannot be read, `BAD_INPUT` with file,
 * line and field, and `BAD_OPTION`. A streamed trace throws these when it reaches the place.
 */
export function openTrace(path: string, { stream, ...options }: OpenOptions = {}): Trace {
  const named = { ...options, file: path }
  return called(path, isHeld(path, { stream, ...options }) ? parseTrace(readBytes(path), named) : streamTrace(decoderFor(readHead(path), named), readHead(path), () => chunksOf(path), path))
}

/** Whether to hold a file in memory. A pipe is always held, because it can be read only once. */
function isHeld(path: string, { stream, ...options }: OpenOptions): boolean {
  const facts = statFile(path)
  return !facts.isFile() || stream === false || (stream === undefined && isSmall(path, facts.size, { ...options, file: path }))
}

/** A trace whose content is in memory. While it is read, other work gets turns, such as signal handlers. */
const heldTrace = async (path: string, content: Uint8Array, { stream: _, ...options }: OpenOptions): Promise<Trace> =>
  called(path, await parseTraceInTurns(content, { ...options, file: path }, () => setImmediate()))

/**
 * A trace from a file of any kind: text as in `openTrace`; text packed with zstd, which is held in memory; tables in Parquet, also as a directory of
 * part files, which give the same jobs as a CSV of the table; and directories of job histories, which are one trace and are streamed. Large files in
 * formats that sort jobs from pieces (`readParts`) are read piece by piece unless `stream` is given. Messages about Parquet name rows, from 1,
 * counted through all parts. Throws what `openTrace` throws.
 */
export async function openTraceFile(path: string, options: OpenOptions = {}): Promise<Trace> {
  const table = await tableOfFile(path)
  if (table !== undefined) return tableTrace(table, path, options)
  if (isDirectory(path)) return historyTrace(path, options)
  if (statFile(path).isFile()) {
    const content = await unpackedZstd(path)
    if (content !== undefined) return heldTrace(path, content, options)
    const parts = partsOf(path, { ...options, file: path })
    if (parts !== undefined) return partsTrace(parts, [path], path)
    return isHeld(path, options) ? heldTrace(path, await readBytesAside(path), options) : openTrace(path, { ...options, stream: true })
  }
  const bytes = path === standardInput ? await readStandardInput() : readBytes(path)
  if (isParquet(bytes)) return tableTrace(await parquetTable(bufferOf(bytes), path), path, options)
  return heldTrace(path, bytes, options)
}

/** Name of the format of a text file, detected from its content. Throws `IO`, and `BAD_INPUT` that says what the file looks like instead. */
export function detectFormat(path: string): string {
  statFile(path)
  return detectFormatOf(readHead(path), path).name
}

function called(path: string, trace: Trace): Trace {
  return { ...trace, name: basename(path), get report() { return trace.report } }
}

/** Whether a file is held in memory if option `stream` is not given. */
function isSmall(path: string, size: number, options: ParseOptions): boolean {
  const packed = isPacked(path)
  if (size < (packed ? 8 : 64) * MIB || isAvroBinary(asText(readHead(path), 0, 16))) return true
  return holdsJobs(decoderFor(readHead(path), options)) && size < (packed ? 32 : 512) * MIB
}

/** Whether all jobs are needed at once, because they are sorted or tell the machine together. */
const holdsJobs = ({ format, readWhole }: ReadyDecoder) => readWhole !== undefined || format.inferred !== undefined

/** The reading in pieces of a file that is too large for memory, if its format has one. */
function partsOf(path: string, options: ParseOptions & OpenOptions): PartsReading | undefined {
  if (options.stream !== undefined || isSmall(path, statFile(path).size, options)) return undefined
  const { format, readParts } = decoderFor(readHead(path), options)
  return format.isStreamed === true ? undefined : readParts?.()
}

async function tableTrace(table: ParquetTable, path: string, { stream, ...options }: OpenOptions): Promise<Trace> {
  const named = { ...options, ...asWritten(table, options, path), file: path, counted: 'row' } as const
  const decoder = await decoderOfTable(table, named)
  const likely = table.rows * table.columns.length * 10
  const streams = stream ?? likely >= (holdsJobs(decoder) ? 512 : 64) * MIB
  const trace = streams
    ? streamTrace(decoder, encoded(headerLine(table)), () => csvOf(table), path)
    : await heldTrace(path, await joined(csvOf(table), path), { ...named, format: decoder.format })
  if (table.leftOut.length === 0) return called(path, trace)
  const some = table.leftOut.slice(0, 5).map(({ name, what }) => `${name} (${what})`).join(', ')
  const note = `columns of values that are not read: ${some}${table.leftOut.length > 5 ? `, and ${table.leftOut.length - 5} more` : ''}`
  return { ...called(path, trace), get report() { return { ...trace.report, notes: [...(trace.report.notes ?? []), note] } } }
}

/** Key of the metadata under which a table of jobs that was written here says how to read it, as JSON with `format` and `options`. */
const TRACE_FACT = 'sched.trace'

/** The format and options that a table names itself, if none are given. Throws `BAD_INPUT`. */
function asWritten({ facts }: ParquetTable, { format, options }: ParseOptions, file: string): Pick<ParseOptions, 'format' | 'options'> {
  const said = facts.get(TRACE_FACT)
  if (said === undefined || format !== undefined || options !== undefined) return {}
  try {
    const own = JSON.parse(said) as { readonly format?: string; readonly options?: unknown }
    return { format: own.format, options: own.options }
  } catch {
    throw new SchedError('BAD_INPUT', `what it says of its format (${TRACE_FACT}) is no JSON.`, { file }, 'Say the format: --format job-table.')
  }
}

/** A trace from the histories in a directory, each of one job or application, read one after another. */
async function historyTrace(path: string, { stream: _, ...options }: OpenOptions): Promise<Trace> {
  const { file: first, head } = await firstOf(path)
  const isKnown = options.format !== undefined || (options.formats ?? traceFormats).some((format) => format.isHistory === true && format.detect?.(asText(head, 0, head.length)))
  if (!isKnown) throw noHistories(path)
  const decoder = decoderFor(head, { ...options, file: first })
  if (decoder.readParts !== undefined) return partsTrace(decoder.readParts(), historyFiles(path), path)
  return called(path, streamTrace(decoder, head, (reading) => chunksOfAll(historyFiles(path), (file) => reading.startFile(file)), path))
}

/** The first file that is not empty, and its start: a log may have days without records. */
async function firstOf(path: string): Promise<{ readonly file: string; readonly head: Uint8Array }> {
  for (const file of historyFiles(path)) {
    const head = (await unpackedZstd(file))?.subarray(0, headBytes) ?? readHead(file)
    if (head.length > 0) return { file, head }
  }
  throw noHistories(path)
}

/** A trace from files that are read in pieces, so that no file is in memory as a whole. */
async function partsTrace(parts: PartsReading, files: Iterable<string>, path: string): Promise<Trace> {
  for (const file of files) for await (const piece of piecesOf(file, pieceBytes)) parts.add(piece, file)
  return called(path, parts.trace(path))
}

const noHistories = (path: string) => ioError(path, 'read', Object.assign(new Error('is a directory'), { code: 'EISDIR' }))

/** The decoder for a table, by the names of its columns. If these do not tell the format, the first rows are read too, for the message. */
async function decoderOfTable(table: ParquetTable, options: ParseOptions): Promise<ReadyDecoder> {
  const header = headerLine(table)
  try {
    return decoderFor(encoded(header), options)
  } catch (error) {
    if (!(error instanceof SchedError && error.code === 'BAD_INPUT')) throw error
    const { value: rows = '' } = await csvRows(table, 100).next() as { readonly value?: string }
    return decoderFor(encoded(header + rows), options)
  }
}

/** The table as CSV, in chunks. */
function csvOf(table: ParquetTable): NextChunk {
  const rows = csvRows(table)
  let header: string | undefined = headerLine(table)
  return async () => {
    const text = header ?? (await rows.next()).value
    header = undefined
    return text === undefined ? undefined : encoded(text)
  }
}

async function joined(next: NextChunk, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostHeld) throw ioError(path, 'read', Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' }))
  }
  return Buffer.concat(chunks)
}

const utf8 = new TextEncoder()
const encoded = (text: string): Uint8Array => utf8.encode(text)

function streamTrace(decoder: ReadyDecoder, head: Uint8Array, chunks: (reading: LineDecoder) => NextChunk, path: string): Trace {
  let latest = decoder.start()
  return {
    ...decoder.facts(head),
    name: path,
    format: decoder.format.name,
    chained: decoder.chained,
    get report() {
      return reportOf(latest)
    },
    open: () => streamSource((latest = decoder.start()), chunks(latest)),
  }
}

/** A source that returns the jobs that the decoder has. `more` reads on until there is another job, which then waits for `next`. */
function streamSource(decoder: LineDecoder, nextChunk: NextChunk): JobSource {
  let waiting: ReturnType<LineDecoder['next']>
  return {
    next() {
      const job = waiting ?? decoder.next()
      waiting = undefined
      return job
    },
    async more() {
      for (waiting ??= decoder.next(); waiting === undefined; waiting = decoder.next()) {
        const chunk = await nextChunk()
        if (chunk !== undefined) decoder.push(chunk)
        else if (decoder.ended) return false
        else decoder.end()
      }
      return true
    },
  }
}

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

/** How a trace file is to be read. */
export interface OpenOptions extends Omit<ParseOptions, 'file' | 'counted'> {
  /**
   * Whether to read the file in chunks while jobs are taken from it (`JobSource.more`), in constant memory, or to hold it
   * in memory and check all of it before the first job. Default: streamed from 64 MiB on (packed: 8 MiB); logs and tables that
   * are sorted in memory, or say there what machine they are of, from 512 MiB on (packed: 32 MiB). Of Parquet the size as CSV counts, at about 10 bytes a value.
   */
  readonly stream?: boolean | undefined
}

/**
 * A trace from a file of text, plain or gzip (told by its content). Throws `IO` for a file that cannot be read, `BAD_INPUT` with
 * file, line and field, `BAD_OPTION`. A streamed trace throws them when it gets there.
 */
export function openTrace(path: string, { stream, ...options }: OpenOptions = {}): Trace {
  const named = { ...options, file: path }
  return called(path, isHeld(path, { stream, ...options }) ? parseTrace(readBytes(path), named) : streamTrace(decoderFor(readHead(path), named), readHead(path), () => chunksOf(path), path))
}

/** A pipe can be read once only, so it is always held. */
function isHeld(path: string, { stream, ...options }: OpenOptions): boolean {
  const facts = statFile(path)
  return !facts.isFile() || stream === false || (stream === undefined && isSmall(path, facts.size, { ...options, file: path }))
}

/** A trace of a content that is in memory, which gives way to others, such as handlers of signals, while it is read. */
const heldTrace = async (path: string, content: Uint8Array, { stream: _, ...options }: OpenOptions): Promise<Trace> =>
  called(path, await parseTraceInTurns(content, { ...options, file: path }, () => setImmediate()))

/**
 * A trace from a file of any kind: as `openTrace`, text packed with zstd (held in memory), and tables in Parquet, which become what a CSV
 * of the same table becomes; a directory of its
 * part files, too. Their messages tell rows (the first is 1; of parts counted through all of them). Files of job histories in a directory are one trace, which is
 * streamed. Throws the same.
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

/** The name of the format of a file of text, by its content. Throws `IO`, and `BAD_INPUT` saying what it looks like instead. */
export function detectFormat(path: string): string {
  statFile(path)
  return detectFormatOf(readHead(path), path).name
}

function called(path: string, trace: Trace): Trace {
  return { ...trace, name: basename(path), get report() { return trace.report } }
}

/** Whether a file is held in memory where nobody says how it is read. */
function isSmall(path: string, size: number, options: ParseOptions): boolean {
  const packed = isPacked(path)
  if (size < (packed ? 8 : 64) * MIB || isAvroBinary(asText(readHead(path), 0, 16))) return true
  return holdsJobs(decoderFor(readHead(path), options)) && size < (packed ? 32 : 512) * MIB
}

/** Whether all jobs together say more than each. */
const holdsJobs = ({ format, readWhole }: ReadyDecoder) => readWhole !== undefined || format.inferred !== undefined

/** What reads a file piece by piece that is not held, where its format can. */
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

/** The key under which a table of jobs that was written here says how it is read, as JSON: `format` and `options`. */
const TRACE_FACT = 'sched.trace'

/** What the table itself says of its format, where nobody else does. */
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

/** Histories of one job or application each, read one after another. */
async function historyTrace(path: string, { stream: _, ...options }: OpenOptions): Promise<Trace> {
  const { file: first, head } = await firstOf(path)
  const isKnown = options.format !== undefined || traceFormats.some((format) => format.isHistory === true && format.detect(asText(head, 0, head.length)))
  if (!isKnown) throw noHistories(path)
  const decoder = decoderFor(head, { ...options, file: first })
  if (decoder.readParts !== undefined) return partsTrace(decoder.readParts(), historyFiles(path), path)
  return called(path, streamTrace(decoder, head, (reading) => chunksOfAll(historyFiles(path), (file) => reading.startFile(file)), path))
}

/** The first file that holds anything, and its start: a log may have days without a record. */
async function firstOf(path: string): Promise<{ readonly file: string; readonly head: Uint8Array }> {
  for (const file of historyFiles(path)) {
    const head = (await unpackedZstd(file))?.subarray(0, headBytes) ?? readHead(file)
    if (head.length > 0) return { file, head }
  }
  throw noHistories(path)
}

/** Files piece by piece, so that none is held as a whole. */
async function partsTrace(parts: PartsReading, files: Iterable<string>, path: string): Promise<Trace> {
  for (const file of files) for await (const piece of piecesOf(file, pieceBytes)) parts.add(piece, file)
  return called(path, parts.trace(path))
}

const noHistories = (path: string) => ioError(path, 'read', Object.assign(new Error('is a directory'), { code: 'EISDIR' }))

/** By the names of the columns; where they do not tell the format, the first rows are for the message. */
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

/** The table as CSV. */
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

/** Gives what the decoder has; `more` reads on until it has another job, which is then waiting. */
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

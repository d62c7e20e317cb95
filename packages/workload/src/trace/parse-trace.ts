import { checkOptions, type JobSource, type JobSpec } from '@sched/core'
import { avroAsJson, isAvroBinary } from '../yarn/avro.js'
import type { TraceFacts } from './facts.js'
import type { KnownFormat, PartsReading, ReadOptions, Trace, TraceReport } from './format.js'
import { asText } from './fields.js'
import { detectFormatOf, formatNamed, traceFormats } from './formats.js'
import { LineDecoder } from './line-decoder.js'
import { ListSource } from '../workload.js'

const LINE_FEED = 10
/** Least number of bytes in a piece. */
const PIECE = 2 ** 20

/** How to read a trace. */
export interface ParseOptions extends ReadOptions {
  /** Name of a format, or the format itself. Default: detected from the content. */
  readonly format?: string | KnownFormat | undefined
  /** Formats that are known, in the order in which detection tries them. Default: those that are built in. */
  readonly formats?: readonly KnownFormat[] | undefined
  /** Options of the format, for example SWIM's rate model. */
  readonly options?: unknown
}

/**
 * Reads a trace whose content is in memory. Everything is checked now, so that no later reading fails. `open` reads the bytes again unless the format
 * keeps jobs in memory, so `content` must not change. Throws `BAD_INPUT` with file, line and field, and `BAD_OPTION`.
 */
export function parseTrace(content: Uint8Array, options: ParseOptions = {}): Trace {
  const parsing = parsed(content, options)
  for (;;) {
    const { done, value } = parsing.next()
    if (done === true) return value
  }
}

/**
 * As `parseTrace`, and awaits `turn` after each piece of about 1 MiB, so that other work waits for tens of milliseconds only. Throws also what `turn`
 * throws.
 */
export async function parseTraceInTurns(content: Uint8Array, options: ParseOptions, turn: () => Promise<void>): Promise<Trace> {
  const parsing = parsed(content, options)
  for (;;) {
    const { done, value } = parsing.next()
    if (done === true) return value
    await turn()
  }
}

/** Parses content and yields after each piece. */
function* parsed(content: Uint8Array, options: ParseOptions): Generator<undefined, Trace, void> {
  const bytes = isAvroBinary(asText(content, 0, 16)) ? avroAsJson(content, options.file) : content
  const decoder = decoderFor(bytes, options)
  return yield* decoder.readWhole === undefined ? parsedByLine(decoder, bytes, options.file) : parsedWhole(decoder.readWhole(bytes), bytes, options.file)
}

function* parsedWhole(whole: PartsReading, bytes: Uint8Array, file: string | undefined): Generator<undefined, Trace, void> {
  for (const piece of piecesOf(bytes)) {
    whole.add(piece, file)
    yield
  }
  return whole.trace(file)
}

function* parsedByLine(decoder: ReadyDecoder, bytes: Uint8Array, file: string | undefined): Generator<undefined, Trace, void> {
  const { format } = decoder
  const whole = decoder.start(false)
  const jobs: JobSpec[] = []
  const take = () => {
    for (let job = whole.next(); job !== undefined; job = whole.next()) if (format.isHeld === true) jobs.push(job)
  }
  for (const piece of piecesOf(bytes)) {
    whole.push(piece)
    take()
    yield
  }
  whole.end()
  take()
  return {
    ...decoder.facts(bytes),
    ...format.inferred?.(jobs),
    name: file ?? format.name,
    format: format.name,
    chained: decoder.chained,
    jobs: whole.jobs,
    report: reportOf(whole),
    open(): JobSource {
      if (format.isHeld === true) return new ListSource(jobs)
      const reading = decoder.start(whole.skipped === 0)
      reading.push(bytes)
      reading.end()
      return { next: () => reading.next() }
    },
  }
}

/** Cuts content into pieces that end where lines end; at least one piece. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  let from = 0
  do {
    const end = from + PIECE < bytes.length ? bytes.indexOf(LINE_FEED, from + PIECE) : -1
    const to = end === -1 ? bytes.length : end + 1
    yield from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)
    from = to
  } while (from < bytes.length)
}

/** A chosen or detected format with checked options, ready to start readings. */
export interface ReadyDecoder {
  readonly format: KnownFormat
  readonly chained: boolean
  start(checked?: boolean): LineDecoder
  facts(head: Uint8Array): TraceFacts
  readonly readWhole: ((bytes: Uint8Array) => PartsReading) | undefined
  readonly readParts: (() => PartsReading) | undefined
}

/** The decoder for a trace by its first bytes. Throws `BAD_INPUT`, `UNKNOWN_NAME` and `BAD_OPTION`. */
export function decoderFor(head: Uint8Array, { format, formats = traceFormats, options, ...reading }: ParseOptions): ReadyDecoder {
  const chosen = format === undefined ? detectFormatOf(head, reading.file, formats) : typeof format === 'string' ? formatNamed(format, formats) : format
  const checked = checkOptions(chosen.name, chosen.options, options ?? {})
  return {
    format: chosen,
    chained: chosen.chained?.(checked) ?? false,
    start: (again) => new LineDecoder((place) => chosen.create(checked, place), reading, again),
    facts: (bytes) => chosen.facts?.(checked, bytes) ?? {},
    readWhole: chosen.readWhole && ((bytes) => chosen.readWhole!(bytes, checked, reading)),
    readParts: chosen.readParts && (() => chosen.readParts!(checked, reading)),
  }
}

/** The report of a reading so far. */
export function reportOf({ lines, counted, jobs, skipped, problems, more }: LineDecoder): TraceReport {
  return { lines, ...(counted === 'row' && { counted }), jobs, skipped, problems, ...more }
}

import { checkOptions, type JobSource, type JobSpec } from '@sched/core'
import { avroAsJson, isAvroBinary } from '../yarn/avro.js'
import type { TraceFacts } from './facts.js'
import type { PartsReading, ReadOptions, Trace, TraceFormat, TraceReport } from './format.js'
import { asText } from './fields.js'
import { detectFormatOf, traceFormat } from './formats.js'
import { LineDecoder } from './line-decoder.js'

/** How a trace is to be read. */
export interface ParseOptions extends ReadOptions {
  /** A format's name or the format itself; default: found out from the content. */
  readonly format?: string | TraceFormat | undefined
  /** Options of the format, for example SWIM's rate model. */
  readonly options?: unknown
}

/**
 * A trace whose content is in memory. All of it is checked now, so that no reading fails later; what is kept is the
 * bytes, which every `open` reads anew and which must not change. Throws `BAD_INPUT` with file, line and field, and
 * `BAD_OPTION`.
 */
export function parseTrace(content: Uint8Array, options: ParseOptions = {}): Trace {
  const bytes = isAvroBinary(asText(content, 0, 16)) ? avroAsJson(content, options.file) : content
  const decoder = decoderFor(bytes, options)
  if (decoder.readWhole !== undefined) return decoder.readWhole(bytes)
  const open = (checked: boolean) => {
    const reading = decoder.start(checked)
    reading.push(bytes)
    reading.end()
    return reading
  }
  const whole = open(false)
  const jobs: JobSpec[] = []
  for (let job = whole.next(); job !== undefined; job = whole.next()) if (decoder.format.isHeld === true) jobs.push(job)
  return {
    ...decoder.facts(bytes),
    ...decoder.format.inferred?.(jobs),
    name: options.file ?? decoder.format.name,
    format: decoder.format.name,
    chained: decoder.chained,
    jobs: whole.jobs,
    report: reportOf(whole),
    open(): JobSource {
      if (decoder.format.isHeld === true) return sourceOf(jobs)
      const reading = open(whole.skipped === 0)
      return { next: () => reading.next() }
    },
  }
}

function sourceOf(jobs: readonly JobSpec[]): JobSource {
  let next = 0
  return { next: () => jobs[next++] }
}

/** The chosen or detected format with its options checked, ready to start readings. */
export interface ReadyDecoder {
  readonly format: TraceFormat
  readonly chained: boolean
  start(checked?: boolean): LineDecoder
  facts(head: Uint8Array): TraceFacts
  readonly readWhole: ((bytes: Uint8Array) => Trace) | undefined
  readonly readParts: (() => PartsReading) | undefined
}

export function decoderFor(head: Uint8Array, { format, options, ...reading }: ParseOptions): ReadyDecoder {
  const chosen = format === undefined ? detectFormatOf(head, reading.file) : typeof format === 'string' ? traceFormat(format) : format
  const checked = checkOptions(chosen.name, chosen.options, options ?? {})
  return {
    format: chosen,
    chained: chosen.chained?.(checked) ?? false,
    start: (again) => new LineDecoder((place) => chosen.parser(checked, place), reading, again),
    facts: (bytes) => chosen.facts?.(checked, bytes) ?? {},
    readWhole: chosen.readWhole && ((bytes) => chosen.readWhole!(bytes, checked, reading)),
    readParts: chosen.readParts && (() => chosen.readParts!(checked, reading)),
  }
}

export function reportOf({ lines, counted, jobs, skipped, problems, more }: LineDecoder): TraceReport {
  return { lines, ...(counted === 'row' && { counted }), jobs, skipped, problems, ...more }
}

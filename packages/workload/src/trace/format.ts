import { BadLine, type FormatTraits, type JobSpec, type LineParser, type LinePlace, type OptionsSchema, type Workload } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { RuleCount, TraceFacts } from './facts.js'

export { BadLine, type LineParser, type LinePlace }

/** A format that a trace may be read in: a built-in one, or one of a plug-in. */
export interface KnownFormat<Options = unknown> extends FormatTraits<Options> {
  /** Name for `--format`. */
  readonly name: string
  /** What messages and listings call it. */
  readonly summary: string
  /** Where the format is described. */
  readonly source?: string
  /** Options of the reader, with their defaults. */
  readonly options: OptionsSchema<Options>
  /** A parser for one reading of one file. `place.line` is always the line that is being read. */
  create(options: Options, place: LinePlace): LineParser
  /** A single file that is too large for memory is read in chunks, although several files are read by `readParts`. */
  readonly isStreamed?: boolean
  /** What the jobs of a trace in memory tell besides. */
  inferred?(jobs: readonly JobSpec[]): TraceFacts
  /**
   * Reads a trace in memory in another way than line by line, because that is faster or because jobs must be sorted. The content is then added piece
   * by piece.
   */
  readWhole?(bytes: Uint8Array, options: Options, reading: ReadOptions): PartsReading
  /** The same for a trace in several files, or in one that is too large for memory. Without it, large files are streamed. */
  readParts?(options: Options, reading: ReadOptions): PartsReading
}

/** A built-in trace format. To add one, write such an object in a file of its own and add it to the list in `formats.ts`. */
export interface TraceFormat<S extends z.ZodType = z.ZodType> extends KnownFormat<z.output<S>> {
  /** Options of the reader, with their defaults. */
  readonly options: S
  /** Whether a file that starts with this text is of this format. The text has one character per byte and up to 64 KiB. */
  detect(head: string): boolean
}

/** Reads a trace that is in several files, or in one that is too large for memory. */
export interface PartsReading {
  /** Reads the next piece of a file, or all of it. A piece ends where a line ends. Throws `BAD_INPUT` with file, line and field. */
  add(bytes: Uint8Array, file: string | undefined): void
  /** The trace, after the last piece. Throws `BAD_INPUT` if no job is left. */
  trace(name: string | undefined): Trace
}

/** What a reading has found so far. */
export interface TraceReport {
  /** Number of lines read, including empty ones and headers. */
  readonly lines: number
  /** Number of jobs read. */
  readonly jobs: number
  /** What `lines`, `skipped` and the messages count. Default: lines. */
  readonly counted?: 'line' | 'row' | undefined
  /** Number of lines that were dropped because something was wrong with them. */
  readonly skipped: number
  /** Messages about the first of these lines. */
  readonly problems: readonly string[]
  /** The format's rules that applied, with how often. */
  readonly rules?: readonly RuleCount[]
  /** Lines for people: what the rules did, and what the header says that contradicts the jobs. */
  readonly notes?: readonly string[]
}

/** A workload that was read from a trace. */
export interface Trace extends Workload, TraceFacts {
  /** Name of the format that it was read in. */
  readonly format: string
  /** Report of the whole trace if it is in memory, otherwise of the latest reading. */
  readonly report: TraceReport
}

/** Options of all readers. */
export interface ReadOptions {
  /** Name of the file in messages, and of the workload unless the trace has a name. */
  readonly file?: string | undefined
  /** What to do about a bad line: `fail` (the default) throws; `skip` drops, counts and reports it. */
  readonly onBadLine?: 'fail' | 'skip' | undefined
  /** What messages count: lines (the default), or the rows of a table that is not text. */
  readonly counted?: 'line' | 'row' | undefined
  /** Most tasks in one job, as a guard against nonsense. Default 10,000,000. */
  readonly maxTasks?: number | undefined
}

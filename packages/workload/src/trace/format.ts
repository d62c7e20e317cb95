import type { JobSpec, Workload } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { RuleCount, TraceFacts } from './facts.js'

/** A trace format. To add one, write such an object in a file of its own and add it to the list in `formats.ts`. */
export interface TraceFormat<S extends z.ZodType = z.ZodType> {
  /** Name for `--format`. */
  readonly name: string
  /** What messages and listings call it. */
  readonly title: string
  /** Where the format is described. */
  readonly source?: string
  /** Options of the reader, with their defaults. */
  readonly options: S
  /** The parser holds all jobs until the end, so a trace in memory is read once and its jobs are kept. */
  readonly isHeld?: boolean
  /** Each file holds a part of the jobs, so the files of a directory together are one trace. */
  readonly isHistory?: boolean
  /** A single file that is too large for memory is read in chunks, although several files are read by `readParts`. */
  readonly isStreamed?: boolean
  /** Run times come from a model, for example of bytes read, and were not recorded. */
  readonly isModelled?: boolean
  /** Whether jobs may wait for others, so that ended jobs must be remembered. Default: they do not. */
  chained?(options: z.output<S>): boolean
  /** Whether a file that starts with this text is of this format. The text has one character per byte and up to 64 KiB. */
  detect(head: string): boolean
  /** A parser for one reading of one file. `place.line` is always the line that is being read. */
  parser(options: z.output<S>, place: LinePlace): LineParser
  /** What the start of a file tells besides its jobs. */
  facts?(options: z.output<S>, head: Uint8Array): TraceFacts
  /** What the jobs of a trace in memory tell besides. */
  inferred?(jobs: readonly JobSpec[]): TraceFacts
  /**
   * Reads a trace in memory in another way than line by line, because that is faster or because jobs must be sorted. The content is then added piece
   * by piece.
   */
  readWhole?(bytes: Uint8Array, options: z.output<S>, reading: ReadOptions): PartsReading
  /** The same for a trace in several files, or in one that is too large for memory. Without it, large files are streamed. */
  readParts?(options: z.output<S>, reading: ReadOptions): PartsReading
}

/** Reads a trace that is in several files, or in one that is too large for memory. */
export interface PartsReading {
  /** Reads the next piece of a file, or all of it. A piece ends where a line ends. Throws `BAD_INPUT` with file, line and field. */
  add(bytes: Uint8Array, file: string | undefined): void
  /** The trace, after the last piece. Throws `BAD_INPUT` if no job is left. */
  trace(name: string | undefined): Trace
}

/** Position of a parser in a file. */
export interface LinePlace {
  /** Name of the file in messages; `undefined` if there is none. */
  readonly file: string | undefined
  /** Number of the line or row, from 1; see `counted`. */
  readonly line: number
  /** What `line` counts. Default: lines. The header of a table of rows is row 0. */
  readonly counted?: 'line' | 'row' | undefined
  /** An earlier reading has accepted every line, so checks may be left out. */
  readonly checked: boolean
}

/** Turns lines into jobs. Throws `BadLine` for a line that may be skipped, and `SchedError` if the file cannot be read at all. */
export interface LineParser {
  /** The job of the line `bytes[from]` to `bytes[to - 1]`, which does not include the line end; `undefined` if the line yields none. */
  line(bytes: Uint8Array, from: number, to: number): JobSpec | undefined
  /** Called after the last line. */
  end?(): void
  /** The next of further jobs: those of the line read last or, after `end`, those held back until then. `undefined` if there are no more. */
  more?(): JobSpec | undefined
  /** What the parser did to the jobs so far. */
  report?(): Pick<TraceReport, 'rules' | 'notes'>
}

/** What is wrong with one line: the field, a fact that completes a sentence about it, and a way out without a full stop (empty: correct the line). */
export class BadLine extends Error {
  constructor(readonly field: string | undefined, readonly fact: string, readonly wayOut = '') {
    super(fact)
  }
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

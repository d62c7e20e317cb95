import type { JobSpec, Workload } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { RuleCount, TraceFacts } from './facts.js'

/** A trace format. To add one: a file with such an object, and its name in `formats.ts`. */
export interface TraceFormat<S extends z.ZodType = z.ZodType> {
  /** As `--format` names it. */
  readonly name: string
  /** What it is called in messages and listings. */
  readonly title: string
  /** Where it is described. */
  readonly source?: string
  /** Options of its reader, with their defaults. */
  readonly options: S
  /** Its parser holds all jobs until the end, so that a content in memory is read once and its jobs are kept. */
  readonly isHeld?: boolean
  /** Each of its files is of a part of the jobs, so that those of a directory are one trace. */
  readonly isHistory?: boolean
  /** A single file that is too large to be held is read in chunks, although several are read by `readParts`. */
  readonly isStreamed?: boolean
  /** Its run times are made by a model, of bytes for example, and not recorded. */
  readonly isModelled?: boolean
  /** Whether jobs may follow others (`after`), so that ended jobs must be remembered; default: they do not. */
  chained?(options: z.output<S>): boolean
  /** Whether a file that starts with this text (one character per byte, up to 64 KiB) is of this format. */
  detect(head: string): boolean
  /** A parser for one reading of one file; `place.line` is the line that is being read. */
  parser(options: z.output<S>, place: LinePlace): LineParser
  /** What the start of a file says besides its jobs. */
  facts?(options: z.output<S>, head: Uint8Array): TraceFacts
  /** What the jobs of a content that is held say besides. */
  inferred?(jobs: readonly JobSpec[]): TraceFacts
  /** A way to read a content that is in memory other than line by line: faster, or sorting its jobs. It is then given piece by piece. */
  readWhole?(bytes: Uint8Array, options: z.output<S>, reading: ReadOptions): PartsReading
  /** The same piece by piece, also of several files whose jobs are one trace: for files too large to be held, and directories, which are streamed without it. */
  readParts?(options: z.output<S>, reading: ReadOptions): PartsReading
}

/** Reads a trace that lies in several files, or in one that is not held. */
export interface PartsReading {
  /** Reads the next piece of a file, or all of it; the end of a piece is the end of a line. Throws `BAD_INPUT` with file, line and field. */
  add(bytes: Uint8Array, file: string | undefined): void
  /** After the last. Throws `BAD_INPUT` where no job is left. */
  trace(name: string | undefined): Trace
}

/** Where a parser is. */
export interface LinePlace {
  /** Name of the file in messages; undefined where there is none. */
  readonly file: string | undefined
  /** Its number, from 1, as `counted` says. */
  readonly line: number
  /** What `line` counts; default: lines. The header of a table of rows is row 0. */
  readonly counted?: 'line' | 'row' | undefined
  /** An earlier reading has found nothing wrong with any line, so that checks may be left out. */
  readonly checked: boolean
}

/** Turns lines into jobs. Throws `BadLine` for a line that may be skipped, `SchedError` for a file that cannot be read. */
export interface LineParser {
  /** The job of the line `bytes[from]` to `bytes[to - 1]`, without its end; `undefined` when the line holds none. */
  line(bytes: Uint8Array, from: number, to: number): JobSpec | undefined
  /** After the last line. */
  end?(): void
  /** Further jobs of the line read last, or after `end` those held back until then, one at a time. */
  more?(): JobSpec | undefined
  /** What it did to the jobs so far. */
  report?(): Pick<TraceReport, 'rules' | 'notes'>
}

/** What is wrong with one line. */
export class BadLine extends Error {
  constructor(readonly field: string | undefined, readonly fact: string, readonly wayOut = '') {
    super(fact)
  }
}

/** What a reading has seen so far. */
export interface TraceReport {
  /** Lines read, blank ones and headers too. */
  readonly lines: number
  /** Jobs read. */
  readonly jobs: number
  /** What is counted here, and in the messages; default: lines. */
  readonly counted?: 'line' | 'row' | undefined
  /** Lines that were dropped because something was wrong with them. */
  readonly skipped: number
  /** Messages about the first of them. */
  readonly problems: readonly string[]
  /** How often the format's rules applied; only those that did. */
  readonly rules?: readonly RuleCount[]
  /** Lines for people: what the rules did, and what the header says that the jobs do not bear out. */
  readonly notes?: readonly string[]
}

/** A workload read from a trace. */
export interface Trace extends Workload, TraceFacts {
  /** Name of the format that it was read in. */
  readonly format: string
  /** Of the whole trace when it is held in memory, of the latest reading when it is streamed. */
  readonly report: TraceReport
}

/** Options of every reader. */
export interface ReadOptions {
  /** Name of the file in messages, and of the workload unless the trace names itself. */
  readonly file?: string | undefined
  /** What to do about a line that cannot be used: `fail` (the default) throws, `skip` drops, counts and reports it. */
  readonly onBadLine?: 'fail' | 'skip' | undefined
  /** What messages count: lines (the default), or rows, of a table that was no text and is read as one. */
  readonly counted?: 'line' | 'row' | undefined
  /** Most tasks in one job, as a guard against nonsense; default 10,000,000. */
  readonly maxTasks?: number | undefined
}

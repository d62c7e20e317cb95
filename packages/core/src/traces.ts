import type { Seconds } from './ids.js'
import type { Demand, JobSpec, Workload } from './job.js'

/** The machine that a trace was recorded on. */
export interface Machine {
  /** Its number of processors, if known. */
  readonly procs?: number
  /** Its number of nodes, if known. */
  readonly nodes?: number
  /** The whole machine as one node, in the resources that the jobs of the trace ask for: `{ procs: 240 }`. */
  readonly resources: Demand
  /** Each unit of the machine is a node of its own, and jobs are gangs of one task per unit. */
  readonly separate?: true
  /** Sentence that says where each amount comes from. */
  readonly origin: string
}

/** A workload that may say what it was made for, whatever the seed. It runs there where nobody describes a cluster. */
export type GeneratedWorkload = Workload & {
  /** The parallel machine of rigid jobs. */
  readonly machine?: Machine
  /** Nodes of any kind, written as `cluster` in an experiment; goes before `machine`. */
  readonly cluster?: object
}

/** What a generator is built with. */
export interface GeneratorEnv {
  /** Seed of the run. An option `seed` that is given goes before it. */
  readonly seed: number
}

/** Fields of a header in the order of the file. A field may occur several times; a value may have several lines. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** What a trace tells besides its jobs. */
export interface TraceFacts {
  /** The machine; absent if its size is neither given nor known without reading all jobs. */
  readonly machine?: Machine
  /** Jobs ask for parts of a parallel machine whose size is known only after all jobs are read. */
  readonly isRigid?: boolean
  /** Fields of the header, if there is one. */
  readonly header?: HeaderFields
  /**
   * What time 0 is on the clock of the log, in seconds since 1970, or since the start of the window in Google's traces. Absent if the trace does not
   * say.
   */
  readonly start?: Seconds
  /** Time zone named in the header. */
  readonly timeZone?: string
}

/** How often a rule of a reader applied. */
export interface RuleCount {
  /** Name of the option, for example `overrun`. */
  readonly rule: string
  /** Number of jobs, or of the things that `text` begins with: tasks, attempts, submissions, events, steps, pods or objects. */
  readonly jobs: number
  /** What was found and what was done about it: `longer than estimated: cut at the estimate`. */
  readonly text: string
}

/** What a format says besides how its lines are read. */
export interface FormatTraits<Options = unknown> {
  /** The parser holds all jobs until the end, so a trace in memory is read once and its jobs are kept. */
  readonly isHeld?: boolean
  /** Each file holds a part of the jobs, so the files of a directory together are one trace. */
  readonly isHistory?: boolean
  /** Run times come from a model, for example of bytes read, and were not recorded. */
  readonly isModelled?: boolean
  /** Whether jobs may wait for others, so that ended jobs must be remembered. Default: they do not. */
  chained?(this: void, options: Options): boolean
  /**
   * Whether a file that starts with this text is of this format. The text has one character per byte and up to 64 KiB. Default: it is not, and the
   * format has to be named.
   */
  detect?(this: void, head: string): boolean
  /** What the start of a file tells besides its jobs. */
  facts?(this: void, options: Options, head: Uint8Array): TraceFacts
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

/**
 * Turns lines into jobs, in order of submission. Throws `BadLine` for a line that may be skipped, and `SchedError` if the file cannot be read at all.
 */
export interface LineParser {
  /** The job of the line `bytes[from]` to `bytes[to - 1]`, which does not include the line end; `undefined` if the line yields none. */
  line(bytes: Uint8Array, from: number, to: number): JobSpec | undefined
  /** Called after the last line. */
  end?(): void
  /** The next of further jobs: those of the line read last or, after `end`, those held back until then. `undefined` if there are no more. */
  more?(): JobSpec | undefined
  /** What the parser did to the jobs so far: rules that applied with how often, and lines for people. */
  report?(): { readonly rules?: readonly RuleCount[]; readonly notes?: readonly string[] }
}

/** What is wrong with one line: the field, a fact that completes a sentence about it, and a way out without a full stop (empty: correct the line). */
export class BadLine extends Error {
  override readonly name = 'BadLine'

  /** Whether an error is one; a plug-in may have this class from another copy of the package. */
  static is(error: unknown): error is BadLine {
    return error instanceof Error && error.name === 'BadLine'
  }

  constructor(readonly field: string | undefined, readonly fact: string, readonly wayOut = '') {
    super(fact)
  }
}

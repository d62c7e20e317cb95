import type { DecisionHash } from './decision-hash.js'

/** `small` is for tests and smoke runs: seconds in all, figures without meaning. */
export type Size = 'full' | 'small'

/** What one run did. */
export interface Outcome {
  /** Units of work by which its CPU time is divided: launches, operations, rows. */
  readonly work: number
  /** Any number that tells different runs apart, for example the time of the last event; all runs of a variant must agree. */
  readonly check: number
  /** Further measured numbers, for example bytes. */
  readonly facts?: Readonly<Record<string, number>>
}

/** A variant that is ready to run, in its process. */
export interface Prepared {
  /** Called before every run; its time is not counted. */
  setUp?(): void
  /** One run. With a hash it reports its decisions; only such a run may spend time on that. */
  run(hash?: DecisionHash): Outcome | Promise<Outcome>
}

/** One way to do a benchmark's work; each has a process of its own, since what one teaches the compiler slows the next. */
export interface Variant {
  readonly name: string
  /** Most runs after the first one in a process. 0: too slow to repeat; its one timed run is then the hashed one. */
  readonly runs?: number
  /** Processes, each with a first run. Default 3. */
  readonly processes?: number
  /** Flags of its process. */
  readonly execArgv?: readonly string[]
  prepare(size: Size): Prepared | Promise<Prepared>
}

export interface Benchmark {
  readonly name: string
  /** One sentence for the page: what is done, at what size. */
  readonly summary: string
  /** Why it cannot be measured here, `undefined` when it can. */
  missing?(): string | undefined
  readonly variants: readonly Variant[]
  /** Groups of variants whose decisions must be the same. */
  readonly agree?: readonly (readonly string[])[]
  /** The figures, from one measurement per variant. */
  figures(measured: Readonly<Record<string, Measurement>>): Figure[]
}

/** What the runs of a variant took. */
export interface Measurement {
  readonly work: number
  /** CPU seconds, user and system, of the first run in a process: median over processes. */
  readonly cold: number
  /** CPU seconds of a later run: median over runs and processes; NaN when there was none. */
  readonly warm: number
  /** Most resident memory of the process up to the end of its first run, bytes. */
  readonly peak: number
  readonly hash: string
  readonly facts: Readonly<Record<string, number>>
}

/** One line of the result as programs read it. */
export interface Row {
  readonly id: string
  /** The headline: the one of `cold` and `warm` that counts, or a figure that has neither. */
  readonly value: number
  readonly unit: string
  readonly cold: number | null
  readonly warm: number | null
  /** How many times better than the naive baseline of this repository, warm where both are. */
  readonly ratio: number | null
  /** Order-sensitive digest of all decisions. */
  readonly hash: string | null
}

export interface Goal {
  readonly of: 'value' | 'cold' | 'warm' | 'ratio'
  readonly atLeast?: number
  readonly atMost?: number
}

/** A row with what is expected of it. */
export interface Figure extends Row {
  readonly goals: readonly Goal[]
}

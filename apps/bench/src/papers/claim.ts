import type { Range } from './range.js'
import type { Threads } from './threads.js'

/** Q: quantitative target; R: ratio or direction only; N: cannot be reproduced; own: our own figure, bound to the hardware. */
export type Class = 'Q' | 'R' | 'N' | 'own'

/** How a figure is printed: a share as per cent, a ratio as a multiple. */
export type Unit = 'share' | 'ratio' | 'seconds' | 'slots' | 'number' | 'per second'

/** A mean with its 95% interval. */
export interface Estimate {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** One estimate per measure of a claim. */
export type Finding = readonly Estimate[]

/** What a row measures, and where the figure must lie for the row to hold. */
export interface Measure {
  readonly name: string
  readonly unit: Unit
  readonly expected: Range
}

/** A published result: one row of a sheet. */
export interface Claim {
  readonly id: string
  readonly class: Class
  /** In the units of the measures (shares as fractions); words where the paper gives a range, a bound or a picture. */
  readonly published: number | readonly number[] | string
  readonly measures: readonly Measure[]
  /** What else must be known of the row: a measure that was revised after first runs, where the set-up limits the claim. In sentences. */
  readonly notes?: readonly string[]
  /** Why the row cannot be reproduced (class N), or the likely reason should it not hold. */
  readonly why?: string
}

/** What came of an experiment: a finding per claim, and what else is worth knowing, in sentences. */
export interface Findings {
  readonly byId: Readonly<Record<string, Finding>>
  readonly remarks?: readonly string[]
  /** Sweeps behind the rows, as Markdown with a line of text above each table. */
  readonly tables?: readonly string[]
}

/** One repetition of an experiment. */
export interface Trial {
  readonly seed: number
  /** Check conservation and every counter while running; slow. */
  readonly validate: boolean
  /** Only to see that everything runs: experiments may be shorter. */
  readonly quick?: boolean
  /** Threads for experiments of many runs; default: none but this. */
  readonly threads?: Threads | undefined
}

/** One set-up, run once per trial, and all the rows that are read off it. */
export interface Experiment {
  readonly title: string
  /** Cluster, workload, policies and assumptions, in sentences. */
  readonly setup: readonly string[]
  readonly claims: readonly Claim[]
  run(trials: readonly Trial[]): Findings
}

export const measure = (name: string, unit: Unit, expected: Range): Measure => ({ name, unit, expected })

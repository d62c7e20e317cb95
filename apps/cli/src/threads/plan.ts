import type { SharedPlace } from '../output/run-parts.js'
import type { ExperimentSpec } from '../experiment/schema.js'
import type { Draw } from '../drawing.js'

/** A described experiment without what only messages need. */
export interface Variant {
  readonly spec: ExperimentSpec
  readonly directory: string
}

/** One policy of one variant on one seed; all by number. */
export interface PlannedRun {
  readonly variant: number
  readonly policy: number
  readonly seed: number
}

/** Everything that is to be run, as plain data: any thread can run any part of it. */
export interface Plan {
  readonly variants: readonly Variant[]
  readonly runs: readonly PlannedRun[]
  /** Where the jobs of every run go, if anywhere. */
  readonly jobs?: SharedPlace | undefined
  /** What is to be kept for charts, if anything. */
  readonly draw?: Draw | undefined
}

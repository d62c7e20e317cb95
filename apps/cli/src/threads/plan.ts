import type { SharedPlace } from '../output/job-files.js'
import type { ExperimentSpec } from '../experiment/schema.js'

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
}

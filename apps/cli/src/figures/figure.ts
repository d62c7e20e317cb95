import type { ComparisonRow } from '@sched/report'

/** A number that every run yields, or every class of jobs in it. */
export interface Figure<Of> {
  readonly key: string
  readonly title: string
  /** `%` figures are fractions that are shown times 100. */
  readonly unit: ComparisonRow['unit']
  readonly of: (measured: Of) => number
}

import type { ComparisonRow } from '@sched/report'

/** A number that every run yields, or every class of jobs in it. */
export interface Figure<Of> {
  readonly key: string
  readonly title: string
  /** `%` figures are fractions that are shown times 100. */
  readonly unit: ComparisonRow['unit']
  /** A metric of a plug-in has measured it. */
  readonly own?: true
  readonly of: (measured: Of) => number
}

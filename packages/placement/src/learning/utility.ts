import type { JobId, Round } from '@sched/core'

/**
 * How much a scheduler wants a job next, above 0. `place`: falls from 1 for the first job of the order in equal steps;
 * `reciprocal`: 1, 1/2, 1/3, ...; `age`: seconds since submission, and one; `equal`: 1, so that the best pair wins.
 */
export const utilities = {
  place: (_job: JobId, place: number, jobs: number) => (jobs - place) / jobs,
  reciprocal: (_job: JobId, place: number) => 1 / (place + 1),
  age: (job: JobId, _place: number, _jobs: number, { now, work }: Round) => now - work.submitted(job) + 1,
  equal: () => 1,
} as const satisfies Readonly<Record<string, (job: JobId, place: number, jobs: number, round: Round) => number>>

export type UtilityName = keyof typeof utilities
export const utilityNames = Object.keys(utilities) as UtilityName[]

/** Whether a utility never grows along the order, so that a reader may stop once it cannot win any more. */
export const falls = (name: UtilityName): boolean => name !== 'age'

import type { JobId, Round } from '@sched/core'

/**
 * How much a scheduler prefers a job, a number above 0. `place`: falls from 1 in equal steps along the order; `reciprocal`: 1, 1/2, 1/3, ... along the order;
 * `age`: seconds since submission, plus 1; `equal`: 1 for all, so that the best pair wins.
 */
export const utilities = {
  place: (_job: JobId, place: number, jobs: number) => (jobs - place) / jobs,
  reciprocal: (_job: JobId, place: number) => 1 / (place + 1),
  age: (job: JobId, _place: number, _jobs: number, { now, work }: Round) => now - work.submitted(job) + 1,
  equal: () => 1,
} as const satisfies Readonly<Record<string, (job: JobId, place: number, jobs: number, round: Round) => number>>

export type UtilityName = keyof typeof utilities
export const utilityNames = Object.keys(utilities) as UtilityName[]

/** Whether a utility never grows along the order, so that the search may stop as soon as no later job can win. */
export const falls = (name: UtilityName): boolean => name !== 'age'

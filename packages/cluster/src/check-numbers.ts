import { SchedError, type JobSpec } from '@sched/core'

/** What each number of a job must be, by field. */
const rules: readonly (readonly [field: 'priority' | 'weight' | 'estimate' | 'deadline' | 'arrayThrottle', isGood: (value: number) => boolean, wayOut: string])[] = [
  ['priority', Number.isFinite, 'Give a finite number; larger is more important.'],
  ['weight', (value) => value > 0 && value < Infinity, 'Give a number above 0.'],
  ['estimate', (value) => value >= 0, 'Give seconds, at least 0, or leave it out where the run time is unknown.'],
  ['deadline', (value) => value >= 0, 'Give seconds, at least 0, or leave it out.'],
  ['arrayThrottle', (value) => value >= 1, 'Give a number, at least 1, or leave it out.'],
]

/** Throws `BAD_INPUT` for a job of a program without types whose numbers are none, by which orders would compare it: with job and field. */
export function checkNumbers(job: JobSpec): void {
  for (const [field, isGood, wayOut] of rules) {
    const value: unknown = job[field]
    if (value === undefined || (typeof value === 'number' && isGood(value))) continue
    throw new SchedError('BAD_INPUT', `job ${job.id} has ${typeof value === 'number' ? value : JSON.stringify(value)}.`, { field }, wayOut)
  }
}

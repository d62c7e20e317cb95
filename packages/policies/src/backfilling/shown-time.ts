import { LocalClock, SchedError, type Env, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** A local time of the workload as clocks show it, such as 2026-03-01T08:00:00. */
export const shownTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/, 'seconds, or a local time such as 2026-03-01T08:00:00')

/** Seconds of the run of a time that may be given as local clocks show it. Throws `BAD_OPTION` where nobody knows when the run began. */
export function secondsOf(shown: number | string, field: string, { start, timeZone }: Pick<Env, 'start' | 'timeZone'>): Seconds {
  if (typeof shown === 'number') return shown
  if (start === undefined)
    throw new SchedError('BAD_OPTION', `it is ${shown}, and the workload does not say when it began.`, { field }, 'Give seconds from the start of the run.')
  const seconds = Date.parse(`${shown.length < 19 ? `${shown}:00` : shown}Z`) / 1000
  if (Number.isNaN(seconds)) throw new SchedError('BAD_OPTION', `there is no time ${shown}.`, { field }, 'Write for example 2026-03-01T08:00:00.')
  return (timeZone === undefined ? seconds : new LocalClock(timeZone).first(seconds)) - start
}

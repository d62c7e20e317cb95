import { randomStream, SchedError, type Seconds, type Workload } from '@sched/core'
import { factsOf } from '../trace/facts.js'
import { workloadOf } from '../workload.js'
import { Copies } from './copies.js'
import { UsersOfLog, type User } from './users-of-log.js'

const WEEK = 604_800

/** How a log is drawn anew. */
export interface Resampling {
  /** Seed of the draws. */
  readonly seed: number
  /** Factor on the number of users, above 0; each has the jobs of a user of the log, so the load changes in proportion. Default 1. */
  readonly users?: number | undefined
  /**
   * A user whose first and last submissions are at least this many periods apart is there all the time; the others come and go. A whole number of at
   * least 0. Default 12.
   */
  readonly longTerm?: number | undefined
  /**
   * Jobs move by multiples of this many seconds, above 0. Default: a week, which keeps the hours of the day and the days of the week.
   */
  readonly period?: Seconds | undefined
  /** Number of periods of the new workload, at least 1. Default: as many as in the log, rounded to a whole number. */
  readonly periods?: number | undefined
}

/**
 * Another workload that the users of a log might have made. Every user submits the same jobs at the same times of the same days; which users are there
 * together is drawn. Simulations of several such workloads show how far a result hangs on the one history that was recorded.
 *
 * - A user who was there for long is there all the time: the jobs move by a number of periods that is drawn, and what passes the end of the workload
 *   comes at its beginning.
 * - Of the others as many come as in the log: users are drawn with replacement, and so is the period in which each begins.
 *
 * A user who is there twice is two, `anna` and `anna~2`; jobs and arrays that come again are named in the same way. A job waits for those of its user
 * that come before it, as in the log. Recorded waits are left out: they are of another schedule. Jobs that name nobody are of one user.
 *
 * Source: Zakay and Feitelson, "Workload resampling for performance evaluation of parallel job schedulers", Concurrency and Computation 26(12), 2014:
 * resampling by users, their two kinds, whole weeks. Deviation: users who stay come back at once, in step with the length of the log, and those who
 * come for a while begin uniformly, so that the load expected is that of the log in every period.
 *
 * Throws `BAD_OPTION` for an option out of its range, for jobs of which none names a user, for a log shorter than two periods, and for a workload that
 * cannot be held in memory, or whose submissions follow the run.
 */
export function resample(workload: Workload, resampling: Resampling): Workload {
  const { seed, users = 1, longTerm = 12, period = WEEK } = checked(resampling)
  const log = new UsersOfLog(workload, period)
  const { periods = log.periods } = resampling
  const staying = log.users.filter((user) => user.span >= longTerm)
  const passing = log.users.filter((user) => user.span < longTerm)
  const copies = new Copies(period, periods)
  const shift = below(randomStream(seed, 'resample/stay'))
  for (const user of repeated(staying, users, below(randomStream(seed, 'resample/more')))) copies.stay(user, shift(log.periods), log.periods)
  const draw = below(randomStream(seed, 'resample/come'))
  for (let left = Math.round((passing.length * users * periods) / log.periods); left > 0; left--) copies.come(passing[draw(passing.length)] as User, draw(periods))
  return { ...factsOf(workload), ...workloadOf(`${workload.name}, resampled`, copies.jobs()) }
}

function checked(resampling: Resampling): Resampling {
  const { users = 1, longTerm = 12, period = WEEK, periods = 1 } = resampling
  const least = (field: keyof Resampling, value: number, isRight: boolean, expected: string, usual: string) => {
    if (!isRight) throw new SchedError('BAD_OPTION', `found ${value}, expected ${expected}.`, { field: `resample.${field}` }, `Leave it out for ${usual}.`)
  }
  least('users', users, users > 0 && users < Infinity, 'a number above 0', '1, as many as in the log')
  least('longTerm', longTerm, Number.isInteger(longTerm) && longTerm >= 0, 'a whole number of at least 0', '12')
  least('period', period, period > 0 && period < Infinity, 'seconds above 0', `${WEEK}, a week`)
  least('periods', periods, Number.isInteger(periods) && periods >= 1, 'a whole number of at least 1', 'as many as in the log')
  return resampling
}

/** Draws whole numbers from 0 up to a limit, exclusive. */
const below = (next: () => number) => (limit: number): number => Math.floor(next() * limit)

/** Each user as often as the whole part of `times` says, and further users, drawn without replacement, up to `times` as many in total. */
function* repeated(users: readonly User[], times: number, draw: (limit: number) => number): Generator<User> {
  const left = [...users]
  for (let each = Math.floor(times); each > 0; each--) yield* users
  for (let more = Math.round(users.length * times) - users.length * Math.floor(times); more > 0; more--) yield left.splice(draw(left.length), 1)[0] as User
}

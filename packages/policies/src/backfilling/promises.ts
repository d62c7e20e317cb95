import type { Env, JobId, Round, Seconds } from '@sched/core'

/** When reservations are compressed, and which of them first. */
export interface Compression {
  readonly compress: 'early-ends' | 'all-ends'
  readonly compressOrder: 'queue' | 'start'
}

/** Orders jobs by reserved start, then by planned length; both in seconds by job. Jobs without a start to reserve (`Infinity`) are last. */
export const byStart = (start: Float64Array, length: Float64Array) => (a: JobId, b: JobId): number =>
  (start[a] as number) - (start[b] as number) || (length[a] as number) - (length[b] as number)

/** The reserved starts of all waiting jobs of a lane. */
export interface Promises {
  /** A job has come. */
  reset(job: JobId): void
  /** Takes a job's reservation away: it is not waiting any more, or asks something else from now on. */
  withdraw(job: JobId): void
  /** The start that the job is promised; `undefined` if it has none. */
  startOf(job: JobId): Seconds | undefined
  /** What it goes by beside what waits and runs; null where all jobs are placed anew in the next pass, whatever was planned. */
  memory(work: Env['work']): unknown
  /** Jobs keep the starts that were reserved for them; what runs is expected to end when it was, so that no plan is made anew. */
  recall(memory: unknown, env: Env): void
  /** Brings the plan up to `round.now`: early ends, then newcomers. */
  update(round: Round): void
  /** Starts the jobs whose time has come; true when others lost their reservation as these started, which a limit held back: the plan has gaps. */
  startDue(round: Round): boolean
  /** Asks for a round at the next reserved start: it can fall due when nothing else happens. */
  wake(round: Round): void
}

/** The first start that a job has in any lane; `undefined` where it has none. */
export const earliestOf = (starts: readonly (Seconds | undefined)[]): Seconds | undefined => starts.reduce((first, start) => (start === undefined || (first ?? Infinity) <= start ? first : start), undefined)

/** A start that is reserved, from a column in which `NaN` and `Infinity` stand for none. */
export const finiteStart = (start: Seconds | undefined): Seconds | undefined => (start !== undefined && start < Infinity ? start : undefined)

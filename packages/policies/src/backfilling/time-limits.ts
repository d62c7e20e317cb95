import type { JobId, Seconds, WorkView } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'

const MINUTE = 60

/** Between how few and how many seconds a job that starts is to have, in whole minutes. */
export interface RunTime {
  /** It has less than `most` where reservations would be in its way, but no less than this; `Infinity`: whatever reservations are there. */
  readonly least: Seconds
  readonly most: Seconds
}

export const WHOLE: RunTime = { least: Infinity, most: Infinity }

/** The whole minutes in a span of time. */
const fullMinutes = (seconds: Seconds): Seconds => Math.floor(seconds / MINUTE) * MINUTE

/**
 * What Slurm's schedulers make of the least time limit of a job (`--time-min`). In a plan the job needs room for that alone. It then starts with the highest
 * limit, in whole minutes, up to its own, with which it is in no reservation's way. One with a firm deadline (`--deadline`), too, needs room for all of its
 * limit, and starts with what is left until then. At events a job starts with its own limit, or with what is left until such a deadline.
 *
 * Source: Slurm, `_attempt_backfill` and `_reset_job_time_limit` of sched/backfill, and `deadline_time_limit` of slurmctld/job_scheduler.c. In 22.05 a job
 * without a deadline that a plan starts has its least limit, whatever there is room for; its manual and its later sources have it as here.
 */
export class TimeLimits {
  readonly #work: WorkView

  constructor(work: WorkView) {
    this.#work = work
  }

  /** For how many seconds a plan must have room for the job, at most. */
  asked(job: JobId, { shortest, areShorter }: RigidLane): Seconds {
    return areShorter && !this.#isDue(job) ? (shortest[job] as number) : Infinity
  }

  /** What a job has that a plan starts. */
  inPlan(job: JobId, lane: RigidLane, now: Seconds): RunTime {
    if (!isShorter(job, lane)) return WHOLE
    return { least: lane.shortest[job] as number, most: this.#untilDeadline(job, now) }
  }

  /** What a job has that starts at an event. */
  atEvent(job: JobId, lane: RigidLane, now: Seconds): RunTime {
    if (!isShorter(job, lane) || !this.#isDue(job)) return WHOLE
    return { least: Infinity, most: Math.max(lane.shortest[job] as number, this.#untilDeadline(job, now)) }
  }

  #untilDeadline(job: JobId, now: Seconds): Seconds {
    return this.#isDue(job) ? fullMinutes(this.#work.deadline(job) - now) : Infinity
  }

  #isDue(job: JobId): boolean {
    return this.#work.isDeadlineFirm(job) && this.#work.deadline(job) < Infinity
  }
}

const isShorter = (job: JobId, { length, shortest, areShorter }: RigidLane): boolean => areShorter && (shortest[job] as number) < (length[job] as number)

/**
 * The seconds that a job has that starts now, of a planned length of `full`. `lasts`: for how many seconds, up to a number, it would be in the way of no
 * reservation.
 */
export function runTime(full: Seconds, { least, most }: RunTime, lasts: (most: Seconds) => Seconds): Seconds {
  const seconds = Math.min(full, most)
  return least < Infinity ? Math.max(least, Math.min(seconds, fullMinutes(lasts(seconds)))) : seconds
}

import { grown, type JobId, type JobSpec, type Observer, type Seconds, type StartRow } from '@sched/core'
import { boundedSlowdown, TAU } from './bounded-slowdown.js'
import { EXACT_VALUES, Values, type Distribution } from './distribution.js'
import { byLabel, JobClasses, type ClassOf } from './job-classes.js'
import { counts, wholeRun, type Period } from './period.js'

/** Options of `jobTimes`; all may be left out. */
export interface JobTimesOptions {
  /** Class of a job. Default: `JobSpec.label`. */
  readonly classOf?: ClassOf | undefined
  /** Number of values per distribution up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
  /** Threshold tau of the bounded slowdown, seconds. Default 10. */
  readonly tau?: Seconds | undefined
  /** Jobs submitted outside this period do not count. Default: all count. */
  readonly period?: Period | undefined
}

/** Times of some jobs, in seconds. */
export interface Times {
  /** Jobs submitted and not rejected. */
  readonly jobs: number
  /** Jobs of which any task started. */
  readonly started: number
  /** Jobs of which all tasks are done. */
  readonly finished: number
  /** Jobs given up with tasks left, and jobs that failed. */
  readonly abandoned: number
  /** Jobs left out at their submission, which no other figure counts. */
  readonly rejected: number
  /** Time from submission to the start of the first task, over the jobs that started. */
  readonly wait: Distribution
  /** Time from submission to the end of the job, over the jobs that finished. */
  readonly response: Distribution
  /**
   * Bounded slowdown, a pure number >= 1, over the jobs that finished: response / max(response - wait, tau), at least 1. Source: Feitelson et al.,
   * "Theory and Practice in Parallel Job Scheduling", JSSPP 1997.
   */
  readonly slowdown: Distribution
  /** From the first submission to the last end of a finished job; NaN if none has finished. */
  readonly makespan: Seconds
}

/** Times of all jobs, and of each class by label. */
export interface JobTimesResult {
  /** Over all jobs. */
  readonly overall: Times
  /** By class, in natural order of labels, also where all its jobs were rejected; empty if no job has a class. */
  readonly classes: readonly ({ readonly label: string } & Times)[]
}

/** Measures wait, response, bounded slowdown and makespan, over all jobs and by class. */
export const jobTimes = (options: JobTimesOptions = {}): JobTimes => new JobTimes(options)

const NOT_STARTED = -1
/** Marks a job that does not count, in place of its start. */
const IGNORED = -2

export class JobTimes implements Observer {
  readonly #classes: JobClasses<ClassTimes>
  /** Abandoned jobs whose last tasks still run. */
  readonly #abandoned = new Set<JobId>()
  readonly #period: Period
  #submits = new Float64Array(0)
  #starts = new Float64Array(0)

  constructor({ classOf = byLabel, exact = EXACT_VALUES, tau = TAU, period = wholeRun }: JobTimesOptions) {
    this.#classes = new JobClasses(classOf, () => new ClassTimes(exact, tau))
    this.#period = period
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (job >= this.#submits.length) {
      this.#submits = grown(this.#submits, job + 1)
      this.#starts = grown(this.#starts, job + 1)
    }
    this.#submits[job] = now
    this.#starts[job] = counts(this.#period, now) ? NOT_STARTED : IGNORED
    if (this.#starts[job] === IGNORED) return
    this.#classes.overall.submit(now)
    this.#classes.add(job, spec)?.submit(now)
  }

  onTasksStart({ job }: StartRow, now: Seconds): void {
    if (this.#starts[job] === NOT_STARTED) this.#begin(job, now)
  }

  onReject(spec: JobSpec, _reason: string, now: Seconds): void {
    if (!counts(this.#period, now)) return
    this.#classes.overall.rejected++
    const own = this.#classes.partOf(spec)
    if (own !== undefined) own.rejected++
  }

  onAbandon(job: JobId): void {
    if (this.#starts[job] === IGNORED) return
    this.#abandoned.add(job)
    this.#classes.overall.abandoned++
    const own = this.#classes.of(job)
    if (own !== undefined) own.abandoned++
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#abandoned.size > 0 && this.#abandoned.delete(job)) return
    const submit = this.#submits[job] as number
    const start = this.#starts[job] as number
    if (start === IGNORED) return
    this.#classes.overall.end(submit, start, now)
    this.#classes.of(job)?.end(submit, start, now)
  }

  result(): JobTimesResult {
    return this.#classes.results((times) => times.result())
  }

  #begin(job: JobId, now: Seconds): void {
    this.#starts[job] = now
    const wait = now - (this.#submits[job] as number)
    this.#classes.overall.wait.add(wait)
    this.#classes.of(job)?.wait.add(wait)
  }
}

class ClassTimes {
  readonly wait: Values
  readonly response: Values
  readonly slowdown: Values
  jobs = 0
  abandoned = 0
  rejected = 0
  #first = Infinity
  #last = NaN

  constructor(exact: number, private readonly tau: Seconds) {
    this.wait = new Values(exact)
    this.response = new Values(exact)
    this.slowdown = new Values(exact)
  }

  submit(now: Seconds): void {
    this.jobs++
    if (now < this.#first) this.#first = now
  }

  end(submit: Seconds, start: Seconds, now: Seconds): void {
    this.response.add(now - submit)
    this.slowdown.add(boundedSlowdown(submit, start, now, this.tau))
    this.#last = now
  }

  result(): Times {
    const [wait, response, slowdown] = [this.wait.result(), this.response.result(), this.slowdown.result()]
    const { jobs, abandoned, rejected } = this
    return { jobs, started: wait.count, finished: response.count, abandoned, rejected, wait, response, slowdown, makespan: this.#last - this.#first }
  }
}

import { grown, type Decision, type EndRow, type JobId, type JobSpec, type Observer, type Seconds, type StartRow, type WorkView } from '@sched/core'
import { EXACT_VALUES, Values, type Distribution } from './distribution.js'
import { JobClasses, type ClassOf } from './job-classes.js'

/** How long jobs waited for their scheduler. Times in seconds from submission. */
export interface DecidedTimes {
  /** Jobs submitted. */
  readonly jobs: number
  /** Jobs for which at least one attempt was made. */
  readonly tried: number
  /** Jobs of which all tasks were placed. */
  readonly placed: number
  /** Jobs that were given up or failed. */
  readonly abandoned: number
  /** Time until the first attempt begins: the job wait time of the Omega authors. Where decisions take no time, until the first task starts. */
  readonly firstAttempt: Distribution
  /** Time until the last task is placed for the first time. */
  readonly fullyPlaced: Distribution
  /** Fraction of the tried jobs whose first attempt began within the limit; NaN if none was tried. */
  readonly inTime: number
}

export interface DecidedJobsResult {
  /** Over all jobs. */
  readonly overall: DecidedTimes
  /** By class, in natural order of labels; empty if no job has a class. */
  readonly classes: readonly ({ readonly label: string } & DecidedTimes)[]
}

export interface DecidedJobsOptions {
  /** Class of a job; default: `JobSpec.class`. */
  readonly classOf?: ClassOf | undefined
  /** Longest wait for the first attempt with which a job counts as in time, seconds. Default 30. */
  readonly slo?: Seconds | undefined
  /** Number of values per distribution up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
}

const byClass: ClassOf = (spec) => spec.class
/** The paper's limit for the wait of a job. */
const SLO: Seconds = 30

/** Measures how long jobs wait for their scheduler, over all jobs and by class. */
export const decidedJobs = (options: DecidedJobsOptions = {}): DecidedJobs => new DecidedJobs(options)

export class DecidedJobs implements Observer {
  #work!: WorkView
  readonly #classes: JobClasses<Waits>
  #submits = new Float64Array(0)
  /** By job: start of the first task, NaN before; `TRIED` once the first attempt is counted. */
  #starts = new Float64Array(0)
  /** By job: tasks that have started and were not taken away again; `PLACED` once all were. */
  #placedTasks = new Int32Array(0)

  constructor({ classOf = byClass, slo = SLO, exact = EXACT_VALUES }: DecidedJobsOptions) {
    this.#classes = new JobClasses(classOf, () => new Waits(slo, exact))
  }

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (job >= this.#submits.length) {
      this.#submits = grown(this.#submits, job + 1)
      this.#starts = grown(this.#starts, job + 1)
      this.#placedTasks = grown(this.#placedTasks, job + 1)
    }
    this.#submits[job] = now
    this.#starts[job] = NaN
    this.#placedTasks[job] = 0
    this.#classes.overall.jobs++
    const own = this.#classes.add(job, spec)
    if (own !== undefined) own.jobs++
  }

  onTasksStart({ job, count }: StartRow, now: Seconds): void {
    if (Number.isNaN(this.#starts[job])) this.#starts[job] = now
    const placed = this.#placedTasks[job] as number
    if (placed === PLACED) return
    this.#placedTasks[job] = placed + count
    if (placed + count === this.#work.tasks(job)) this.#placed(job, now) // of a mouldable job, the present number of tasks
  }

  onTasksEnd({ job, count, how }: EndRow): void {
    if (how !== 'done' && this.#placedTasks[job] !== PLACED) this.#placedTasks[job] = (this.#placedTasks[job] as number) - count
  }

  onDecision({ job, attempt, opened }: Decision): void {
    if (attempt === 1) this.#tried(job, opened)
  }

  onAbandon(job: JobId): void {
    this.#classes.overall.abandoned++
    const own = this.#classes.of(job)
    if (own !== undefined) own.abandoned++
  }

  onJobEnd(job: JobId): void {
    this.#startedUndecided(job)
  }

  onRunEnd(): void {
    for (const job of this.#work.jobs()) this.#startedUndecided(job)
  }

  result(): DecidedJobsResult {
    return this.#classes.results((waits) => waits.result())
  }

  /** Counts the first start as the first attempt, where decisions take no time. */
  #startedUndecided(job: JobId): void {
    const start = this.#starts[job] as number
    if (start >= 0) this.#tried(job, start)
  }

  #tried(job: JobId, at: Seconds): void {
    this.#starts[job] = TRIED
    const wait = at - (this.#submits[job] as number)
    this.#classes.overall.tried(wait)
    this.#classes.of(job)?.tried(wait)
  }

  #placed(job: JobId, now: Seconds): void {
    this.#placedTasks[job] = PLACED
    const wait = now - (this.#submits[job] as number)
    this.#classes.overall.fullyPlaced.add(wait)
    this.#classes.of(job)?.fullyPlaced.add(wait)
  }
}

const TRIED = -1
const PLACED = -1

class Waits {
  jobs = 0
  abandoned = 0
  readonly fullyPlaced: Values
  readonly #firstAttempt: Values
  readonly #slo: Seconds
  #inTime = 0

  constructor(slo: Seconds, exact: number) {
    this.#slo = slo
    this.#firstAttempt = new Values(exact)
    this.fullyPlaced = new Values(exact)
  }

  tried(wait: Seconds): void {
    this.#firstAttempt.add(wait)
    if (wait <= this.#slo) this.#inTime++
  }

  result(): DecidedTimes {
    const { jobs, abandoned } = this
    const [firstAttempt, fullyPlaced] = [this.#firstAttempt.result(), this.fullyPlaced.result()]
    return { jobs, tried: firstAttempt.count, placed: fullyPlaced.count, abandoned, firstAttempt, fullyPlaced, inTime: this.#inTime / firstAttempt.count }
  }
}

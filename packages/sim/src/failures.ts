import { hashUnit, portableLog, SchedError, streamKey, type JobId, type Seconds, type TaskId } from '@sched/core'
import type { TaskStart } from './task-start.js'

/** Tasks that fail by themselves; exactly one of `probability` and `mtbf`. */
export interface FailureOptions {
  /** Of one attempt of a task to fail, in [0, 1); it does at a time that is uniform over its run. */
  readonly probability?: number | undefined
  /** Mean seconds that a task runs from its start, or its last failure, to its next one, exponential, > 0. */
  readonly mtbf?: Seconds | undefined
  /** Failures of one task with which its job is given up, a whole number of 1 or more. Default 4 (Hadoop, mapreduce.map.maxattempts; Spark, spark.task.maxFailures). */
  readonly maxAttempts?: number | undefined
}

/** A task that has failed, or has run in vain. */
interface Past {
  failures: number
  /** Seconds that it has run since its last failure and was taken from its node before the next. */
  ran: Seconds
}

/**
 * When tasks fail. It depends on the seed, the job, the task and how often it has failed alone: a run that is taken from its node
 * before it fails does not change how often its task fails, so every policy compared on one seed meets the same failures.
 */
export class Failures {
  readonly #probability: number | undefined
  readonly #mtbf: Seconds
  readonly #maxAttempts: number
  readonly #seed: number
  /** By number of failures before: the key of the draws. */
  readonly #streams: number[] = []
  readonly #tasks = new Map<JobId, Map<TaskId, Past>>()
  /** Runs that will end because their tasks fail. */
  readonly #failing = new Set<number>()

  /** Throws `BAD_INPUT` for options that are none. */
  constructor(seed: number, { probability, mtbf = Infinity, maxAttempts = 4 }: FailureOptions) {
    const place = { field: 'failures' }
    if ((probability === undefined) === (mtbf === Infinity))
      throw new SchedError(
        'BAD_INPUT',
        `found ${mtbf === Infinity ? 'neither probability nor' : 'both probability and'} mtbf.`,
        place,
        'Give one of them.',
      )
    if (probability !== undefined && !(probability >= 0 && probability < 1))
      throw new SchedError('BAD_INPUT', `found a probability of ${probability}.`, place, 'It is from 0 up to 1, which is out.')
    if (!(mtbf > 0)) throw new SchedError('BAD_INPUT', `found an mtbf of ${mtbf} s.`, place, 'It is more than 0 s.')
    if (!(Number.isSafeInteger(maxAttempts) && maxAttempts >= 1)) throw new SchedError('BAD_INPUT', `found ${maxAttempts} attempts.`, place, 'It is a whole number, 1 or more.')
    this.#probability = probability
    this.#mtbf = mtbf
    this.#maxAttempts = maxAttempts
    this.#seed = seed
  }

  /** The number of a job is that of a new one from here on. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /** A run starts that would be done after so many seconds; returns after how many it ends. */
  start(run: number, task: TaskId, { job, key, task: index, stageIndex }: TaskStart, seconds: Seconds): Seconds {
    const past = this.#tasks.get(job)?.get(task)
    const u = hashUnit(this.#stream(past?.failures ?? 0) ^ key, index, stageIndex)
    const fails = this.#probability === undefined
      ? Math.max(0, -this.#mtbf * portableLog(1 - u) - (past?.ran ?? 0))
      : u < this.#probability
        ? (u / this.#probability) * seconds
        : Infinity
    if (!(fails < seconds) && !(fails === seconds && seconds === 0)) return seconds
    this.#failing.add(run)
    return fails
  }

  /** Whether the run ends because its task fails. */
  has(run: number): boolean {
    return this.#failing.has(run)
  }

  /** The task of a run has failed; true when its job is given up. */
  failed(run: number, job: JobId, task: TaskId): boolean {
    this.#failing.delete(run)
    const past = this.#past(job, task)
    past.failures++
    past.ran = 0
    return past.failures >= this.#maxAttempts
  }

  /** The run is taken from its node after so many seconds, before it was done or the master knew of its failure. */
  stopped(run: number, job: JobId, task: TaskId, ran: Seconds): void {
    this.#failing.delete(run)
    if (this.#probability === undefined) this.#past(job, task).ran += ran
  }

  #past(job: JobId, task: TaskId): Past {
    let tasks = this.#tasks.get(job)
    if (tasks === undefined) this.#tasks.set(job, (tasks = new Map<TaskId, Past>()))
    let past = tasks.get(task)
    if (past === undefined) tasks.set(task, (past = { failures: 0, ran: 0 }))
    return past
  }

  #stream(failures: number): number {
    return (this.#streams[failures] ??= streamKey(this.#seed, `failures/${failures + 1}`))
  }
}

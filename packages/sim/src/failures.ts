import { hashUnit, portableLog, SchedError, streamKey, type JobId, type Seconds, type TaskId } from '@sched/core'
import type { TaskStart } from './task-start.js'

/** Tasks that fail by themselves. Give exactly one of `probability` and `mtbf`. */
export interface FailureOptions {
  /** Probability in [0, 1) that an attempt of a task fails, at a time uniformly distributed over its run. */
  readonly probability?: number | undefined
  /** Mean seconds of running until a task fails, from its start or its last failure; exponential, > 0. */
  readonly mtbf?: Seconds | undefined
  /**
   * Number of failures of one task at which its job is given up, a whole number of at least 1. Default 4 (Hadoop, mapreduce.map.maxattempts; Spark,
   * spark.task.maxFailures).
   */
  readonly maxAttempts?: number | undefined
}

/** A task that has failed, or was taken from its node while it ran. */
interface Past {
  failures: number
  /** Seconds that it has run since its last failure, in runs that were taken from their nodes. */
  ran: Seconds
}

/**
 * Decides when tasks fail. That depends only on the seed, the job, the task and its number of failures so far. A run that is taken from its node
 * before it fails does not change how often its task fails, so every policy compared on one seed meets the same failures.
 */
export class Failures {
  readonly #probability: number | undefined
  readonly #mtbf: Seconds
  readonly #maxAttempts: number
  readonly #seed: number
  /** Keys of the draws, by number of earlier failures. */
  readonly #streams: number[] = []
  readonly #streamsOfCopies: number[] = []
  readonly #tasks = new Map<JobId, Map<TaskId, Past>>()
  /** Runs that will end with a failure of their task. */
  readonly #failing = new Set<number>()

  /** Throws `BAD_INPUT` for invalid options. */
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

  /** Forgets the tasks of a job whose id is about to be reused. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /**
   * Starts a run that would take `seconds`. Returns the seconds after which it ends, by failure or not. `task`: for a copy, the task that it is a copy
   * of, which fails with it but has draws of its own.
   */
  start(run: number, task: TaskId, { job, key, task: index, stageIndex, isCopy }: TaskStart, seconds: Seconds): Seconds {
    const past = this.#tasks.get(job)?.get(task)
    const u = hashUnit(this.#stream(past?.failures ?? 0, isCopy) ^ key, index, stageIndex)
    const fails = this.#probability === undefined
      ? Math.max(0, -this.#mtbf * portableLog(1 - u) - (isCopy ? 0 : (past?.ran ?? 0)))
      : u < this.#probability
        ? (u / this.#probability) * seconds
        : Infinity
    if (!(fails < seconds) && !(fails === seconds && seconds === 0)) return seconds
    this.#failing.add(run)
    return fails
  }

  /** Whether the run ends with a failure of its task. */
  has(run: number): boolean {
    return this.#failing.has(run)
  }

  /** Records that the task of a run has failed; true if its job is given up. */
  failed(run: number, job: JobId, task: TaskId): boolean {
    this.#failing.delete(run)
    const past = this.#past(job, task)
    past.failures++
    past.ran = 0
    return past.failures >= this.#maxAttempts
  }

  /** Records that a run was taken from its node after `ran` seconds, before it was done or the master knew of its failure. */
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

  #stream(failures: number, isCopy: boolean): number {
    if (isCopy) return (this.#streamsOfCopies[failures] ??= streamKey(this.#seed, `failures of copies/${failures + 1}`))
    return (this.#streams[failures] ??= streamKey(this.#seed, `failures/${failures + 1}`))
  }
}
